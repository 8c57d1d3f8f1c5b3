/**
 * 18: a newsletter as Ghost sends it, and its later requests.
 *
 * The site is set up with mg.acme.test and writes from an address at acme.test. One request has a thousand readers: each gets a message
 * with its own values, its own Message-ID and its own link to unsubscribe, signed by the domain of its From, and not before its time.
 * Polled as Ghost polls, each of them is reported once, under the Message-ID of its copy: as delivered, as failed for good with the reply
 * of the server, as complained. A reader on a list gets no second newsletter, but an event with the code of the list; once Ghost has
 * removed the reader from the list, the third one arrives.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import PostalMime from 'postal-mime'
import { verifyDkim } from '../../../harness/verify-dkim.ts'
import { ApiClient } from '../../support/api-client.ts'
import { startRelayed } from '../../support/relayed-service.ts'
import { EMAIL_ID, Ghost, type GhostEvent, newsletter, reader, transactional } from './ghost.ts'

const SITE = 'mg.acme.test'
const READERS = 1_000
const GONE = 'member500@in.test'
/** Ends as delivered and complained, and no server gets it. */
const COMPLAINING = 'complained+ghost@simulator.test'

test('each reader of a newsletter gets a copy, and Ghost learns its outcome', async () => {
  await using stage = await startRelayed()
  const { sink, tenant, installation, service } = stage
  const company = ['--company', tenant.companyId]
  const mg = await installation.command<{ speaks_for: string[] }>(
    ...['domain', 'add', SITE, ...company, '--from', 'acme.test'],
  )
  assert.deepEqual(mg.speaks_for, ['acme.test'])
  await installation.command('domain', 'activate', SITE)
  const { token } = await installation.command<{ token: string }>(
    ...['key', 'create', ...company, '--name', 'Ghost', '--scope', 'sending', 'reading', 'management'],
  )
  const api = new ApiClient(service.url, token)
  await api.known()
  const ghost = new Ghost(service.url, token, SITE)
  sink.script = ({ step, recipient }) =>
    step === 'rcpt' && recipient === GONE ? { reply: '550 5.1.1 no such user' } : undefined

  const readers = Array.from({ length: READERS }, (_, n) =>
    reader(n === 999 ? COMPLAINING : `member${n}@in.test`, n),
  )
  const begin = Date.now()
  const due = new Date(Math.ceil(Date.now() / 1_000 + 1) * 1_000)
  const { status, body } = await api.sendForm(SITE, newsletter(readers, due))
  assert.deepEqual([status, body], [200, { id: '<%recipient.message_id%>', message: 'Queued. Thank you.' }])

  const there = readers.filter(({ address }) => address !== GONE && address !== COMPLAINING)
  await sink.until(there.length)
  assert.deepEqual(
    sink.messages.flatMap(({ recipients }) => recipients).toSorted(),
    there.map(({ address }) => address).toSorted(),
  )
  assert.ok(sink.messages.every(({ at }) => at >= due.getTime()))
  for (const n of [0, 1, 499, 998]) {
    const { address, messageId, unsubscribe } = readers[n]!
    const { raw } = await sink.messageFor(address)
    const mail = await PostalMime.parse(raw)
    const header = (name: string) => mail.headers.filter(({ key }) => key === name).map(({ value }) => value)
    const addressesOf = (list: typeof mail.to) => list?.map((each) => [each.name, each.address])
    assert.deepEqual(addressesOf(mail.to), [['', address]])
    assert.deepEqual([mail.from?.name, mail.from?.address], ['Acme Blog', 'noreply@acme.test'])
    assert.deepEqual(addressesOf(mail.replyTo), [['', 'noreply@acme.test']])
    assert.deepEqual([mail.sender?.name, mail.sender?.address], ['Acme Blog', 'noreply@acme.test'])
    assert.equal(mail.subject, `An issue for Reader ${n}`)
    assert.equal(mail.messageId, `<${messageId}>`)
    assert.ok(mail.text?.includes(`Hello Reader\n${unsubscribe}`), mail.text)
    assert.ok(mail.html?.includes(`<p>Hello Reader</p><a href="${unsubscribe}">`), mail.html)
    assert.deepEqual(header('list-unsubscribe'), [`<${unsubscribe}>`])
    assert.deepEqual(header('list-unsubscribe-post'), ['List-Unsubscribe=One-Click'])
    assert.deepEqual(header('auto-submitted'), ['auto-generated'])
    assert.doesNotMatch(raw.toString('latin1'), /%(?:recipient|tag_unsubscribe)/)
    const { pass, signatures } = await verifyDkim(raw, tenant.keys)
    assert.ok(pass, JSON.stringify(signatures))
    assert.deepEqual(
      signatures.map(({ domain }) => domain),
      ['acme.test'],
    )
  }

  const of = (events: GhostEvent[], word: string) => events.filter(({ event }) => event === word)
  const told = await ghost.analytics(
    begin,
    (events) =>
      of(events, 'delivered').length >= READERS - 1 &&
      of(events, 'failed').length > 0 &&
      of(events, 'complained').length > 0,
  )
  assert.deepEqual(
    of(told, 'delivered')
      .map(({ recipient }) => recipient)
      .toSorted(),
    readers.flatMap(({ address }) => (address === GONE ? [] : [address])).toSorted(),
  )
  const messageIds = new Map(readers.map(({ address, messageId }) => [address, messageId]))
  for (const event of told) {
    assert.equal(event.message.headers['message-id'], messageIds.get(event.recipient))
    assert.equal(event['user-variables']['email-id'], EMAIL_ID)
    assert.ok(event.timestamp * 1_000 >= due.getTime())
  }
  const relayed = of(told, 'delivered').find(({ recipient }) => recipient === readers[0]!.address)!
  assert.equal(relayed['delivery-status']!.code, 250)
  const [failed, ...others] = of(told, 'failed')
  assert.deepEqual(others, [])
  assert.deepEqual([failed!.recipient, failed!.severity], [GONE, 'permanent'])
  const { code, message, 'enhanced-code': enhanced } = failed!['delivery-status']!
  assert.deepEqual([code, enhanced], [550, '5.1.1'])
  assert.equal(message, 'no such user', 'its codes stand beside it')
  assert.equal(typeof failed!['delivery-status']!['session-seconds'], 'number')
  assert.deepEqual(
    of(told, 'complained').map(({ recipient }) => recipient),
    [COMPLAINING],
  )

  // The next issue: a reader on a list gets an event with the code by which Ghost knows the list.
  await ghost.suppress('complaints', 'member1@in.test')
  await ghost.suppress('unsubscribes', 'member2@in.test')
  const listed = [
    [GONE, 605],
    ['member1@in.test', 607],
    ['member2@in.test', 606],
  ] as const
  const again = [...listed.map(([address]) => address), 'member3@in.test'].map((address, n) =>
    reader(address, 2_000 + n),
  )
  const second = Date.now()
  assert.equal((await api.sendForm(SITE, newsletter(again, new Date(second)))).status, 200)
  const ofSecond = (events: GhostEvent[]) =>
    events.filter(({ message }) => /^20261122\.2\d{3}\./.test(message.headers['message-id']!))
  const stopped = ofSecond(await ghost.analytics(second, (events) => ofSecond(events).length >= again.length))
  for (const [address, expected] of listed) {
    const event = stopped.find(({ recipient }) => recipient === address)
    assert.ok(event, address)
    assert.deepEqual(
      [event.event, event.severity, event['delivery-status']!.code],
      ['failed', 'permanent', expected],
    )
  }

  // Members that are let back in.
  assert.deepEqual(await ghost.unsuppress(GONE), [200, 404, 404])
  assert.deepEqual(await ghost.unsuppress('member1@in.test'), [404, 200, 404])
  assert.deepEqual(await ghost.unsuppress('member2@in.test'), [404, 404, 200])
  sink.script = undefined
  const back = listed.map(([address], n) => reader(address, 3_000 + n))
  assert.equal((await api.sendForm(SITE, newsletter(back, new Date()))).status, 200)
  await sink.until(there.length + 1 + back.length)
  assert.deepEqual(
    sink.messages
      .slice(-back.length)
      .flatMap(({ recipients }) => recipients)
      .toSorted(),
    back.map(({ address }) => address).toSorted(),
  )

  assert.equal((await api.sendForm(SITE, transactional('member4+signin@in.test'))).status, 200)
  const { raw } = await sink.messageFor('member4+signin@in.test')
  const mail = await PostalMime.parse(raw)
  assert.deepEqual([mail.from?.name, mail.from?.address], ['Acme Blog', 'noreply@acme.test'])
  assert.deepEqual([mail.text?.trim(), mail.html?.trim()], ['Sign in', '<p>Sign in</p>'])
})
