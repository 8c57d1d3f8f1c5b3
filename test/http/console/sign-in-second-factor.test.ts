/** Two-step verification over HTTP: codes and recovery codes work once, even in a race. */
import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import { TOTP } from 'otpauth'
import type { Person } from '../../../src/people/person.ts'
import { type Service, startService } from '../../support/service.ts'
import { assertSaid, Newcomer, newPerson } from './newcomer.ts'

const PASSWORD = 'marmalade on the violin'

describe('the second step of signing in', () => {
  let service: Service

  before(async () => {
    service = await startService({ trustedProxies: ['127.0.0.1'] })
  })
  after(() => service.close())

  let last = 0
  const visitor = () =>
    new Newcomer(service.url, { 'x-forwarded-for': `2001:db8:${(++last).toString(16)}::1` })

  /** With the codes of `app` from now on; time stands still. */
  async function secured(t: TestContext) {
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
    const person = await newPerson(service)
    const visit = await visitor().enter(service, person)
    assertSaid(await visit.ask('PUT', '/account/password', { password: PASSWORD }), 200)
    const setup = await visit.post('/account/totp')
    assertSaid(setup, 200)
    const { ticket, secret, uri } = setup.body as Record<string, string>
    const app = new TOTP({ secret: secret! })
    assert.ok(new URL(uri!).searchParams.get('secret') === secret)
    assertSaid(await visit.ask('PUT', '/account/totp', { ticket, code: '000000' }), 422, 'invalid')
    const on = await visit.ask('PUT', '/account/totp', { ticket, code: app.generate() })
    assertSaid(on, 200)
    return { person, visit, app, codes: on.body.codes as string[] }
  }

  async function ticketOf({ address }: Person, visit = visitor()): Promise<string> {
    const reply = await visit.signIn(address!, PASSWORD)
    assert.equal(reply.status, 202, reply.text)
    assert.deepEqual(Object.keys(reply.body), ['ticket'])
    assert.equal(visit.cookies.has('postroad_session'), false)
    return reply.body.ticket as string
  }

  const second = (ticket: string, code: string, visit = visitor()) =>
    visit.post('/session/second-factor', { ticket, code })

  test('accepts each code of the app once', async (t) => {
    const { person, app } = await secured(t)
    // The one that turned it on is used.
    assertSaid(await second(await ticketOf(person), app.generate()), 401, 'wrong')
    t.mock.timers.tick(30_000)
    const code = app.generate()
    assertSaid(await second(await ticketOf(person), ` ${code.slice(0, 3)} ${code.slice(3)} `), 200)
    assertSaid(await second(await ticketOf(person), code), 401, 'wrong')
    assertSaid(
      await second(await ticketOf(person), app.generate({ timestamp: Date.now() + 120_000 })),
      401,
      'wrong',
    )
    const { credentials } = (await service.store.findPerson({ id: person.id }))!
    assert.ok(!JSON.stringify(credentials).includes(app.secret.base32))
  })

  test('accepts a recovery code from one of several who try it at once', async (t) => {
    const { person, codes } = await secured(t)
    const ticket = await ticketOf(person)
    const tries = await Promise.all(Array.from({ length: 5 }, () => second(ticket, codes[0]!)))
    const statuses = tries.map(({ status }) => status).sort()
    assert.deepEqual(statuses, [200, 401, 401, 401, 401])
    assertSaid(await second(await ticketOf(person), codes[0]!), 401, 'wrong')
    assertSaid(await second(await ticketOf(person), codes[1]!.toUpperCase().replaceAll('-', '')), 200)
    assert.equal((await service.store.findPerson({ id: person.id }))!.credentials.recoveryCodes.length, 8)
    assert.equal((await service.store.sessions(person.id, Date.now())).length, 3)
  })

  test('a code that is sent twice at once signs in once', async (t) => {
    const { person, app } = await secured(t)
    t.mock.timers.tick(30_000)
    const [one, two] = [await ticketOf(person), await ticketOf(person)]
    const replies = await Promise.all([second(one, app.generate()), second(two, app.generate())])
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 401])
  })

  test('a ticket ends after minutes, with use, and with any change of the account', async (t) => {
    const { person, visit, codes } = await secured(t)
    const late = await ticketOf(person)
    t.mock.timers.tick(5 * 60_000)
    assertSaid(await second(late, codes[0]!), 401, 'ended')
    const used = await ticketOf(person)
    assertSaid(await second(used, codes[0]!), 200)
    assertSaid(await second(used, codes[1]!), 401, 'ended')
    const before = await ticketOf(person)
    assertSaid(await visit.ask('PUT', '/account/password', { password: 'violins in the marmalade' }), 200)
    assertSaid(await second(before, codes[1]!), 401, 'ended')
    for (const made of ['', 'x', before.slice(0, -1), `${before}A`]) {
      assertSaid(await second(made, codes[1]!), 401, 'ended')
    }
  })

  test('recovery codes are renewed, and removed with two-step verification', async (t) => {
    const { person, visit, codes } = await secured(t)
    const renewed = (await visit.post('/account/recovery-codes')).body.codes as string[]
    assert.equal(renewed.length, 10)
    assertSaid(await second(await ticketOf(person), codes[0]!), 401, 'wrong')
    assertSaid(await second(await ticketOf(person), renewed[0]!), 200)
    assertSaid(await visit.ask('DELETE', '/account/totp'), 200)
    assertSaid(await visitor().signIn(person.address!, PASSWORD), 200)
    assertSaid(await visit.ask('DELETE', '/account/totp'), 409, 'nothing_to_do')
    assertSaid(await visit.post('/account/recovery-codes'), 409, 'nothing_to_do')
    assert.deepEqual((await service.store.findPerson({ id: person.id }))!.credentials.recoveryCodes, [])
  })

  test('a secret made for another person cannot be taken over', async (t) => {
    const { visit } = await secured(t)
    const setup = (await visit.post('/account/totp')).body as Record<string, string>
    const other = await visitor().enter(service, await newPerson(service))
    const code = new TOTP({ secret: setup.secret! }).generate()
    assertSaid(await other.ask('PUT', '/account/totp', { ticket: setup.ticket, code }), 409, 'conflict')
  })

  test('a passkey begun by another person cannot be added', async () => {
    const begun = async () => {
      const visit = await visitor().enter(service, await newPerson(service))
      assertSaid(await visit.post('/account/passkeys/options'), 200)
      return visit
    }
    const [visit, other] = [await begun(), await begun()]
    const response = { id: 'x', rawId: 'x', response: {}, type: 'public-key' }
    const add = () => visit.post('/account/passkeys', { name: 'x', response })
    assertSaid(await add(), 422, 'invalid')
    const step = [...other.cookies.values()].find(({ name }) => name.includes('passkey'))!
    visit.cookies.set(step.name, step)
    assertSaid(await add(), 409, 'conflict')
  })

  test('codes cannot be guessed: after some wrong ones, all are refused for a while', async (t) => {
    const { person, codes } = await secured(t)
    const ticket = await ticketOf(person)
    const replies = []
    for (let index = 0; index < 12; index++) replies.push(await second(ticket, '123456'))
    assert.deepEqual(
      replies.map(({ status }) => status),
      [...Array(8).fill(401), ...Array(4).fill(429)],
    )
    assertSaid(await second(ticket, codes[0]!), 429, 'too_many_attempts')
  })
})
