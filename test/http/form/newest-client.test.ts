/** mailgun.js: its methods that no other test calls. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Service, startService } from '../../support/service.ts'
import { newestClient } from './clients.ts'

const D = 'new.test'

/** Methods that the client has and its types do not declare. */
interface Untold {
  apiKeys: {
    create(data: object): Promise<{ key: { id: string; secret: string } }>
    list(query: object): Promise<{
      items: { id: string; role: string; domain_name: string | null; created_at: Date }[]
    }>
    destroy(id: string): Promise<object>
  }
  messages: { getMessagesQueueStatus(domain: string): Promise<unknown> }
  accountManagement: Record<
    'getWebhookSigningKey' | 'createWebhookSigningKey',
    () => Promise<{ status: number; message: string; http_signing_key: string }>
  >
}

describe('mailgun.js', () => {
  let service: Service
  let mg: ReturnType<typeof newestClient>
  let companyId: string
  let untold: Untold

  before(async () => {
    service = await startService()
    const { company } = await service.tenant(D)
    companyId = company.id
    mg = newestClient(
      service.url,
      (await service.key(company.id, { scopes: ['sending', 'reading', 'management'] })).token,
    )
    untold = mg as object as Untold
  })
  after(() => service.close())

  const calls: [name: string, call: () => Promise<unknown>, told: object][] = [
    [
      'messages.getMessagesQueueStatus',
      () => untold.messages.getMessagesQueueStatus(D),
      { regular: { is_disabled: false, disabled: { until: '', reason: '' } } },
    ],
    [
      'suppressions.get',
      async () => {
        await mg.suppressions.create(D, 'bounces', { address: 'b@x.test', code: 552 })
        return await mg.suppressions.get(D, 'bounces', 'b@x.test')
      },
      { type: 'bounces', address: 'b@x.test', code: 552 },
    ],
    [
      'domains.domainCredentials.destroyAll',
      () => mg.domains.domainCredentials.destroyAll(D),
      { status: 200, message: 'All domain credentials have been deleted' },
    ],
    [
      'accountManagement.getWebhookSigningKey, createWebhookSigningKey',
      async () => {
        const { accountManagement } = untold
        const keys = [
          await accountManagement.getWebhookSigningKey(),
          await accountManagement.createWebhookSigningKey(),
          await accountManagement.getWebhookSigningKey(),
        ].map((each) => each.http_signing_key)
        return { differ: keys[0] !== keys[1], stays: keys[1] === keys[2] }
      },
      { differ: true, stays: true },
    ],
    [
      'stats.getAccount',
      async () => ({ resolution: (await mg.stats.getAccount({ event: ['accepted'] })).resolution }),
      { resolution: 'day' },
    ],
    [
      'domains.domainKeys.listAll',
      async () => ({
        domains: (await mg.domains.domainKeys.listAll()).items.map((key) => key.signing_domain),
      }),
      { domains: [D] },
    ],
    ['domains.getTracking', async () => (await mg.domains.getTracking(D)).open, { active: false }],
  ]
  for (const [name, call, told] of calls) {
    test(name, async () => {
      const answer = await call()
      assert.deepEqual({ ...(answer as object), ...told }, { ...(answer as object) })
    })
  }

  test('apiKeys: made, listed and removed', async () => {
    const { apiKeys } = untold
    const data = { role: 'sending', kind: 'domain', domain_name: D, description: 'Shop' }
    const made = await apiKeys.create(data)
    assert.match(made.key.secret, /^pr_/)
    const { items } = await apiKeys.list({ domain_name: D })
    assert.deepEqual(
      items.map(({ id, role, domain_name: domain }) => [id, role, domain]),
      [[made.key.id, 'sending', D]],
    )
    assert.ok(Math.abs(items[0]!.created_at.getTime() + zoneMs() - Date.now()) < 60_000)
    assert.deepEqual(await apiKeys.destroy(made.key.id), { status: 200, message: 'key deleted' })
    assert.deepEqual((await apiKeys.list({ domain_name: D })).items, [])
  })

  test('domains.domainCredentials.create and update take a password, and say what is wrong with a short one', async () => {
    const { domainCredentials } = mg.domains
    const chosen = { login: 'bob', password: 'plover-harvest-7' }
    assert.equal((await domainCredentials.create(D, chosen)).status, 200)
    assert.equal((await domainCredentials.update(D, 'bob', { password: 'plover-harvest-8' })).status, 200)
    const short = { login: 'ann', password: 'secret1' }
    await assert.rejects(domainCredentials.create(D, short), {
      status: 400,
      details: /at least 10 characters/,
    })
  })

  test('the addresses and pools that mail leaves from are read', async () => {
    await service.store.setSourcePool({ name: 'news', addresses: ['192.0.2.1'], warming: {}, createdAt: 0 })
    await service.store.updateCompany(companyId, { pool: 'news' })
    await service.app.refreshAccounts()
    assert.deepEqual((await mg.ips.list({ dedicated: true })).items, ['192.0.2.1'])
    assert.equal((await mg.ips.get('192.0.2.1')).ip, '192.0.2.1')
    // It is a list; the types of the client have one pool.
    const pools = (await mg.ip_pools.list()).ip_pools as unknown as { name: string; ips: string[] }[]
    assert.deepEqual(
      pools.map(({ name, ips }) => [name, ips]),
      [['news', ['192.0.2.1']]],
    )
  })

  test('a missing feature answers 404 as JSON, with the sentence that clients show', async () => {
    for (const call of [
      () => mg.routes.list({}),
      () => mg.lists.list({}),
      () => mg.domains.domainTemplates.list(D),
      () => mg.metrics.getAccountUsage({}),
      () => mg.domains.domainTags.providers(D, 'spring'),
      () => mg.validate.get('a@x.test'),
    ]) {
      await assert.rejects(call as () => Promise<unknown>, { status: 404, details: 'Not Found' })
    }
  })
})

/** The client reads times without a zone as local ones. */
function zoneMs(): number {
  return -new Date().getTimezoneOffset() * 60_000
}
