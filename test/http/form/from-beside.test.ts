/** A domain whose mail may have From at other domains of its company: mail for mg.example.test from an address at example.test. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { keysOfDomains, verifyDkim } from '../../../harness/verify-dkim.ts'
import type { SendingDomain } from '../../../src/accounts/account.ts'
import { parseDelivery } from '../../../src/config/parse/delivery.ts'
import { type Service, startService } from '../../support/service.ts'
import { type Sink, startSink } from '../../support/sink.ts'
import { until } from '../../support/until.ts'
import { Api, assertFormError, newestEmail } from '../requests.ts'

describe('From at another domain than that of the path', () => {
  let sink: Sink
  let service: Service
  let companyId: string
  let [mg, parent, other]: SendingDomain[] = []
  let api: Api

  before(async () => {
    sink = await startSink()
    service = await startService({ delivery: parseDelivery(`smtp://127.0.0.1:${sink.port}?tls=off`) })
    companyId = (await service.company()).id
    mg = await service.domain(companyId, 'mg.example.test')
    parent = await service.domain(companyId, 'example.test')
    other = await service.domain(companyId, 'other.test')
    await service.tenant('victim.test')
    api = new Api(service.url, (await service.key(companyId)).token)
  })
  after(async () => {
    await service.close()
    await sink.close()
  })

  const form = (from: string, fields: Record<string, string> = {}, as = api) =>
    as.form('mg.example.test', Object.entries({ from, to: 'b@x.test', subject: 's', text: 't', ...fields }))
  /** In the store alone: a new setting counts at once. */
  const speaksFor = (...others: SendingDomain[]) =>
    service.store.updateDomain(mg!.id, { speaksFor: others.map(({ id }) => id) })

  test('without the setting it is refused, with an error that names the setting', async () => {
    await speaksFor()
    await service.app.refreshAccounts()
    for (const from of ['ann@example.test', 'ann@victim.test', 'ann@nobody.test']) {
      const name = from.split('@')[1]!
      const because = new RegExp(
        `${name} is not mg\\.example\\.test, .*postroad domain update mg\\.example\\.test --from ${name}`,
      )
      assertFormError(await form(from), 400, because)
    }
  })

  test('with it the mail leaves, signed by the domain of its From', async () => {
    await speaksFor(parent!)
    const reply = await form('Ann <ann@example.test>', {
      to: 'signed@x.test',
      'h:Sender': 'Ann <ann@example.test>',
    })
    assert.equal(reply.status, 200, reply.text)
    assert.match(String(reply.body.id), /^<[^<>@\s]+@mg\.example\.test>$/)
    const { raw, sender } = await sink.messageFor('signed@x.test')
    assert.equal(sender, 'ann@example.test')
    const { pass, signatures } = await verifyDkim(raw, keysOfDomains([parent!]))
    assert.ok(pass, JSON.stringify(signatures))
    assert.deepEqual(
      signatures.map(({ domain }) => domain),
      ['example.test'],
    )
    // The email is the path's: its key reads it, and its events are that domain's.
    const origin = await service.store.emailOrigin(await newestEmail(service, companyId))
    assert.equal(origin?.domainId, mg!.id)
  })

  test('a ready message and mail from the domain itself go the same way', async () => {
    await speaksFor(parent!)
    const message = 'From: ann@example.test\r\nSubject: s\r\n\r\nhello\r\n'
    const reply = await api.multipart(
      'mg.example.test',
      [
        { name: 'to', value: 'ready@x.test' },
        { name: 'message', value: message, filename: 'm.mime' },
      ],
      'messages.mime',
    )
    assert.equal(reply.status, 200, reply.text)
    assert.equal((await form('ann@mg.example.test', { to: 'itself@x.test' })).status, 200)
    for (const [to, domain] of [
      ['ready@x.test', parent!],
      ['itself@x.test', mg!],
    ] as const) {
      const { raw } = await sink.messageFor(to)
      assert.ok((await verifyDkim(raw, keysOfDomains([domain]))).pass, to)
    }
  })

  test('only named domains: no other domain of the company, no other company, no other Sender', async () => {
    await speaksFor(parent!)
    await service.app.refreshAccounts()
    assertFormError(await form('ann@other.test'), 400, /--from other\.test/)
    assertFormError(await form('ann@sub.example.test'), 400, /--from sub\.example\.test/)
    const denied = await form('ann@example.test', { 'h:Sender': 'ann@other.test' })
    assertFormError(denied, 400, /Sender names other\.test/)
    await speaksFor(parent!, other!)
    assert.equal((await form('ann@other.test', { 'h:Sender': 'ann@example.test' })).status, 200)
  })

  test('mail from an inactive domain is refused, whichever domain may use it in From', async () => {
    const idle = await service.domain(companyId, 'idle.test', 'inactive')
    await speaksFor(parent!, idle)
    await service.app.refreshAccounts()
    assertFormError(await form('ann@idle.test'), 403, /^Domain idle\.test is not allowed to send: /)
  })

  test('a key for one domain sends from that domain alone', async () => {
    await speaksFor(parent!)
    await service.app.refreshAccounts()
    const restricted = new Api(service.url, (await service.key(companyId, { domainId: mg!.id })).token)
    assertFormError(await form('ann@example.test', {}, restricted), 403, /only from mg\.example\.test/)
    assert.equal((await form('ann@mg.example.test', {}, restricted)).status, 200)
  })

  test('waiting mail is held while the domain of its From is suspended, and is sent afterwards', async () => {
    await speaksFor(parent!)
    await service.app.refreshAccounts()
    const reply = await form('ann@example.test', {
      to: 'held@x.test',
      'o:deliverytime': String(Math.ceil(Date.now() / 1000) + 3_600),
    })
    assert.equal(reply.status, 200, reply.text)
    const id = await newestEmail(service, companyId)
    await service.store.updateDomain(parent!.id, { sending: 'suspended' })
    await service.app.refreshAccounts()
    await service.store.reschedule(id, Date.now(), Date.now())
    const state = async () => (await service.store.readHistory(id))!.recipients[0]!
    await until(async () => /example\.test may not send/.test(String((await state()).lastMessage)), 'hold')
    await service.store.updateDomain(parent!.id, { sending: 'active' })
    await service.app.refreshAccounts()
    const { raw } = await sink.messageFor('held@x.test')
    assert.ok((await verifyDkim(raw, keysOfDomains([parent!]))).pass)
  })
})
