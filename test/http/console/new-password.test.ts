/** A forgotten password: a link by mail, which only its recipient gets, and which sets a new one, once. */
import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import { TOTP } from 'otpauth'
import { startDns } from '../../../harness/dns.ts'
import { parseDelivery } from '../../../src/config/parse/delivery.ts'
import { makeLink } from '../../../src/operate/sessions.ts'
import { Passwords } from '../../../src/people/password.ts'
import { NO_CREDENTIALS, type Passkey, type Person } from '../../../src/people/person.ts'
import type { PersonChange } from '../../../src/store/store.ts'
import { type Service, startService } from '../../support/service.ts'
import { type Sink, startSink } from '../../support/sink.ts'
import { until } from '../../support/until.ts'
import { assertSaid, Newcomer, newPerson } from './newcomer.ts'
import { Tenant } from './tenant.ts'
import { Visitor } from './visitor.ts'

const OLD = 'marmalade on the violin'
const NEW = 'a quiet lamp under water'
const LINK = /https:\/\/post\.example\/console\/new-password#token=([\w-]+)/

describe('a forgotten password', () => {
  let sink: Sink
  let service: Service
  /** The company of the domain that the service's mail is from. */
  let owner: Tenant
  before(async () => {
    sink = await startSink()
    service = await startService({
      delivery: relayTo(sink),
      systemFrom: 'postroad@ops.example',
      publicUrl: 'https://post.example',
      trustedProxies: ['127.0.0.1'],
    })
    owner = await Tenant.make(service, 'Operators')
    await service.domain(owner.company.id, 'ops.example')
  })
  after(async () => {
    await service?.close()
    await sink?.close()
  })

  let last = 0
  const visitor = (from = `2001:db8:${(++last).toString(16)}::1`) =>
    new Newcomer(service.url, { 'x-forwarded-for': from, 'x-forwarded-proto': 'https' })

  async function withPassword(): Promise<Person & { address: string }> {
    const person = await newPerson(service)
    const visit = await visitor().enter(service, person)
    assertSaid(await visit.ask('PUT', '/account/password', { password: OLD }), 200)
    return { ...person, address: person.address! }
  }

  const mailTo = (address: string) =>
    sink.messages
      .filter(({ recipients }) => recipients.includes(address))
      .map(({ raw }) => decoded(raw.toString()))
  /** The token in the newest of so many mails. */
  async function mailed(address: string, count = 1): Promise<string> {
    await until(() => mailTo(address).length === count, 'the mail')
    return LINK.exec(mailTo(address).at(-1)!)![1]!
  }
  const ask = (address: string, visit = visitor()) => visit.post('/session/forgotten', { address })

  test('a link arrives, signs in with a new password, and works once; all sessions and links end', async () => {
    const { id, address } = await withPassword()
    const old = visitor()
    assertSaid(await old.signIn(address, OLD), 200)
    const operatorsLink = await makeLink(service.store, id, Date.now())
    assert.equal((await visitor().get('/session/ways')).body.forgotten, true)
    assertSaid(await ask(` ${address.toUpperCase()} `), 200)
    const token = await mailed(address)
    const visit = visitor()
    const read = await visit.post('/session/new-password/read', { token })
    assert.deepEqual(read.body, { address, secondFactor: false })
    assertSaid(await visit.post('/session/new-password', { token, password: 'short' }), 422, 'invalid')
    const set = await visit.post('/session/new-password', { token, password: NEW })
    assertSaid(set, 200)
    assert.equal((set.body.person as { id: string }).id, id)
    assertSaid(await visit.get('/session'), 200)
    assertSaid(await old.get('/session'), 401)
    assertSaid(await visitor().post('/session/link', { token: operatorsLink }), 404)
    assertSaid(await visitor().signIn(address, OLD), 401, 'wrong')
    assertSaid(await visitor().signIn(address, NEW), 200)
    assertSaid(await visitor().post('/session/new-password', { token, password: OLD }), 404)
    assertSaid(await visitor().post('/session/new-password/read', { token }), 404)
    const { entries } = await auditOf(id)
    assert.deepEqual(
      entries.filter((action) => action !== 'signIn'),
      ['endSessions', 'resetPassword', 'changePassword'],
    )
    assert.ok(!JSON.stringify(service.logged).includes(token))
  })

  async function auditOf(personId: string) {
    const all = await service.store.audit({ companyId: null, limit: 200 })
    return { entries: all.filter(({ actor }) => actor.id === personId).map(({ action }) => action) }
  }

  test('with and without an account the answer is the same, and is sent before the account is looked up', async (t) => {
    const { address } = await withPassword()
    const without = (await newPerson(service)).address!
    const replies = []
    for (const each of [address, without, 'nobody@people.test', 'no address', ''])
      replies.push(await ask(each))
    for (const reply of replies) {
      assertSaid(reply, 200)
      assert.equal(reply.text, '{}')
      assert.deepEqual([...reply.headers.keys()], [...replies[0]!.headers.keys()])
    }
    await mailed(address)
    await mailed(without)
    // Nothing of the account can have an effect on the time of an answer that does not wait for it.
    const { store } = service
    const find = store.findPerson
    const held = Promise.withResolvers<void>()
    t.after(() => Object.assign(store, { findPerson: find }))
    store.findPerson = async (by) => {
      await held.promise
      return await find.call(store, by)
    }
    assertSaid(await ask(address), 200)
    held.resolve()
    await mailed(address, 2)
  })

  test('a mailbox gets three links at once, and a client may request ten; further requests have to wait', async () => {
    const { address } = await withPassword()
    for (let count = 0; count < 3; count++) assertSaid(await ask(address), 200)
    const refused = await ask(address.toUpperCase())
    assertSaid(refused, 429, 'too_many_attempts')
    assert.match(refused.text, /try again in \d+ minutes/)
    assert.ok(Number(refused.headers.get('retry-after')) > 600)
    const unknown = 'flooded@people.test'
    for (let count = 0; count < 3; count++) assertSaid(await ask(unknown), 200)
    assertSaid(await ask(unknown), 429, 'too_many_attempts')
    const one = visitor('2001:db8:ffff::1')
    for (let count = 0; count < 10; count++) assertSaid(await ask(`${count}@people.test`, one), 200)
    assertSaid(await ask('more@people.test', one), 429, 'too_many_attempts')
    await mailed(address, 3)
    // The account itself is as open as before.
    assertSaid(await visitor().signIn(address, OLD), 200)
  })

  test('only a few requests of a flood from many networks are counted, and others have room', async (t) => {
    const other = await startService({
      delivery: relayTo(sink),
      systemFrom: 'postroad@ops.example',
      publicUrl: 'https://post.example',
      trustedProxies: ['127.0.0.1'],
    })
    t.after(() => other.close())
    const counted = t.mock.method(other.store, 'beginAttempt')
    let asked = 0
    const from = async (address: string) =>
      await new Newcomer(other.url, { 'x-forwarded-for': address, 'x-forwarded-proto': 'https' }).post(
        '/session/forgotten',
        { address: `${++asked}@people.test` },
      )
    const flood = async (count: number, address: (index: string) => string) => {
      const all = await Promise.all(
        Array.from({ length: count }, (_, index) => from(address(index.toString(16)))),
      )
      for (const reply of all) if (reply.status !== 200) assertSaid(reply, 429, 'busy')
      return all.filter(({ status }) => status === 200).length
    }
    const one = await flood(60, (index) => `2001:db8:1:${index}::1`)
    assert.ok(one >= 10 && one <= 25, String(one))
    // The places that are left are not for that network.
    assertSaid(await from('2001:db8:1:ffff::1'), 429, 'busy')
    assertSaid(await from('198.51.100.1'), 200)
    const many = await flood(100, (index) => `2001:db8:${index}00::1`)
    assert.ok(many >= 10 && one + 1 + many <= 45, String(many))
    assert.equal(counted.mock.callCount(), one + 1 + many)
  })

  test('the link does not use the host of the request', async () => {
    const { address } = await withPassword()
    await visitor().ask('POST', '/session/forgotten', { address }, { 'x-forwarded-host': 'evil.example' })
    await mailed(address)
    assert.ok(!mailTo(address)[0]!.includes('evil'))
  })

  test('the link is hidden from readers of the service’s stored mail', async () => {
    const { address } = await withPassword()
    assertSaid(await ask(address), 200)
    const token = await mailed(address)
    const reader = await owner.visitor('owner')
    const operator = await Visitor.signIn(service, 'operator')
    const [email] = await service.store.listEmails({ companyId: owner.company.id, limit: 1 })
    assert.deepEqual(email!.to, [address])
    const at = `/companies/${owner.company.id}/emails/${email!.id}`
    const key = await service.key(owner.company.id, { scopes: ['sending', 'reading', 'management'] })
    const api = await fetch(`${service.url}/emails/${email!.id}`, {
      headers: { authorization: `Bearer ${key.token}` },
    })
    const seen = [await api.text()]
    assert.ok(seen[0]!.includes('new-password'))
    for (const who of [reader, operator]) {
      for (const part of ['', '/content', '/source', '/raw', '/preview'])
        seen.push((await who.ask('GET', `${at}${part}`)).text)
    }
    assert.ok(
      seen.some((text) => text.includes('Choose it here')),
      'the source is shown',
    )
    for (const text of seen) assert.ok(!decoded(text).includes(token))
    assert.ok(!JSON.stringify(await service.store.readWork(email!.id)).includes(token))
    // A key that reads the stored text and sends it again gets no token either.
    const work = (await service.store.readWork(email!.id))!
    const forged = new FormData()
    forged.set('from', 'postroad@ops.example')
    forged.set('to', 'thief@people.test')
    forged.set('subject', 'x')
    forged.set('text', 'token=%recipient.postroad:password_token%')
    forged.set('recipient-variables', JSON.stringify({ 'thief@people.test': work.recipients[0]!.variables }))
    const sent = await fetch(`${service.url}/v3/ops.example/messages`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`api:${key.token}`).toString('base64')}` },
      body: forged,
    })
    assert.equal(sent.status, 200, await sent.text())
    await until(() => mailTo('thief@people.test').length === 1, 'the mail')
    assert.match(mailTo('thief@people.test')[0]!, /token=%recipient\.postroad:password_token%/)
  })

  const PASSKEY = { id: 'AAAA', publicKey: '', counter: 0, transports: [], name: 'Key' }
  const passkey: Passkey = { ...PASSKEY, createdAt: 1, usedAt: null }
  const change = async ({ id }: Person, how: PersonChange) => {
    const { version } = (await service.store.findPerson({ id }))!
    assert.ok(await service.store.updatePerson(id, version, how))
  }
  /** The one mail to the person, which has no link for a new password. */
  async function notice({ address }: Person): Promise<string> {
    assertSaid(await ask(address!), 200)
    await until(() => mailTo(address!).length === 1, 'the mail')
    const [text] = mailTo(address!)
    assert.doesNotMatch(text!, /token|new-password/)
    return text!
  }

  test('an account with only passkeys or a provider gets no link, but a mail that says how to sign in', async () => {
    const byPasskey = await newPerson(service, { credentials: { ...NO_CREDENTIALS, passkeys: [passkey] } })
    assert.match(
      await notice(byPasskey),
      /has no password\. Sign in with your passkey: https:\/\/post\.example\//,
    )
    const identity = { issuer: 'https://login.corp.example/realm', subject: '1' }
    const elsewhere = await newPerson(service, {
      credentials: { ...NO_CREDENTIALS, identities: [identity], passkeys: [passkey] },
    })
    assert.match(
      await notice(elsewhere),
      /Sign in with your passkey or your account at login\.corp\.example:.*ask an operator/s,
    )
  })

  test('an operator gets a link only with two-step verification, and otherwise the command for the machine', async () => {
    const operator = await withPassword()
    await change(operator, { operator: true })
    const text = await notice(operator)
    assert.match(text, new RegExp(`\\bpostroad user link ${operator.id}\\b`))
    const secured = await withPassword()
    const totp = { sealed: '', lastStep: 0 }
    const { credentials } = (await service.store.findPerson(secured))!
    await change(secured, { operator: true, credentials: { ...credentials, totp } })
    assertSaid(await ask(secured.address), 200)
    const read = await visitor().post('/session/new-password/read', { token: await mailed(secured.address) })
    assertSaid(read, 200)
  })

  test('a link expires when its account may not have one any more', async () => {
    const person = await withPassword()
    assertSaid(await ask(person.address), 200)
    const token = await mailed(person.address)
    await change(person, { operator: true })
    assertSaid(await visitor().post('/session/new-password/read', { token }), 404)
    assertSaid(await visitor().post('/session/new-password', { token, password: NEW }), 404)
  })

  test('a link leaves only over TLS with direct delivery, and a notice with or without TLS', async (t) => {
    const dns = await startDns({ 'people.test/MX': { rcode: 'SERVFAIL' } })
    t.after(() => dns.close())
    const other = await startService({
      delivery: { kind: 'direct' },
      dnsServers: [dns.address],
      systemFrom: 'postroad@ops.example',
      publicUrl: 'https://post.example',
    })
    t.after(() => other.close())
    const { company } = await other.tenant('ops.example')
    const mailOf = async (person: Person) => {
      const visit = new Newcomer(other.url)
      assertSaid(await visit.post('/session/forgotten', { address: person.address }), 200)
      const email = await until(async () => {
        const [newest] = await other.store.listEmails({ companyId: company.id, limit: 1 })
        return newest?.to[0] === person.address && newest
      }, 'the mail')
      return (await other.store.readWork(email.id))!.tls
    }
    assert.equal(await mailOf(await newPerson(other)), 'required')
    assert.equal(await mailOf(await newPerson(other, { operator: true })), null)
  })

  test('many simultaneous uses of one link cost one hash', async (t) => {
    const { address } = await withPassword()
    assertSaid(await ask(address), 200)
    const token = await mailed(address)
    const hash = t.mock.method(Passwords.prototype, 'hash')
    const uses = await Promise.all(
      Array.from({ length: 12 }, () => visitor().post('/session/new-password', { token, password: NEW })),
    )
    const statuses = uses.map(({ status }) => status)
    assert.equal(statuses.filter((status) => status === 200).length, 1)
    for (const { status, text } of uses) assert.ok([200, 404, 429].includes(status), text)
    assert.equal(hash.mock.callCount(), 1)
    assertSaid(await visitor().signIn(address, NEW), 200)
  })

  test('a link expires after an hour, with another password, and with another address', async (t) => {
    const { id, address } = await withPassword()
    assertSaid(await ask(address), 200)
    const token = await mailed(address)
    const read = (given = token) => visitor().post('/session/new-password/read', { token: given })
    assertSaid(await read(), 200)
    assertSaid(await read(`${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`), 404)
    assertSaid(await read('x'), 404)
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 3_600_001 })
    assertSaid(await read(), 404, 'not_found')
    t.mock.timers.reset()
    const moved = await service.store.findPerson({ id })
    assert.ok(await service.store.updatePerson(id, moved!.version, { address: `moved-${address}` }))
    assertSaid(await read(), 404)
  })

  test('two-step verification is required, and each code works once', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
    const { id, address } = await withPassword()
    const visit = visitor()
    assertSaid(await visit.signIn(address, OLD), 200)
    const { ticket, secret } = (await visit.post('/account/totp')).body as Record<string, string>
    const app = new TOTP({ secret: secret! })
    const on = await visit.ask('PUT', '/account/totp', { ticket, code: app.generate() })
    const [recovery] = on.body.codes as [string]
    assertSaid(await ask(address), 200)
    const token = await mailed(address)
    assert.deepEqual((await visitor().post('/session/new-password/read', { token })).body, {
      address,
      secondFactor: true,
    })
    const set = (code?: string) => visitor().post('/session/new-password', { token, password: NEW, code })
    // That one has turned it on.
    for (const wrong of [undefined, '', '000000', app.generate()]) assertSaid(await set(wrong), 401, 'wrong')
    assertSaid(await visit.get('/session'), 200)
    const both = await Promise.all([set(recovery), set(recovery)])
    assert.deepEqual(both.map(({ status }) => status).toSorted(), [200, 404])
    const { credentials } = (await service.store.findPerson({ id }))!
    assert.equal(credentials.recoveryCodes.length, (on.body.codes as string[]).length - 1)
    assert.notEqual(credentials.totp, null)
  })

  test('without a sender, or without a public URL, nothing is mailed, and the page knows', async (t: TestContext) => {
    for (const change of [{ systemFrom: 'postroad@ops.example' }, { publicUrl: 'https://post.example' }]) {
      const other = await startService({ delivery: relayTo(sink), ...change })
      t.after(() => other.close())
      const visit = new Newcomer(other.url)
      assert.equal((await visit.get('/session/ways')).body.forgotten, false)
      assertSaid(await visit.post('/session/forgotten', { address: 'a@b.example' }), 409, 'conflict')
    }
  })
})

const relayTo = ({ port }: Sink) => parseDelivery(`smtp://127.0.0.1:${port}?tls=off`)

/** Quoted-printable, as far as these mails need it. */
function decoded(text: string): string {
  return text.replace(/=\r?\n/g, '').replaceAll('=3D', '=')
}
