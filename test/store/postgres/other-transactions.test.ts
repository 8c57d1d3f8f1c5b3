/** Changes that meet another transaction, which has not ended yet. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, type TestContext, test } from 'node:test'
import { Client } from 'pg'
import { PostgresStore } from '../../../src/store/postgres/postgres-store.ts'
import { StoreConflict, type Webhook } from '../../../src/store/store.ts'
import { execute, freshDatabase, withoutPostgres } from '../../support/postgres.ts'
import { acme, apiKey, domain, NOW, newId, suppression } from '../samples.ts'

async function opened(context: TestContext) {
  const url = await freshDatabase(context)
  const store = await PostgresStore.open(url)
  context.after(() => store.close())
  const other = new Client({ connectionString: url })
  await other.connect()
  context.after(() => other.end())
  return { url, store, other }
}

/** Commits the other transaction once the work waits for it, or has ended without waiting. */
async function commitBeside<T>(url: string, other: Client, work: Promise<T>): Promise<T> {
  let isOver = false
  const over = work.then(
    () => (isOver = true),
    () => (isOver = true),
  )
  const waits = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
  while (!isOver && (await execute(url, waits)).length === 0);
  await other.query('COMMIT')
  await over
  return await work
}

describe('another transaction', { skip: withoutPostgres() }, () => {
  test('that removes a domain leaves no webhook, key or route of it', async (t) => {
    const { url, store, other } = await opened(t)
    const owner = await acme(store)
    const hook = (domainId: string): Webhook => ({
      ...{ id: newId(), companyId: owner.id, domainId, dialect: 'json', url: 'https://a.test/', types: [] },
      ...{ status: 'enabled', secret: Uint8Array.of(1), previousSecret: null, rotatedAt: null },
      ...{ createdAt: NOW, failingSince: null, disabledAt: null, disabledReason: null, cursor: 0 },
    })
    const route = { companyId: owner.id, url: 'smtp://a.test', sealed: null, createdAt: NOW }
    const adds: Record<string, (domainId: string) => Promise<void>> = {
      webhook: (domainId) => store.addWebhook(hook(domainId)),
      key: (domainId) => store.addKey({ ...apiKey(owner), domainId }),
      route: (domainId) => store.setRoute({ ...route, id: newId(), domainId }),
    }
    for (const [what, add] of Object.entries(adds)) {
      const gone = domain(owner, `${what}.test`)
      await store.addDomain(gone)
      await other.query('BEGIN')
      await other.query('DELETE FROM dkim_keys WHERE domain_id = $1', [gone.id])
      await other.query('DELETE FROM domains WHERE id = $1', [gone.id])
      await assert.rejects(commitBeside(url, other, add(gone.id)), StoreConflict, what)
    }
    const { keys, routes } = await store.accounts()
    assert.deepEqual([await store.webhooks({}), keys, routes], [[], [], []])
  })

  test('that adds to a suppression list which is just inherited has its entry joined', async (t) => {
    const { url, store, other } = await opened(t)
    const owner = await acme(store)
    const [first, second] = [0, 1].map(() => ({
      ...domain(owner, 'again.test'),
      sending: 'active' as const,
    }))
    await store.addDomain(first!)
    const old = suppression(owner, 'a@x.test', { type: 'unsubscribe', domainId: first!.id, tags: ['a'] })
    await store.addSuppressions([old])
    await store.removeDomain(first!.id, NOW)
    await store.addDomain(second!)
    await other.query('BEGIN')
    await other.query(
      `INSERT INTO suppressions (id, company, folded, type, address, tags, marks, reason, domain_id, created_at)
        SELECT $1, company, folded, type, address, '["b"]', marks, reason, $2, created_at FROM suppressions WHERE id = $3`,
      [randomUUID(), second!.id, old.id],
    )
    assert.equal(await commitBeside(url, other, store.inheritSuppressions(second!.id)), 1)
    const listed = await store.listSuppressions({ companyId: owner.id, limit: 9 })
    assert.deepEqual(
      listed.map(({ domainId, tags }) => [domainId, tags]),
      [[second!.id, ['b', 'a']]],
    )
  })
})
