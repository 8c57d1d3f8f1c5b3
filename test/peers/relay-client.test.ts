/** Mail servers of others with Postroad as their relay: what Postfix makes of our answers. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import nodemailer from 'nodemailer'
import { freePort } from '../../harness/free-port.ts'
import type { StoredEmail } from '../../src/email/stored-email.ts'
import { textOf } from '../../src/mail/body.ts'
import { DOMAIN, type SubmissionRig, startRig } from '../submission/rig.ts'
import { missing } from './jail.ts'
import { PostfixClient } from './postfix-client.ts'

const skip = missing('postfix') ?? false
if (skip) process.stderr.write(`NOT TESTED with Postfix as a client: ${skip}\n`)

const PATIENCE = 30_000

describe('Postfix with Postroad as its relayhost', { skip }, () => {
  let rig: SubmissionRig
  let postfix: PostfixClient

  before(async () => {
    rig = await startRig({ maxRecipients: 5, rateLimit: 3 })
    const { certificate, key } = rig
    postfix = await PostfixClient.start({
      port: await freePort('127.0.27.1'),
      relay: { port: rig.port, password: key.token, certificate },
    })
  })
  after(async () => {
    await postfix?.[Symbol.asyncDispose]()
    await rig?.[Symbol.asyncDispose]()
  })

  let number = 0
  /** Hands mail to Postfix; gives its subject. */
  async function send(to: string | string[], from = DOMAIN, sender = 'ann@box.test'): Promise<string> {
    const subject = `Number ${++number}`
    const { host, port } = postfix
    const transport = nodemailer.createTransport({ host, port, ignoreTLS: true })
    const mail = { from: `Ann <a@${from}>`, to: 'you@x.test', subject, text: 'Hällo\n.\n..' }
    await transport.sendMail({ ...mail, envelope: { from: sender, to } })
    return subject
  }

  async function until<Found>(
    what: string,
    look: () => Promise<Found | null> | Found | null,
  ): Promise<Found> {
    for (const end = performance.now() + PATIENCE; ; await pause(20)) {
      const found = await look()
      if (found !== null) return found
      assert.ok(performance.now() < end, `${what}:\n${postfix.log.slice(-4_000)}`)
    }
  }

  /** So many emails under this subject, newest first. */
  const emails = (subject: string, count = 1) =>
    until(`${count} emails ${subject}`, async () => {
      const all = await rig.service.store.listEmails({ companyId: rig.companyId, limit: 1000 })
      const found = all.filter((email) => email.subject === subject)
      return found.length >= count ? found : null
    })

  async function recipients(ids: readonly { id: string }[]): Promise<string[]> {
    const histories = await Promise.all(ids.map(({ id }) => rig.service.store.readHistory(id)))
    return histories.flatMap((history) => history!.recipients.map(({ address }) => address)).sort()
  }

  const bounceOf = (subject: string) =>
    until(`the bounce of ${subject}`, () => postfix.bounces.find((text) => text.includes(subject)) ?? null)

  test('a message arrives over TLS, with its trace fields', async () => {
    const [{ id } = assert.fail()] = await emails(await send('b@x.test'))
    const stored = (await rig.service.store.readEmail(id)) as StoredEmail
    assert.equal(
      textOf(stored.content.text ?? '')
        .replaceAll('\r\n', '\n')
        .trimEnd(),
      'Hällo\n.\n..',
    )
    const raw = await until('what leaves', async () => {
      const [copy] = await rig.service.store.readCaptured(id)
      return copy === undefined ? null : Buffer.from(copy.raw).toString()
    })
    const [ours, theirs] = raw.match(/^Received:.*\r\n(?:[ \t].*\r\n)*/gm)!
    assert.match(ours!, /by postroad\.test \(Postroad\) with (?:UTF8SMTP|ESMTP)SA id /)
    assert.match(theirs!, /by postfix\.test \(Postfix\) with /)
  })

  test('a sender named after the machine is no obstacle', async () => {
    for (const machine of ['web1', 'web_1.internal'])
      await emails(await send('b@x.test', DOMAIN, `www-data@${machine}`))
  })

  test('a recipient that is refused bounces with our words, the others are sent', async () => {
    const subject = await send(['b@x.test', 'nobody@[192.0.2.1]', 'c@x.test'])
    assert.deepEqual(await recipients(await emails(subject)), ['b@x.test', 'c@x.test'])
    const bounce = await bounceOf(subject)
    assert.match(bounce, /^Final-Recipient: rfc822; nobody@\[192\.0\.2\.1\]$/m)
    assert.match(bounce, /^Status: 5\.1\.3$/m)
    assert.match(bounce.replace(/\s+/g, ' '), /553 5\.1\.3 The address cannot be used/)
    assert.doesNotMatch(bounce, /^Final-Recipient: rfc822; [bc]@/m)
  })

  test('a message that is refused bounces whole', async () => {
    const subject = await send('b@x.test', 'elsewhere.example')
    const bounce = (await bounceOf(subject)).replace(/\s+/g, ' ')
    assert.match(bounce, /550 5\.7\.1 (?:From is at elsewhere\.example|elsewhere\.example is not a domain)/)
  })

  test('more recipients than a message may have come in several', async () => {
    const many = Array.from({ length: 12 }, (_, index) => `r${String(index).padStart(2, '0')}@x.test`)
    const subject = await send(many)
    assert.deepEqual(await recipients(await emails(subject, 3)), many)
  })

  test('addresses in UTF-8', async () => {
    assert.deepEqual(await recipients(await emails(await send('jörg@bücher.example'))), [
      'jörg@xn--bcher-kva.example',
    ])
  })

  test('4xx: messages over the rate are tried again, and nothing is lost or sent twice', async () => {
    const subjects = await Promise.all(Array.from({ length: 8 }, () => send('b@x.test')))
    for (const subject of subjects) assert.equal((await emails(subject)).length, 1)
    assert.match(postfix.log, /status=deferred .*450 4\.7\.1 This API key may send 3 messages per second/)
    assert.ok(!postfix.bounces.some((text) => subjects.some((subject) => text.includes(`${subject}\n`))))
  })
})
