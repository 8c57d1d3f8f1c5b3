/** The name and the logo of a company, and its limits. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Company } from '../../../src/accounts/account.ts'
import { type Service, startService } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { Visitor } from './visitor.ts'

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

describe('a company in the console', () => {
  let service: Service
  let mine: Company
  let owner: Visitor
  let developer: Visitor
  let foreigner: Visitor
  before(async () => {
    service = await startService({ metrics: 'same' })
    mine = (await service.tenant('mine.test')).company
    const theirs = (await service.tenant('theirs.test')).company
    owner = await Visitor.signIn(service, [{ companyId: mine.id, role: 'owner' }])
    developer = await Visitor.signIn(service, [{ companyId: mine.id, role: 'developer' }])
    foreigner = await Visitor.signIn(service, [{ companyId: theirs.id, role: 'owner' }])
  })
  after(() => service.close())

  const path = () => `/companies/${mine.id}/logo`
  const put = (octets: Buffer, visitor = owner) =>
    visitor.ask('PUT', path(), { picture: octets.toString('base64') })
  const digest = async () => {
    const { companies } = (await developer.ask('GET', '/session')).body as {
      companies: { logo: string | null }[]
    }
    return companies[0]!.logo
  }
  const fetched = (visitor: Visitor, v: string | null) =>
    fetch(`${service.url}/console/api${path()}${v === null ? '' : `?v=${v}`}`, {
      headers: { cookie: visitor.cookie },
    })

  test('has a logo that only its people see', async () => {
    assert.equal(await digest(), null)
    assert.equal((await fetched(owner, null)).status, 404)
    assert.equal((await put(PNG)).status, 200)
    await until(async () => (await digest()) !== null, 'the logo')
    const v = await digest()
    const reply = await fetched(developer, v)
    assert.equal(reply.status, 200)
    assert.ok(PNG.equals(Buffer.from(await reply.arrayBuffer())))
    const field = (name: string) => reply.headers.get(name)
    assert.equal(field('content-type'), 'image/png')
    assert.equal(field('x-content-type-options'), 'nosniff')
    assert.equal(field('cross-origin-resource-policy'), 'same-origin')
    assert.match(field('content-security-policy')!, /^default-src 'none'.*sandbox$/)
    assert.match(field('cache-control')!, /^private, max-age=\d+, immutable$/)
    assert.equal((await fetched(developer, null)).headers.get('cache-control'), 'no-store')
    assert.equal((await fetched(foreigner, v)).status, 404)
    assert.equal((await put(PNG, foreigner)).status, 404)
  })

  test('accepts only pictures as a logo, and only from its owners', async () => {
    const before = await digest()
    const wide = Buffer.from(PNG)
    wide.writeUInt32BE(513, 16)
    const refused: [octets: Buffer, why: RegExp][] = [
      [Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), /must be a PNG, JPEG or WebP/],
      [Buffer.alloc(0), /must be a PNG/],
      [Buffer.concat([PNG, Buffer.alloc(64 * 1024)]), /64 KiB are allowed/],
      [wide, /513 × 1 pixels; 512 × 512 are allowed/],
    ]
    for (const [octets, why] of refused) {
      const reply = await put(octets)
      assert.equal(reply.status, 422, reply.text)
      assert.match(reply.text, why)
    }
    for (const method of ['PUT', 'DELETE']) {
      const reply = await developer.ask(method, path(), { picture: PNG.toString('base64') })
      assert.equal(reply.status, 403)
    }
    assert.equal(await digest(), before)
  })

  test('can remove the logo, which the audit list shows', async () => {
    assert.equal((await owner.ask('DELETE', path())).status, 200)
    await until(async () => (await digest()) === null, 'no logo')
    assert.equal((await fetched(owner, null)).status, 404)
    assert.equal((await owner.ask('DELETE', path())).status, 409)
    const { body } = await owner.ask('GET', `/companies/${mine.id}/audit`)
    const entries = body.entries as { action: string; target: string; outcome: string }[]
    const done = entries.map(({ action, target }) => [action, target])
    assert.ok(done.some(([action, target]) => action === 'removeLogo' && target === mine.name))
    assert.deepEqual(done.at(-1), ['setLogo', mine.name])
    const metrics = await (await fetch(`${service.url}/metrics`)).text()
    assert.ok(metrics.includes('requests_total{operation="console_company_logo_remove",status="200"} 1'))
  })

  test('shows its limits and their use', async () => {
    await service.store.updateCompany(mine.id, { limits: { daily: 5 } })
    await until(async () => {
      const { limits } = (await developer.ask('GET', `/companies/${mine.id}`)).body as {
        limits: { daily: number | null }
      }
      return limits.daily === 5
    }, 'the limit')
    const { body } = await developer.ask('GET', `/companies/${mine.id}`)
    assert.deepEqual(body, {
      ...{ id: mine.id, name: mine.name, ownName: null, logo: null },
      limits: { rate: null, daily: 5, monthly: null, domains: 1_000, keys: 1_000, webhooks: 100 },
      used: { daily: 0, monthly: 0, domains: 1, keys: 1, webhooks: 0 },
    })
  })

  test('has the name that its owners choose for its people, whatever other companies are called', async () => {
    const { companies } = await service.store.accounts()
    const other = companies.find(({ id }) => id !== mine.id)!
    const operator = await Visitor.signIn(service, 'operator')
    const rename = (visitor: Visitor, name: string) =>
      visitor.ask('PUT', `/companies/${mine.id}/name`, { name })
    const namesOf = async (visitor: Visitor) => {
      const { companies } = (await visitor.ask('GET', '/session')).body as { companies: { name: string }[] }
      return companies.map(({ name }) => name).toSorted()
    }
    const seen = async (visitor: Visitor) =>
      (await visitor.ask('GET', `/companies/${mine.id}`)).body as { name: string; ownName: string | null }
    const all = await namesOf(operator)

    assert.equal((await rename(developer, 'Mine Ltd')).status, 403)
    assert.equal((await rename(foreigner, 'Mine Ltd')).status, 404)
    assert.equal((await rename(owner, ' ')).status, 422)
    // Another company has the name: an owner learns nothing of that.
    assert.equal((await rename(owner, other.name)).status, 200)
    await until(async () => (await namesOf(developer))[0] === other.name, 'the new name')
    assert.equal((await seen(developer)).name, other.name)
    assert.match((await rename(owner, other.name)).text, /already called/)
    assert.deepEqual(await namesOf(operator), all)
    const { name, ownName } = await seen(operator)
    assert.deepEqual([name, ownName], [mine.name, other.name])

    assert.equal((await rename(operator, other.name)).status, 409)
    assert.equal((await rename(operator, 'Mine Ltd')).status, 200)
    await until(async () => (await namesOf(developer))[0] === 'Mine Ltd', 'the name of the operator')
    assert.equal((await seen(operator)).ownName, null)
    const trail = (await owner.ask('GET', `/companies/${mine.id}/audit`)).body as {
      entries: { action: string; target: string; detail: object }[]
    }
    const renamed = trail.entries.filter(({ action }) => action === 'renameCompany')
    assert.deepEqual(
      renamed.map(({ target, detail }) => [target, detail]),
      [
        [mine.name, { to: 'Mine Ltd' }],
        [mine.name, { to: other.name }],
      ],
    )
  })
})
