/** The addresses that mail leaves from, and their pools, as a company sees them: its own, and no others. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { OPERATOR } from '../../../src/operate/authority.ts'
import { operationOn } from '../../../src/operate/open.ts'
import { assignPool, createPool, warmUpAddress } from '../../../src/operate/pools.ts'
import type { Operation } from '../../../src/operate/verb.ts'
import { startService } from '../../support/service.ts'

const [FREE, OWN, SHARED, FOREIGN] = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '2001:db8::4']

async function start(t: TestContext) {
  const service = await startService({
    delivery: { kind: 'direct' },
    sourceAddresses: [FREE, OWN, SHARED].map((address, n) => ({ address: address!, helo: `mail${n}.test` })),
  })
  t.after(() => service.close())
  const acme = await service.tenant('acme.test')
  const beta = await service.tenant('beta.test')
  const other = await service.tenant('other.test')
  const operate = async <Input>(verb: (op: Operation, input: Input) => Promise<unknown>, input: Input) => {
    const { settings, store } = service
    await verb(operationOn(settings, store, OPERATOR, await store.accounts()), input)
    await service.app.refreshAccounts()
  }
  const ask = async ({ key }: typeof acme, path: string) => {
    const authorization = `Basic ${Buffer.from(`api:${key.token}`).toString('base64')}`
    const response = await fetch(`${service.url}${path}`, { headers: { authorization } })
    return { status: response.status, body: (await response.json()) as { items?: string[] } }
  }
  return { acme, beta, other, operate, ask }
}

test('a company sees the addresses that its mail leaves from, and the pools that are its own', async (t) => {
  const { acme, beta, other, operate, ask } = await start(t)
  const ips = async (tenant: typeof acme, query = '') => (await ask(tenant, `/v3/ips${query}`)).body
  assert.deepEqual((await ips(other)).items, [FREE, OWN, SHARED])

  await operate(createPool, { pool: 'own', addresses: [OWN!] })
  await operate(createPool, { pool: 'shared', addresses: [SHARED!] })
  await operate(createPool, { pool: 'foreign', addresses: [FOREIGN!] })
  await operate(assignPool, { domain: 'acme.test', pool: 'own' })
  await operate(assignPool, { company: acme.company.name, pool: 'shared' })
  await operate(assignPool, { company: beta.company.name, pool: 'shared' })
  await operate(assignPool, { domain: 'beta.test', pool: 'foreign' })
  await operate(warmUpAddress, { pool: 'own', address: OWN!, day: 1 })

  assert.deepEqual(await ips(acme), {
    items: [SHARED, OWN],
    total_count: 2,
    assignable_to_pools: [],
    details: [
      { ip: SHARED, is_on_warmup: false },
      { ip: OWN, is_on_warmup: true },
    ],
  })
  assert.deepEqual((await ips(acme, '?dedicated=true')).items, [OWN])
  assert.deepEqual((await ips(acme, '?dedicated=false')).items, [SHARED])
  assert.deepEqual((await ips(other)).items, [FREE], 'those in no pool')
  assert.deepEqual((await ask(acme, `/v3/ips/${OWN}`)).body, { ip: OWN, rdns: 'mail1.test', dedicated: true })
  for (const address of [FOREIGN, FREE, 'x'])
    assert.equal((await ask(acme, `/v3/ips/${address}`)).status, 404)
  assert.deepEqual((await ask(acme, `/v3/ips/${OWN}/domains?limit=5&search=ACME`)).body, {
    items: [{ domain: 'acme.test', ips: [OWN] }],
    total_count: 1,
  })
  assert.deepEqual((await ask(acme, `/v3/ips/${SHARED}/domains`)).body, { items: [], total_count: 0 })
  assert.deepEqual((await ask(acme, '/v3/domains/acme.test/ips')).body, { items: [OWN], total_count: 1 })
  assert.equal((await ask(acme, '/v3/domains/beta.test/ips')).status, 404)

  const pool = { pool_id: 'own', name: 'own', description: '', ips: [OWN], is_linked: true }
  const shared = { ...pool, pool_id: 'shared', name: 'shared', ips: [SHARED] }
  for (const version of ['v1', 'v3']) {
    assert.deepEqual((await ask(acme, `/${version}/ip_pools`)).body, {
      ip_pools: [pool, shared],
      message: 'success',
    })
    assert.deepEqual((await ask(acme, `/${version}/ip_pools/own`)).body, {
      ...pool,
      linked_domains: [{ id: acme.domain.id, name: 'acme.test' }],
      message: 'success',
    })
    assert.equal((await ask(acme, `/${version}/ip_pools/foreign`)).status, 404)
  }
  assert.deepEqual((await ask(acme, '/v3/ip_pools/own/domains')).body, {
    domains: [{ id: acme.domain.id, name: 'acme.test' }],
    paging: {},
  })
  assert.deepEqual((await ask(other, '/v3/ip_pools')).body, { ip_pools: [], message: 'success' })
})
