import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verifyDkim } from '../../../harness/verify-dkim.ts'
import type { Delivery } from '../../../src/delivery/delivery.ts'
import { messageFor } from '../../../src/delivery/message.ts'
import { type PreparedMessage, prepareMessage } from '../../../src/delivery/prepare.ts'
import type { Addressee } from '../../../src/mail/batch/substitute.ts'
import type { ClaimedEmail } from '../../../src/store/store.ts'
import { boundaries, content, publishedKeys, relayAt, signingKey, startRig, startSinks } from './rig.ts'

const all = { eightBitMime: true, smtpUtf8: true }
const none = { eightBitMime: false, smtpUtf8: false }
const date = Date.UTC(2026, 10, 20, 12)

const prepare = (delivery: Pick<Delivery, 'message' | 'signing'>): PreparedMessage =>
  prepareMessage({ email: { id: 'email', companyId: 'company' }, ...delivery }, { boundaries })
const raw = (text: string, addressee: Addressee | null = null) =>
  ({ kind: 'raw', raw: Buffer.from(text), date, addressee }) as const
const joined = (message: { chunks: Uint8Array[] }) => Buffer.concat(message.chunks)
const header =
  'From: news@acme.test\r\nTo: jane@x.test\r\nDate: Fri, 20 Nov 2026 12:00:00 +0000\r\nSubject: raw\r\n'
const mime = `${header}MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n`

test('parts are composed once, whatever the next hop supports', async () => {
  const prepared = prepare({ message: { kind: 'parts', content }, signing: [signingKey] })
  const message = await prepared(all)
  assert.equal(await prepared(none), message)
  assert.equal(message.size, joined(message).length)
  assert.equal(message.eightBit, false)
  assert.equal(message.smtpUtf8, false)
  assert.ok(joined(message).every((octet) => octet < 128))
})

test('the signature comes first and is as old as the message', async () => {
  const prepared = prepare({ message: { kind: 'parts', content }, signing: [signingKey] })
  const text = joined(await prepared(all)).toString()
  assert.match(text, /^DKIM-Signature: /)
  assert.match(text, new RegExp(`\\bt=${content.date / 1000};`))
})

test('without a key the message leaves unsigned', async () => {
  const message = await prepare({ message: raw(`${header}\r\nhello\r\n`), signing: [] })(all)
  assert.equal(joined(message).toString(), `${header}\r\nhello\r\n`)
})

test('a ready message is sent unchanged after its signature', async () => {
  for (const text of [`${header}\r\nhello\r\n`, `${header}\r\n`, `${mime}\r\nGrüße\r\n`]) {
    const message = await prepare({ message: raw(text), signing: [signingKey] })(all)
    const bytes = joined(message)
    assert.ok(bytes.toString().endsWith(text))
    assert.equal(message.size, bytes.length)
    assert.equal(message.eightBit, /[^\u0000-\u007f]/.test(text))
    assert.equal((await verifyDkim(bytes, publishedKeys)).pass, true)
  }
})

test('a ready message with only a header gets the missing empty line', async () => {
  const { chunks } = await prepare({ message: raw(header.slice(0, -2)), signing: [] })(all)
  assert.equal(Buffer.concat(chunks).toString(), `${header}\r\n`)
})

test('a copy of a ready message is filled in by the thread that signs it', async () => {
  const octets = Buffer.from(`${mime}\r\nhello %recipient.who%\r\n`)
  const email = { individual: true, raw: octets, content: { ...content, to: ['Jane <jane@x.test>'] } }
  const recipient = { address: 'jane@x.test', variables: { who: 'Grüße' } }
  const message = messageFor(email as unknown as ClaimedEmail, [recipient as never], null, null)
  assert.ok(message.kind === 'raw' && message.raw === octets)
  const prepared = prepare({ message, signing: [signingKey] })
  const filled = await prepared(none)
  assert.match(joined(filled).toString(), /hello Gr=C3=BC=C3=9Fe/)
  assert.equal((await verifyDkim(joined(filled), publishedKeys)).pass, true)
  assert.equal(await prepared(none), filled)
})

test('for a server without 8BITMIME a ready message is re-encoded before it is signed', async () => {
  const prepared = prepare({ message: raw(`${mime}\r\nGrüße\r\n`), signing: [signingKey] })
  const message = await prepared(none)
  const bytes = joined(message)
  assert.equal(message.eightBit, false)
  assert.ok(bytes.every((octet) => octet < 128))
  assert.equal((await verifyDkim(bytes, publishedKeys)).pass, true)
  assert.equal(await prepared(none), message)
  assert.notEqual(await prepared(all), message)
})

test('a message that cannot be re-encoded fails for good on a session without 8BITMIME, and is sent on one with it', async (t) => {
  const type =
    'Content-Type: multipart/signed; protocol="application/pgp-signature"; micalg=pgp-sha256; boundary=b'
  const part = 'Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\nGrüße\r\n'
  const signature = 'Content-Type: application/pgp-signature\r\n\r\nabc\r\n'
  const signed = `${header}MIME-Version: 1.0\r\n${type}\r\n\r\n--b\r\n${part}--b\r\n${signature}--b--\r\n`
  for (const [offers, verdict] of [
    [['PIPELINING'], 'failed'],
    [['8BITMIME'], 'delivered'],
  ] as const) {
    const sinks = await startSinks(t, { '127.0.0.1': { offers } })
    const { outcome } = await startRig(t, relayAt(sinks.port))
    const result = await outcome('jane@x.test', { message: raw(signed) })
    assert.equal(result.verdict, verdict, result.message)
    if (verdict === 'failed') assert.match(result.message, /8BITMIME/)
  }
})

test('a ready message of 7-bit text is the same for every server', async () => {
  const prepared = prepare({ message: raw(`${mime}\r\nhello\r\n`), signing: [signingKey] })
  assert.equal(await prepared(none), await prepared(all))
})

test('the encoding follows the capabilities of the next server', async (t) => {
  const message = raw(`${mime}\r\nGrüße\r\n`)
  for (const [offers, eightBit] of [
    [['8BITMIME'], true],
    [['PIPELINING'], false],
  ] as const) {
    const sinks = await startSinks(t, { '127.0.0.1': { offers } })
    const { outcome } = await startRig(t, relayAt(sinks.port))
    const { verdict, message: said } = await outcome('jane@x.test', { message })
    assert.equal(verdict, 'delivered', said)
    const received = await sinks.at('127.0.0.1').next()
    assert.equal(received.mailParameters.includes('BODY=8BITMIME'), eightBit)
    assert.equal(received.raw.includes('Grüße'), eightBit)
    assert.equal((await verifyDkim(received.raw, publishedKeys)).pass, true)
  }
})
