/** NOTIFY is a hint: any user of the database can send it, and none makes a node believe, miss or do anything. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { parseDatabase } from '../../src/config/parse/database.ts'
import { ChangeFeed } from '../../src/store/postgres/changes.ts'
import { PostgresStore } from '../../src/store/postgres/postgres-store.ts'
import type { StoreChange } from '../../src/store/store.ts'
import { acme, apiKey } from '../store/samples.ts'
import { ApiClient } from '../support/api-client.ts'
import { stranger } from '../support/database-role.ts'
import { freshDatabase, withoutPostgres } from '../support/postgres.ts'
import { startService } from '../support/service.ts'

const ODD = [
  'accounts 9007199254740991 x',
  'accounts 1e308 x',
  'accounts Infinity x',
  'accounts NaN',
  'accounts -1',
  'accounts 0x7fffffffffffffff x',
  'queue 9007199254740991 x',
  'stops 9007199254740991 x',
  '__proto__ 1 x',
  'constructor 1 x',
  'toString',
  ' ',
  '\u{1f4a5}'.repeat(1_900),
  'x'.repeat(7_999),
  '{"accounts":9007199254740991}',
]

/** A feed on connections of its own that counts its reads of the tables, and the notifications it gets. */
function countedFeed(context: TestContext, url: string) {
  const counted = { looks: 0, received: 0, connections: 0 }
  const connect = async () => {
    const client = new Client({ connectionString: url })
    client.on('error', () => {})
    client.on('notification', () => counted.received++)
    await client.connect()
    counted.connections++
    const query = client.query.bind(client)
    client.query = ((text: string, values?: string[]) => {
      if (text.includes('FROM counters')) counted.looks++
      return query(text, values)
    }) as typeof client.query
    return client
  }
  const feed = new ChangeFeed({
    connect,
    query: async (text, values) => {
      const client = await connect()
      try {
        return await client.query(text, values)
      } finally {
        await client.end()
      }
    },
  })
  context.after(() => feed.close())
  return { feed, counted }
}

/** A watcher begins to listen some time later: earlier notifications reach no node. */
async function listensTo(sender: Client, counted: { received: number }, signal: AbortSignal): Promise<void> {
  do {
    await sender.query('NOTIFY postroad')
    await pause(5, undefined, { signal })
  } while (counted.received === 0)
}

describe('notifications from any database user', { skip: withoutPostgres() }, () => {
  test('a key revoked after them stops', async (t) => {
    const url = await freshDatabase(t)
    await using service = await startService({ database: parseDatabase(url), secretKey: randomBytes(32) })
    const other = await PostgresStore.open(url)
    t.after(() => other.close())
    const { key } = await service.tenant('keys.test')
    const api = new ApiClient(service.url, key.token)
    const sender = await stranger(t, url)
    for (const payload of ODD) await sender.query('SELECT pg_notify($1, $2)', ['postroad', payload])
    await sender.query('NOTIFY postroad')
    assert.equal((await api.read('none')).status, 404)
    await other.revokeKey(key.id, Date.now())
    while ((await api.read('none')).status !== 401) await pause(10, undefined, { signal: t.signal })
  })

  test('a change is reported after them, also one that follows at once', async (t) => {
    const url = await freshDatabase(t)
    const store = await PostgresStore.open(url)
    t.after(() => store.close())
    const other = await PostgresStore.open(url)
    t.after(() => other.close())
    const owner = await acme(other)
    const sender = await stranger(t, url)
    let told: (change: StoreChange) => void = () => {}
    t.after(store.watch((change) => told(change)))
    for (const payload of ODD) {
      await sender.query('SELECT pg_notify($1, $2)', ['postroad', payload])
      const next = new Promise<void>((resolve) => {
        told = (change) => change === 'accounts' && resolve()
      })
      await other.addKey(apiKey(owner))
      await next
    }
  })

  test('cause at most one look at the tables in 20 ms, and report no change', async (t) => {
    const url = await freshDatabase(t)
    await (await PostgresStore.open(url)).close()
    const { feed, counted } = countedFeed(t, url)
    await feed.begin()
    const told: StoreChange[] = []
    feed.watch((change) => told.push(change))
    const sender = await stranger(t, url)
    await listensTo(sender, counted, t.signal)
    const before = counted.looks
    const began = performance.now()
    for (let sent = 0; sent < 2_000; sent++) await sender.query(`NOTIFY postroad, '${sent}'`)
    const most = (performance.now() - began) / 20 + 2
    assert.ok(counted.looks - before <= most, `${counted.looks - before} looks, at most ${most} are due`)
    assert.deepEqual(told, [])
  })

  test('are no longer listened to when they are a flood, and changes are found all the same', async (t) => {
    const url = await freshDatabase(t)
    const other = await PostgresStore.open(url)
    t.after(() => other.close())
    const { feed, counted } = countedFeed(t, url)
    await feed.begin()
    let told: (change: StoreChange) => void = () => {}
    feed.watch((change) => told(change))
    const sender = await stranger(t, url)
    await listensTo(sender, counted, t.signal)
    const { connections } = counted
    await sender.query("SELECT pg_notify('postroad', n::text) FROM generate_series(1, 200000) AS n")
    while (counted.connections === connections) await pause(5, undefined, { signal: t.signal })
    assert.ok(counted.received < 50_000, `${counted.received} were taken in`)
    const { received } = counted
    await sender.query("SELECT pg_notify('postroad', n::text) FROM generate_series(1, 20000) AS n")
    const next = new Promise<void>((resolve) => {
      told = (change) => change === 'accounts' && resolve()
    })
    await acme(other)
    await next
    assert.equal(counted.received, received)
  })
})
