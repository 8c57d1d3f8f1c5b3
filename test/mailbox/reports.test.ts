/** Reports that arrive in a mailbox, through the whole service, with Debian's Dovecot. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { selfSigned } from '../../harness/certificate.ts'
import { freePort } from '../../harness/free-port.ts'
import { bounce } from '../../harness/returned-mail.ts'
import { InboundRig } from '../inbound/rig.ts'
import { Dovecot, HOST } from '../peers/dovecot.ts'
import { missing } from '../peers/jail.ts'
import { until } from '../support/until.ts'

const skip = missing('dovecot') ?? false
if (skip) process.stderr.write(`NOT TESTED with Dovecot: ${skip}\n`)

const BOX = 'bounces'
const PASSWORD = 'never-shown'

describe('reports in a mailbox', { skip }, () => {
  let dovecot: Dovecot
  let rig: InboundRig
  before(async () => {
    const certificate = selfSigned([HOST], 30, 'rsa')
    dovecot = await Dovecot.start({ port: await freePort(HOST), tlsPort: await freePort(HOST), certificate })
    rig = await InboundRig.start({
      bounceMailbox: dovecot.mailbox(BOX),
      bounceListeners: [],
      metrics: 'same',
    })
  })
  after(async () => {
    await rig?.[Symbol.asyncDispose]()
    await dovecot?.[Symbol.asyncDispose]()
  })

  let delivered = 0
  /** Puts mails into the mailbox, each with these fields of the server that stores it, and waits until they are marked. */
  async function arrive(mails: readonly string[], fields = ''): Promise<void> {
    for (const mail of mails) dovecot.deliver(BOX, fields + mail)
    delivered += mails.length
    await until(() => marked() === delivered, `${delivered} marks`)
  }

  const marked = () => dovecot.flags(BOX).filter((letters) => letters.includes('S')).length

  test('a late bounce of a forwarded return path turns delivered into bounced, once', async () => {
    const { id, path, messageId } = await rig.send(['gone@rcpt.test', 'there@rcpt.test'])
    const mail = bounce({ to: 'gone@rcpt.test', messageId })
    const fields = `Return-Path: <>\r\nDelivered-To: ${BOX}@hoster.test\r\nX-Original-To: ${path(0)}\r\n`
    await arrive([mail], fields)
    assert.deepEqual(await rig.states(id), ['bounced', 'delivered'])
    assert.deepEqual(await rig.events(id), ['0:bounced'])
    assert.ok((await rig.suppressed()).some((entry) => entry.endsWith(' gone@rcpt.test')))
    await arrive([mail, mail], fields)
    assert.deepEqual(await rig.events(id), ['0:bounced'])
  })

  test('a report without a token of ours changes nothing, whatever it claims to be', async () => {
    const { id, messageId } = await rig.send(['safe@rcpt.test'])
    const mail = bounce({
      to: 'safe@rcpt.test',
      messageId,
      addressee: `bAAAAAAAAAAAAAAAAAAAAAAAAAAAA@bounces.acme.test`,
    })
    await arrive([mail], `Delivered-To: ${BOX}@hoster.test\r\n`)
    assert.deepEqual(await rig.states(id), ['delivered'])
    const [kept] = await rig.service.store.inboundMails({ companyId: null, emailId: id, limit: 1 })
    assert.equal(kept?.outcome, 'unproven')
    assert.equal(kept.source, 'mailbox')
  })

  test('a server that dies again and again while it is read neither loses nor doubles a report', async () => {
    const emails = await Promise.all(Array.from({ length: 20 }, (_, n) => rig.send([`r${n}@dead.test`])))
    let crashes = 0
    const crashing = setInterval(() => {
      if (crashes < 2 && dovecot.crash()) crashes++
    }, 60)
    try {
      const mails = emails.map(({ path, messageId }, n) => {
        return bounce({ to: `r${n}@dead.test`, messageId, addressee: path(0) })
      })
      await arrive(mails)
    } finally {
      clearInterval(crashing)
    }
    assert.ok(crashes > 0)
    for (const { id } of emails) {
      const events = await rig.events(id)
      assert.equal(events.filter((name) => name === '0:bounced').length, 1, `${id}: ${events}`)
    }
  })

  test('/metrics counts the messages of the mailbox', async () => {
    const text = await (await fetch(`${rig.service.url}/metrics`)).text()
    const value = (name: string) =>
      text
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.split(' ')[1]
    assert.ok(Number(value('postroad_mailbox_messages_total{result="read"}')) >= delivered)
    assert.deepEqual(
      ['reading', 'failing', 'elsewhere'].map((state) => value(`postroad_bounce_mailbox{state="${state}"}`)),
      ['1', '0', '0'],
    )
  })

  test('a wrong password shows in the log and in /metrics, without the password', async () => {
    const bounceMailbox = { ...dovecot.mailbox(BOX), password: PASSWORD }
    await using wrong = await InboundRig.start({ bounceMailbox, bounceListeners: [], metrics: 'same' })
    const { service } = wrong
    await until(() => service.logged.some((line) => line.includes('cannot be read')), 'a line of the log')
    const text = await (await fetch(`${service.url}/metrics`)).text()
    assert.match(text, /^postroad_bounce_mailbox\{state="failing"\} 1$/m)
    assert.match(service.logged.join(''), /refused the user or the password/)
    assert.ok(!service.logged.join('').includes(PASSWORD))
  })
})
