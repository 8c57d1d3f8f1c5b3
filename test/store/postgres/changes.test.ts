import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, type TestContext, test } from 'node:test'
import { Client } from 'pg'
import { PostgresCluster } from '../../../harness/postgres-cluster.ts'
import { PostgresStore } from '../../../src/store/postgres/postgres-store.ts'
import type { StoreChange } from '../../../src/store/store.ts'
import { execute, freshDatabase, withoutPostgres } from '../../support/postgres.ts'
import { openedPostgres } from '../opened.ts'
import { acme, apiKey, attempt, deferred, email, HOUR, NOW, result, suppress } from '../samples.ts'

/** Collects the changes that the store reports, with a promise of the next one of a kind. */
class ReportedChanges {
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

/** Resolves with the process id of the listening connection once it is idle. */
async function listening(url: string): Promise<number> {
  const sql = `SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND state = 'idle' AND query LIKE '%FROM counters WHERE name IN%'`
  for (;;) {
    const [row] = await execute<{ pid: number }>(url, sql)
    if (row !== undefined) return row.pid
  }
}

/** Far longer than a notification takes, so only a missing one fails. */
const IN_VAIN_MS = 60_000

/** A connection that listens as nodes do. */
async function listener(context: TestContext, url: string): Promise<Client> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  context.after(() => client.end())
  await client.query('LISTEN postroad')
  return client
}

describe('changes on PostgreSQL', { skip: withoutPostgres() }, () => {
  test('are notified to all listeners once they are committed', async (t) => {
    const url = await freshDatabase(t)
    const first = await PostgresStore.open(url)
    const owner = await acme(first)
    const key = apiKey(owner)
    const value = email(owner, ['a@x.test', 'b@x.test', 'c@x.test'])
    const canceled = email(owner, ['a@x.test'])
    for (const leased of [value, canceled]) await first.accept(leased, { token: 1 })
    await first.record(attempt(value, 1, [deferred(2, NOW + HOUR)]))
    // Closing the store also ends its notifications.
    await first.close()

    const store = await openedPostgres(t, url)
    const bounced = attempt(value, 1, [result(0, { state: 'bounced', suppress: true })])
    const scope = { companyId: owner.id, domain: null }
    const changes: { kind: StoreChange; what: string; make: () => Promise<unknown> }[] = [
      { kind: 'accounts', what: 'a key', make: () => store.addKey(key) },
      { kind: 'accounts', what: 'its end', make: () => store.revokeKey(key.id, NOW) },
      { kind: 'queue', what: 'mail accepted', make: () => store.accept(email(owner, ['d@x.test']), null) },
      {
        kind: 'queue',
        what: 'mail tried again',
        make: () => store.retry({ companyId: null, domains: null, emailId: value.id, now: NOW }),
      },
      { kind: 'stops', what: 'a cancellation', make: () => store.cancel(canceled.id, NOW) },
      { kind: 'stops', what: 'a bounce', make: () => store.record(bounced) },
      {
        kind: 'stops',
        what: 'a suppression',
        make: () => suppress(store, owner.id, 'z@x.test', '', NOW),
      },
      { kind: 'stops', what: 'a pause', make: () => store.pause({ ...scope, since: NOW }) },
      { kind: 'stops', what: 'its end', make: () => store.resume(scope, NOW) },
      { kind: 'queue', what: 'mail of a lost node', make: () => store.recover({ now: NOW, jitterMs: 0 }) },
    ]
    const versions = async () => {
      const rows = await execute<{ name: string; value: string }>(url, 'SELECT name, value FROM counters')
      return new Map(rows.map((row) => [row.name, Number(row.value)]))
    }
    const client = await listener(t, url)
    for (const { kind, what, make } of changes) {
      const before = await versions()
      const hint = once(client, 'notification', { signal: AbortSignal.timeout(IN_VAIN_MS) })
      await make()
      await assert.doesNotReject(hint, `no hint at ${what}`)
      // The change is visible when the notification arrives.
      assert.ok((await versions()).get(kind)! > before.get(kind)!, what)
    }
  })

  test('are found by the counters when no notification comes', async (t) => {
    const url = await freshDatabase(t)
    const told = new ReportedChanges(await openedPostgres(t, url))
    for (const kind of ['accounts', 'stops', 'queue', 'webhooks'] as const) {
      const next = told.next(kind)
      await execute(url, 'UPDATE counters SET value = value + 1 WHERE name = $1', [kind])
      await next
    }
    told.stop()
  })

  test('made after the store was opened, but before it listened, are reported', async (t) => {
    const url = await freshDatabase(t)
    const [store, other] = [await openedPostgres(t, url), await openedPostgres(t, url)]
    await acme(other)
    const told = new ReportedChanges(store)
    await told.next('accounts')
    told.stop()
  })

  test('are reported after the listening connection was cut', async (t) => {
    const url = await freshDatabase(t)
    const [store, other] = [await openedPostgres(t, url), await openedPostgres(t, url)]
    const owner = await acme(other)
    const told = new ReportedChanges(store)
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

  test('are reported after the server was restarted', async () => {
    await using cluster = await PostgresCluster.start()
    const store = await PostgresStore.open(cluster.url)
    const told = new ReportedChanges(store)
    await listening(cluster.url)
    const all = Promise.all(
      (['accounts', 'queue', 'stops', 'webhooks'] as const).map((kind) => told.next(kind)),
    )
    await cluster.restart('immediate')
    // Any kind may have changed while the store could not listen, so it reports all kinds.
    await all
    const next = told.next('accounts')
    await execute(cluster.url, "UPDATE counters SET value = value + 1 WHERE name = 'accounts'")
    await next
    told.stop()
    await store.close()
  })

  test('suppressions copied from a server with higher transaction numbers are not reported again and again', async (t) => {
    const url = await freshDatabase(t)
    const store = await openedPostgres(t, url)
    const owner = await acme(store)
    const { cursor } = await store.suppressionsSince(null)
    await execute(
      url,
      `INSERT INTO suppressions (id, company, folded, type, address, reason, created_at, added_by)
       SELECT gen_random_uuid(), num, 'old@x.test', 'bounce', 'old@x.test', '550', 1, '99999999999' FROM companies`,
    )
    assert.deepEqual((await store.suppressionsSince(cursor)).added, [])
    await suppress(store, owner.id, 'New@x.test', '550', NOW)
    assert.deepEqual((await store.suppressionsSince(cursor)).added, [
      { companyId: owner.id, address: 'New@x.test' },
    ])
    assert.equal((await store.listSuppressions({ limit: 10 })).length, 2)
  })
})
