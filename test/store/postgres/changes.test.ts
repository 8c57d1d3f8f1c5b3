import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { PostgresStore } from '../../../src/store/postgres/postgres-store.ts'
import type { StoreChange } from '../../../src/store/store.ts'
import { execute, freshDatabase, withoutPostgres } from '../../support/postgres.ts'
import { PostgresCluster } from '../../support/postgres-cluster.ts'
import { acme, apiKey, NOW } from '../samples.ts'

async function opened(context: TestContext, url: string): Promise<PostgresStore> {
  const store = await PostgresStore.open(url)
  context.after(() => store.close())
  return store
}

/** What is told from now on, and a promise of the next change of a kind. */
class Told {
  readonly seen: StoreChange[] = []
  readonly #waiting = new Set<{ kind: StoreChange; resolve: () => void }>()
  readonly stop: () => void

  constructor(store: PostgresStore) {
    this.stop = store.watch((change) => {
      this.seen.push(change)
      for (const each of [...this.#waiting]) {
        if (each.kind !== change) continue
        this.#waiting.delete(each)
        each.resolve()
      }
    })
  }

  next(kind: StoreChange): Promise<void> {
    return new Promise((resolve) => this.#waiting.add({ kind, resolve }))
  }
}

/** The connection that listens has said so, and waits. */
async function listening(url: string): Promise<number> {
  const sql = `SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND state = 'idle' AND query LIKE '%FROM counters WHERE name IN%'`
  for (;;) {
    const [row] = await execute<{ pid: number }>(url, sql)
    if (row !== undefined) return row.pid
  }
}

describe('changes on PostgreSQL', { skip: withoutPostgres() }, () => {
  test('are found by the counters when no notification comes', async (t) => {
    const url = await freshDatabase(t)
    const told = new Told(await opened(t, url))
    for (const kind of ['accounts', 'stops', 'queue'] as const) {
      const next = told.next(kind)
      await execute(url, 'UPDATE counters SET value = value + 1 WHERE name = $1', [kind])
      await next
    }
    told.stop()
  })

  test('made before anybody listened, but after the store was opened, are told', async (t) => {
    const url = await freshDatabase(t)
    const [store, other] = [await opened(t, url), await opened(t, url)]
    await acme(other)
    const told = new Told(store)
    await told.next('accounts')
    told.stop()
  })

  test('are told after the connection that listens was cut', async (t) => {
    const url = await freshDatabase(t)
    const [store, other] = [await opened(t, url), await opened(t, url)]
    const owner = await acme(other)
    const told = new Told(store)
    await told.next('accounts')
    for (let cuts = 0; cuts < 3; cuts++) {
      const pid = await listening(url)
      const next = told.next('accounts')
      await execute(url, 'SELECT pg_terminate_backend($1)', [pid])
      await other.addKey(apiKey(owner))
      await next
    }
    told.stop()
  })

  test('are told after the server was restarted', async () => {
    await using cluster = await PostgresCluster.start()
    const store = await PostgresStore.open(cluster.url)
    const told = new Told(store)
    await listening(cluster.url)
    const all = Promise.all((['accounts', 'queue', 'stops'] as const).map((kind) => told.next(kind)))
    await cluster.restart('immediate')
    // What happened meanwhile nobody knows: everything may have changed.
    await all
    const next = told.next('accounts')
    await execute(cluster.url, "UPDATE counters SET value = value + 1 WHERE name = 'accounts'")
    await next
    told.stop()
    await store.close()
  })

  test('suppressions brought from a server with higher transaction numbers are not told again and again', async (t) => {
    const url = await freshDatabase(t)
    const store = await opened(t, url)
    const owner = await acme(store)
    const { cursor } = await store.suppressionsSince(null)
    await execute(
      url,
      `INSERT INTO suppressions (company, folded, address, reason, created_at, added_by)
       SELECT num, 'old@x.test', 'old@x.test', '550', 1, '99999999999' FROM companies`,
    )
    assert.deepEqual((await store.suppressionsSince(cursor)).added, [])
    await store.addSuppression(owner.id, 'New@x.test', '550', NOW)
    assert.deepEqual((await store.suppressionsSince(cursor)).added, [
      { companyId: owner.id, address: 'New@x.test' },
    ])
    assert.equal((await store.listSuppressions({ limit: 10 })).length, 2)
  })
})
