/** The audit list through the API of the console: filters, export, and sign-ins and sign-outs. */
import assert from 'node:assert/strict'
import { randomUUIDv7 } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { TOTP } from 'otpauth'
import type { Company } from '../../../src/accounts/account.ts'
import type { Role } from '../../../src/people/person.ts'
import { type Service, startService } from '../../support/service.ts'
import { assertSaid, Newcomer, newPerson } from './newcomer.ts'
import { Visitor } from './visitor.ts'

const PASSWORD = 'marmalade on the violin'

interface Entry {
  number: number
  at: string
  actor: { kind: string; name: string }
  company: { id: string } | null
  topic: string
  action: string
  target: string
  detail: Record<string, unknown>
  done: boolean
}

describe('the audit list of the console', () => {
  let service: Service
  let company: Company
  let owner: Visitor
  let operator: Visitor
  before(async () => {
    service = await startService()
    company = await service.company(`Audit ${randomUUIDv7()}`)
    owner = await member('owner')
    operator = await Visitor.signIn(service, 'operator')
  })
  after(() => service.close())

  const member = (role: Role) => Visitor.signIn(service, [{ companyId: company.id, role }])
  const path = (query = '', of = company.id) => `/companies/${of}/audit${query}`

  async function listed(query = '', by = owner, of = company.id): Promise<Entry[]> {
    const reply = await by.ask('GET', path(query, of))
    assertSaid(reply, 200)
    return reply.body.entries as Entry[]
  }

  test('shows how a person signed in and which sessions the person ended, in each of the person’s companies and without facts of another one', async () => {
    const other = await service.company(`Other ${randomUUIDv7()}`)
    const ids = [company.id, other.id].sort()
    const person = await newPerson(service, {
      memberships: ids.map((companyId) => ({ companyId, role: 'viewer' })),
    })
    const name = person.address!
    const first = await new Newcomer(service.url, { 'user-agent': 'One' }).enter(service, person)
    assertSaid(await first.ask('PUT', '/account/password', { password: PASSWORD }), 200)
    const second = new Newcomer(service.url, { 'user-agent': 'Two' })
    assertSaid(await second.signIn(name, 'wrong'), 401, 'wrong')
    assertSaid(await second.signIn(name, PASSWORD), 200)
    const setup = await second.post('/account/totp')
    const { secret, ticket } = setup.body as { secret: string; ticket: string }
    const app = new TOTP({ secret })
    const on = await second.ask('PUT', '/account/totp', { ticket, code: app.generate() })
    const [code] = on.body.codes as string[]
    const third = new Newcomer(service.url)
    const begun = await third.signIn(name, PASSWORD)
    assertSaid(begun, 202)
    assertSaid(await third.post('/session/second-factor', { ticket: begun.body.ticket, code }), 200)
    const { sessions } = (await third.get('/account/sessions')).body as {
      sessions: { id: string; current: boolean }[]
    }
    assert.equal(sessions.length, 3)
    const { id } = sessions.find(({ current }) => !current)!
    assertSaid(await third.ask('DELETE', `/account/sessions/${id}`), 200)
    assertSaid(await third.ask('DELETE', `/account/sessions/${id}`), 404)
    assertSaid(await third.ask('DELETE', '/account/sessions'), 200)
    assertSaid(await third.ask('DELETE', '/account/sessions'), 200)
    assertSaid(await third.ask('DELETE', '/session'), 200)
    for (const of of ids) {
      const entries = await listed(`?by=${encodeURIComponent(name)}&topic=session`, operator, of)
      assert.deepEqual(
        entries.map(({ action, detail: { browser: _, ...detail } }) => [action, detail]),
        [
          ['signOut', {}],
          ['endSessions', { count: 1, addresses: ['127.0.0.1'] }],
          ['endSession', {}],
          ['signIn', { way: 'password', secondFactor: 'recovery code' }],
          ['turnOnTwoStepVerification', {}],
          ['signIn', { way: 'password' }],
          ['signIn', { way: 'link' }],
        ],
      )
      for (const entry of entries) {
        const target = entry.action === 'turnOnTwoStepVerification' ? name : '127.0.0.1'
        assert.deepEqual([entry.company?.id, entry.target, entry.done], [of, target, true])
        assert.equal(entry.actor.name, name)
        assert.ok(!JSON.stringify(entry).includes(ids.find((each) => each !== of)!))
      }
      assert.equal(entries.at(-1)!.detail.browser, 'One')
    }
    // Of operators it is the installation's.
    const boss = await newPerson(service, { operator: true })
    await new Newcomer(service.url).enter(service, boss)
    const [entry] = await listed(`?by=${boss.address}`, operator, 'all')
    assert.deepEqual([entry?.action, entry?.company], ['signIn', null])
  })

  test('shows owners how people protect their accounts, but not in a company with an unconfirmed membership', async () => {
    const doubtful = await service.company(`Doubtful ${randomUUIDv7()}`)
    const person = await newPerson(service, {
      memberships: [
        { companyId: company.id, role: 'viewer' },
        { companyId: doubtful.id, role: 'viewer' },
      ],
    })
    await service.store.updatePerson(person.id, person.version, { doubtMemberships: true })
    await service.store.confirmMembership(person.id, company.id)
    const by = `?by=${encodeURIComponent(person.address!)}&topic=session`
    const visit = await new Newcomer(service.url).enter(service, person)
    const { secret, ticket } = (await visit.post('/account/totp')).body as Record<string, string>
    const code = new TOTP({ secret: secret! }).generate()
    assertSaid(await visit.ask('PUT', '/account/totp', { ticket, code: '000000' }), 422)
    assertSaid(await visit.ask('PUT', '/account/totp', { ticket, code }), 200)
    assertSaid(await visit.post('/account/recovery-codes'), 200)
    assertSaid(await visit.ask('DELETE', '/account/totp'), 200)
    assertSaid(await visit.ask('DELETE', '/account/totp'), 409)
    assert.deepEqual(
      (await listed(by)).map(({ action }) => action),
      ['turnOffTwoStepVerification', 'renewRecoveryCodes', 'turnOnTwoStepVerification', 'signIn'],
    )
    assert.deepEqual(await listed(by, operator, doubtful.id), [])
    // The person's own entries are those of the installation, as before.
    const own = await listed(`?by=${encodeURIComponent(person.address!)}&topic=change`, operator, 'all')
    assert.equal(own.filter(({ company: of }) => of === null).length, 3)
  })

  test('shows only owners of a company from where people sign in', async () => {
    const developer = await member('developer')
    const person = await newPerson(service, { memberships: [{ companyId: company.id, role: 'viewer' }] })
    await new Newcomer(service.url).enter(service, person)
    assert.equal((await listed(`?by=${person.address}`)).length, 1)
    assert.deepEqual(await listed(`?by=${person.address}`, developer), [])
    assertSaid(await developer.ask('GET', path('?topic=session')), 403)
    assertSaid(await developer.ask('GET', path('/export?topic=session')), 403)
    assertSaid(await (await member('viewer')).ask('GET', path('/export')), 403)
  })

  test('is filtered by actor, action and time, and exported as a file whose cells spreadsheets do not run', async () => {
    const began = new Date().toISOString()
    for (const name of ['=HYPERLINK("https://evil.test")', 'shop']) {
      const made = await owner.ask('POST', `/companies/${company.id}/keys`, { name, scopes: ['sending'] })
      assertSaid(made, 201)
    }
    const ended = new Date(Date.now() + 1).toISOString()
    const query = (given: Record<string, string>) => `?${new URLSearchParams(given)}`
    const own = { by: owner.person.address!, action: 'createKey' }
    const targets = async (given: Record<string, string>) =>
      (await listed(query(given))).map(({ target }) => target)
    assert.deepEqual(await targets({ ...own, from: began, to: ended }), [
      'shop',
      '=HYPERLINK("https://evil.test")',
    ])
    assert.deepEqual(await targets({ ...own, to: began }), [])
    assert.deepEqual(await targets({ ...own, from: ended }), [])
    assert.deepEqual(await targets({ ...own, by: 'nobody' }), [])
    assertSaid(await owner.ask('GET', path('?from=soon')), 422, 'invalid')
    assertSaid(await owner.ask('GET', path('?topic=weather')), 422, 'invalid')
    const file = await owner.ask('GET', path(`/export${query({ ...own, from: began })}`))
    assertSaid(file, 200)
    assert.match(file.headers.get('content-type')!, /^text\/csv/)
    assert.match(file.headers.get('content-disposition')!, /audit\.csv/)
    const rows = parse(file.text, { columns: true }) as Record<string, string>[]
    assert.deepEqual(
      rows.map(({ actor, action, target, company: of }) => [actor, action, target, of]),
      [
        [owner.person.address, 'createKey', 'shop', company.name],
        [owner.person.address, 'createKey', `'=HYPERLINK("https://evil.test")`, company.name],
      ],
    )
  })

  test('has one entry for a file of suppressions, however many pieces it arrives in', async () => {
    const send = (text: string, more: object = {}, by = owner, list = 'manual') =>
      by.ask('POST', `/companies/${company.id}/suppressions/import`, { list, text, ...more })
    const addresses = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, n) => `p${from + n}@list.test\n`).join('')
    const first = await send(`address\n${addresses(0, 3)}`, { file: 'list.csv' })
    const begun = { head: 'address', lines: 4 }
    const ticket = first.body.ticket as string
    const second = await send(`${addresses(2, 5)}nothing\n`, { begun, ticket })
    // Whose answer was lost is sent again.
    const again = await send(`${addresses(2, 5)}nothing\n`, { begun, ticket })
    assertSaid(again, 200)
    const entries = () => listed(`?action=importSuppressions&by=${owner.person.address}`)
    const [entry, ...others] = await entries()
    assert.deepEqual(others, [])
    assert.equal(entry!.done, true)
    assert.equal(entry!.detail.file, 'list.csv')
    const third = await send(addresses(5, 7), {
      begun: { head: 'address', lines: 8 },
      ticket: second.body.ticket,
    })
    assertSaid(third, 200)
    const [whole] = await entries()
    assert.equal(whole!.number, entry!.number)
    assert.deepEqual(whole!.detail, { file: 'list.csv', added: 7, present: 1, bad: 1 })
    // No other person can continue with it, nor can another list.
    const developer = await member('developer')
    assertSaid(await send('a@list.test', { begun, ticket: third.body.ticket }, developer), 200)
    assertSaid(await send('b@list.test', { begun, ticket: third.body.ticket }, owner, 'allowed'), 200)
    assertSaid(await send('c@list.test', { begun, ticket: 'made up' }), 200)
    assert.deepEqual((await entries()).at(-1), whole)
    assertSaid(await send('d@list.test', { begun, ticket: third.body.ticket }, owner, 'bounce'), 200)
    assert.deepEqual((await entries()).at(-1), whole)
  })

  test('has no entry that continues in another company of the same person', async () => {
    const other = await service.company(`Other ${randomUUIDv7()}`)
    const ids = [company.id, other.id]
    const both = await Visitor.signIn(
      service,
      ids.map((companyId) => ({ companyId, role: 'owner' })),
    )
    const send = (of: string, ticket?: string) =>
      both.ask('POST', `/companies/${of}/suppressions/import`, {
        ...{ list: 'manual', text: `${randomUUIDv7()}@list.test\n` },
        ...(ticket !== undefined && { ticket, begun: { head: 'address', lines: 2 } }),
      })
    const first = await send(company.id)
    assertSaid(first, 200)
    assertSaid(await send(other.id, first.body.ticket as string), 200)
    for (const id of ids) {
      const entries = await listed(`?action=importSuppressions&by=${both.person.address}`, both, id)
      assert.deepEqual(
        entries.map(({ detail }) => detail.added),
        [1],
      )
    }
  })

  test('keeps no more of an input than a page can show', async () => {
    const networks = Array.from({ length: 80 }, (_, n) => `192.0.2.${n}`)
    const made = await owner.ask('POST', `/companies/${company.id}/keys`, {
      name: 'many',
      scopes: ['reading'],
      networks,
    })
    assertSaid(made, 201)
    assert.equal((made.body.key as { networks: string[] }).networks.length, 80)
    const url = `https://hook.example/${'p'.repeat(1_900)}`
    assertSaid(
      await owner.ask('POST', `/companies/${company.id}/webhooks`, { url, dialect: 'json', events: [] }),
      201,
    )
    const entries = await listed()
    const key = entries.find(({ action }) => action === 'createKey')!
    assert.deepEqual(
      key.detail.networks,
      networks.slice(0, 50).map((address) => `${address}/32`),
    )
    for (const entry of entries) {
      assert.ok(entry.target.length <= 300, entry.action)
      assert.ok(JSON.stringify(entry).length < 4_000, entry.action)
    }
  })
})
