/** Two companies side by side: every route of the console is tried by every role, with every object of the other company. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { CONSOLE_ROUTES } from '../../../src/http/console/contract/routes.ts'
import type { Endpoint } from '../../../src/http/endpoint.ts'
import { type Service, startService } from '../../support/service.ts'
import { Tenant } from './tenant.ts'
import { ROLES, ROWS, type Row } from './tenants-rows.ts'
import { Visitor } from './visitor.ts'

const NOWHERE = '019a9b2c-0000-7000-8000-ffffffffffff'

interface Answer {
  status: number
  text: string
}

const nameOf = ({ method, url }: Pick<Endpoint, 'method' | 'url'>) =>
  `${method} ${url.replace('/console/api', '')}`
type Route = Pick<Endpoint, 'method' | 'url' | 'access'>
const ENDPOINTS: readonly Route[] = Object.entries(CONSOLE_ROUTES).map(([name, { access }]) => {
  const [method, path] = name.split(' ') as [Route['method'], string]
  return { method, url: `/console/api${path}`, access }
})

describe('two companies side by side', () => {
  let service: Service
  let acme: Tenant
  let beta: Tenant
  before(async () => {
    service = await startService()
    acme = await Tenant.make(service, 'Tenacme')
    beta = await Tenant.make(service, 'Tenbeta')
  })
  after(() => service.close())

  test('every route has a row, and every row has a route', () => {
    assert.deepEqual(Object.keys(ROWS).sort(), ENDPOINTS.map(nameOf).sort())
  })

  function visitor(role: (typeof ROLES)[number], of: Tenant): Promise<Visitor> {
    return role === 'operator' ? Visitor.signIn(service, 'operator') : of.visitor(role)
  }

  const ownerOfBoth = () =>
    Visitor.signIn(
      service,
      [acme, beta].map(({ company }) => ({ companyId: company.id, role: 'owner' })),
    )

  const filled = (url: string, given: Record<string, string>) =>
    url.replace(/:(\w+)/g, (_, name: string) =>
      encodeURIComponent(
        given[name] ?? assert.fail(`${url}: what stands for ${name}? Write it in ids of its row`),
      ),
    )

  /** What a path names of `of`, as `self` calls it. */
  async function partsOf(row: Row, of: Tenant, self: Visitor): Promise<Record<string, string>> {
    return { company: of.company.id, ...row.words, ...(await row.ids?.(of, self)) }
  }

  async function call(
    { method, url }: Route,
    row: Row,
    of: Tenant,
    parts: Record<string, string>,
    cookie: string | null,
  ): Promise<Answer> {
    const body = typeof row.body === 'function' ? row.body(of) : row.body
    const query = typeof row.query === 'function' ? row.query(parts) : (row.query ?? '')
    const response = await fetch(`${service.url}${filled(url, parts)}${query}`, {
      method,
      headers: {
        'x-postroad-console': '1',
        ...(cookie !== null && { cookie }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (row.isEndless && response.ok) {
      await response.body?.cancel()
      return { status: response.status, text: '' }
    }
    return { status: response.status, text: await response.text() }
  }

  for (const declared of ENDPOINTS) {
    const row = ROWS[nameOf(declared)]
    if (row === undefined) continue
    const { access } = declared
    const ask = (of: Tenant, parts: Record<string, string>, cookie: string | null) =>
      call(declared, row, of, parts, cookie)

    describe(nameOf(declared), () => {
      for (const role of access === 'stranger' ? [] : ROLES) {
        test(`${row.may[role] ? 'is for' : 'is not for'} ${role}s`, async () => {
          const self = await visitor(role, acme)
          const { status, text } = await ask(acme, await partsOf(row, acme, self), self.cookie)
          if (!row.may[role]) assert.equal(status, 403, text)
          else if (row.status !== undefined) assert.equal(status, row.status, text)
          else assert.ok(status >= 200 && status < 300, `${status} ${text}`)
        })
      }

      test('is refused without a session, and with one that has ended', async () => {
        const self = await visitor('owner', acme)
        const parts = await partsOf(row, acme, self)
        if (access === 'stranger') {
          assert.equal((await ask(acme, parts, null)).status, row.status)
          return
        }
        for (const cookie of [null, await self.endedSession(), `postroad_session=${'x'.repeat(43)}`]) {
          const { status, text } = await ask(acme, parts, cookie)
          assert.equal(status, 401, text)
          assert.match(text, /"code":"signed_out"/)
        }
      })

      if (access === 'company') {
        test('of another company is not found, just like an unknown one', async () => {
          const stranger = await beta.visitor('owner')
          const parts = await partsOf(row, acme, stranger)
          const foreign = await ask(acme, parts, stranger.cookie)
          const missing = await ask(acme, { ...parts, company: NOWHERE }, stranger.cookie)
          assert.equal(foreign.status, 404, foreign.text)
          assert.deepEqual(foreign, missing)
          // What is for all companies is for operators.
          assert.equal((await ask(acme, { ...parts, company: 'all' }, stranger.cookie)).status, 404)
        })
      }

      if (access === 'company') {
        test('of one company allows the owner of another no more than the role in the former', async () => {
          const self = await Visitor.signIn(service, [
            { companyId: beta.company.id, role: 'owner' },
            { companyId: acme.company.id, role: 'viewer' },
          ])
          const { status, text } = await ask(acme, await partsOf(row, acme, self), self.cookie)
          if (!row.may.viewer) assert.equal(status, 403, text)
          else assert.ok(status === row.status || (status >= 200 && status < 300), `${status} ${text}`)
        })
      }

      const named = [...declared.url.matchAll(/:(\w+)/g)].map(([, name]) => name!)
      const ids = named.filter((name) => name !== 'company' && !(name in (row.words ?? {})))
      if (ids.length === 0 || access === 'operator') return
      test('gets the same 404 for an object of another company as for a missing object', async () => {
        for (const who of access === 'company'
          ? (['owner', 'owner of both', 'operator'] as const)
          : (['owner'] as const)) {
          const role = who === 'operator' ? who : 'owner'
          const self = who === 'owner of both' ? await ownerOfBoth() : await visitor(role, beta)
          const other = await visitor('owner', acme)
          const parts = { ...(await partsOf(row, acme, other)), company: beta.company.id }
          const unsaid = async (given: Record<string, string>) => {
            const { status, text } = await ask(beta, given, self.cookie)
            const said = ids.reduce((rest, name) => rest.replaceAll(given[name]!, '?'), text)
            return { status, said }
          }
          const foreign = await unsaid(parts)
          const missing = await unsaid({ ...parts, [ids[0]!]: NOWHERE })
          // Or the answer is 403, if the role may not do this at all.
          if (foreign.status !== 403 || row.may[role]) assert.equal(foreign.status, 404, foreign.said)
          assert.deepEqual(foreign, missing)
        }
      })
    })
  }
})
