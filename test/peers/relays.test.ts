/** Mail servers of others as clients of Postroad, with the configuration that docs/compatibility.md has for each. */
import assert from 'node:assert/strict'
import net from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import nodemailer from 'nodemailer'
import { selfSigned } from '../../harness/certificate.ts'
import { freePort } from '../../harness/free-port.ts'
import { DOMAIN, SmtpClient, type SubmissionRig, startRig } from '../submission/rig.ts'
import { missing } from './jail.ts'
import type { Relay } from './relay.ts'
import { RELAYS } from './relays.ts'

const PATIENCE = 30_000
/** Of a relay's own, in 127.0.0.0/8. */
const HOSTS = RELAYS.map((_, index) => `127.0.28.${index + 1}`)

for (const [index, { name, server, start, distrusts }] of RELAYS.entries()) {
  const skip = missing(server) ?? false
  if (skip) process.stderr.write(`NOT TESTED: ${name} as a client: ${skip}\n`)

  describe(`${name} with Postroad behind it`, { skip }, () => {
    const host = HOSTS[index]!
    let listenAt: number
    let rig: SubmissionRig
    let relay: Relay

    before(async () => {
      rig = await startRig({ rateLimit: 3 })
      const { port, key, certificate } = rig
      listenAt = await freePort(host)
      relay = await start({ port, password: key.token, certificate, host, listenAt })
    })
    after(async () => {
      await relay?.[Symbol.asyncDispose]()
      await rig?.[Symbol.asyncDispose]()
    })

    let number = 0
    const nextSubject = () => `${name} ${++number}`

    /** Hands mail to the relay; gives its subject. */
    async function send(to: string | string[], from = DOMAIN, port = listenAt): Promise<string> {
      const subject = nextSubject()
      const transport = nodemailer.createTransport({ host, port, ignoreTLS: true })
      const mail = { from: `Ann <a@${from}>`, to: 'you@x.test', subject, text: 'Hällo\n.\n..' }
      await transport.sendMail({ ...mail, envelope: { from: 'ann@sender.test', to } })
      return subject
    }

    async function until<Found>(
      what: string,
      look: () => Promise<Found | null>,
      at: Relay = relay,
    ): Promise<Found> {
      for (const end = performance.now() + PATIENCE; ; await pause(50)) {
        const found = await look()
        if (found !== null) return found
        assert.ok(performance.now() < end, `${what}:\n${at.log.slice(-6_000)}`)
      }
    }

    /** So many emails like this, newest first. */
    const emails = (what: RegExp, count = 1) =>
      until(`${count} emails ${what}`, async () => {
        const all = await rig.service.store.listEmails({ companyId: rig.companyId, limit: 1000 })
        const found = all.filter(({ subject }) => what.test(subject))
        if (found.length >= count) return found
        // The relay keeps what came over the rate until its queue runs.
        await relay.retry()
        return null
      })

    const one = (subject: string) => emails(new RegExp(`^${subject}$`))

    const rawOf = async (id: string) => (await rig.captured(id)).toString('latin1')

    test('a message arrives over TLS, logged in, with its trace fields', async () => {
      const [{ id } = assert.fail()] = await one(await send('b@x.test'))
      const [ours, theirs] = (await rawOf(id)).match(/^Received:.*\r\n(?:[ \t].*\r\n)*/gm)!
      assert.match(ours!, /by postroad\.test \(Postroad\) with (?:UTF8SMTP|ESMTP)SA id /)
      assert.ok(theirs)
    })

    /** A message with raw UTF-8 in its header, from a client that does not ask for SMTPUTF8; gives its subject. */
    async function sendRaw(from: string): Promise<string> {
      const subject = nextSubject()
      using client = new SmtpClient(net.connect(listenAt, host))
      assert.match(await client.reply(), /^220 /)
      await client.say('EHLO client.test', /^250-/)
      await client.say('MAIL FROM:<ann@sender.test>', /^250 /)
      await client.say('RCPT TO:<b@x.test>', /^250 /)
      await client.say('DATA', /^354 /)
      client.write(`From: Jörg <a@${from}>\r\nTo: b@x.test\r\nSubject: ${subject} Grüße\r\n\r\nHällo\r\n`)
      await client.say('.', /^250 /)
      return subject
    }

    test('UTF-8 in a header arrives with and without SMTPUTF8', async () => {
      const subject = await sendRaw(DOMAIN)
      const [{ id } = assert.fail()] = await emails(new RegExp(`^${subject} Grüße$`))
      assert.match(await rawOf(id), /^From: =\?utf-8\?B\?SsO2cmc=\?= <a@acme\.example>\r$/m)
    })

    test('mail that Postroad refuses bounces with its words, and the bounce is taken', async () => {
      const subject = await sendRaw('elsewhere.example')
      const bounce = await until('the bounce', async () => {
        const all = await rig.service.store.listEmails({ companyId: rig.companyId, limit: 1000 })
        for (const { id, from } of all.filter((email) => /mailer-daemon@/i.test(email.from))) {
          const text = await rawOf(id)
          if (text.includes(subject)) return { id, from, text: text.replace(/\s+/g, ' ') }
        }
        await relay.retry()
        return null
      })
      assert.match(bounce.from, new RegExp(`mailer-daemon@${DOMAIN}>?$`, 'i'))
      assert.match(
        bounce.text,
        /550 5\.7\.1 (?:From is at elsewhere\.example|elsewhere\.example is not a domain)/,
      )
      const { recipients } = (await rig.service.store.readHistory(bounce.id))!
      assert.deepEqual(
        recipients.map(({ address }) => address),
        ['ann@sender.test'],
      )
    })

    test('an untrusted certificate gets neither login nor message', async () => {
      const emails = await rig.count()
      const at = await freePort(host)
      const certificate = selfSigned(['localhost'])
      const options = { port: rig.port, password: rig.key.token, certificate, host, listenAt: at }
      await using careful = await start(options)
      await send('b@x.test', DOMAIN, at)
      await until('distrust', async () => (distrusts.test(careful.log) ? 1 : null), careful)
      assert.equal(await rig.count(), emails)
    })

    test('4xx: messages over the rate wait there, and nothing is lost or sent twice', async () => {
      const subjects = await Promise.all(Array.from({ length: 10 }, () => send('b@x.test')))
      await until('something over the rate', async () =>
        /450 4\.7\.1 This API key may send 3/.test(relay.log) ? 1 : null,
      )
      for (const subject of subjects) {
        await until(subject, async () => {
          const all = await rig.service.store.listEmails({ companyId: rig.companyId, limit: 1000 })
          if (all.some((email) => email.subject === subject)) return 1
          await relay.retry()
          return null
        })
      }
      for (const subject of subjects) assert.equal((await one(subject)).length, 1)
    })
  })
}
