import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { describe, type TestContext, test } from 'node:test'
import { Database, type Timeouts } from '../../../../src/store/postgres/database.ts'
import { PostgresStore } from '../../../../src/store/postgres/postgres-store.ts'
import { StoreUnavailable } from '../../../../src/store/store.ts'
import { freshDatabase, withoutPostgres } from '../../../support/postgres.ts'
import { accept, acme, attempt, email, node, result } from '../../samples.ts'
import { rivalOf } from './rival.ts'

/** Two stores on one database: one waits as long as a service does, the other one gives up soon. */
async function open(context: TestContext, timeouts: Partial<Timeouts>) {
  const url = await freshDatabase(context)
  const store = await PostgresStore.open(url)
  context.after(() => store.close())
  const hasty = await PostgresStore.open(url, { timeouts })
  context.after(() => hasty.close())
  return { url, store, hasty, owner: await acme(store) }
}

/** The key of an advisory lock: the server releases it when it ends the session that holds it. */
const LATCH = 4_711
/** Far more than any time-out here. */
const PATIENCE = "SET lock_timeout = '60s'"

describe('time-outs of PostgreSQL', { skip: withoutPostgres() }, () => {
  test('a statement that waits too long is ended by the server, whether it reads or writes', async (t) => {
    const { url, store, hasty, owner } = await open(t, { statementMs: 300 })
    const value = await accept(store, email(owner, ['a@x.test']))
    const rival = await rivalOf(t, url)
    await rival.query('LOCK TABLE emails IN ACCESS EXCLUSIVE MODE')
    const refused = { name: 'StoreUnavailable', message: /took too long and was canceled \(57014\)/ }
    await assert.rejects(hasty.readEmail(value.id), refused)
    await assert.rejects(hasty.accept(email(owner, ['b@x.test']), null), refused)
    await rival.query('ROLLBACK')
    assert.equal((await store.readEmail(value.id))?.id, value.id)
    assert.equal((await store.listEmails({ limit: 10 })).length, 1)
  })

  test('an answer that does not come is given up here, whatever the server does', async (t) => {
    const { url, store, hasty, owner } = await open(t, { answerMs: 300 })
    const value = email(owner, ['a@x.test'])
    await store.accept(value, { token: 1 })
    const rival = await rivalOf(t, url)
    await rival.query('LOCK TABLE emails, queue IN ACCESS EXCLUSIVE MODE')
    const refused = { name: 'StoreUnavailable', message: /query read timeout/ }
    await assert.rejects(hasty.readEmail(value.id), refused)
    const record = attempt(value, 1, [result(0)])
    await assert.rejects(hasty.record(record), { message: /read timeout\. It is not known whether/ })
    await rival.query('ROLLBACK')
    // The server may still have done it: then it is refused now, and the state is the same.
    await store.record(record)
    assert.equal((await store.readEmail(value.id))?.lastEvent, 'delivered')
  })

  test('a beat is given up sooner than other statements', async (t) => {
    const { url, store, hasty, owner } = await open(t, { vitalMs: 300 })
    const token = await store.join(node('here'))
    const rival = await rivalOf(t, url)
    await rival.query('LOCK TABLE nodes IN ACCESS EXCLUSIVE MODE')
    const refused = { name: 'StoreUnavailable', message: /query read timeout/ }
    await assert.rejects(hasty.beat(token), refused)
    // Not for want of a server.
    await accept(store, email(owner, ['a@x.test']))
    await rival.query('ROLLBACK')
    assert.equal((await store.beat(token))?.length, 1)
  })

  test('queries about nodes do not wait for other work', async (t) => {
    const database = new Database(await freshDatabase(t))
    const over = Promise.withResolvers<void>()
    // Each keeps its connection; more of them than there are.
    const busy = Array.from({ length: 30 }, () => database.transaction(() => over.promise))
    const done = Promise.allSettled(busy)
    t.after(async () => {
      over.resolve()
      await done
      await database.close()
    })
    assert.deepEqual(await database.vital('SELECT 1 AS one'), [{ one: 1 }])
    assert.equal(database.commits, 1)
  })

  test('a transaction that lies idle is ended by the server, which lets go of its locks', async (t) => {
    const url = await freshDatabase(t)
    const database = new Database(url, { answerMs: 1_000 })
    t.after(() => database.close())
    const rival = await rivalOf(t, url)
    let freed = false
    const idle = database.transaction(async (session) => {
      await session.run('SELECT pg_advisory_xact_lock($1)::text', [LATCH])
      await rival.query(PATIENCE)
      await rival.query('SELECT pg_advisory_xact_lock($1)', [LATCH])
      freed = true
      return await session.run('SELECT 1')
    })
    await assert.rejects(idle, StoreUnavailable)
    assert.equal(freed, true)
    assert.deepEqual(await database.write('SELECT 1 AS one'), [{ one: 1 }])
  })

  test('a process that stood still in the middle of a transaction learns that it was undone', async (t) => {
    const url = await freshDatabase(t)
    const database = new Database(url, { answerMs: 1_000 })
    t.after(() => database.close())
    let freed = false
    const late = database.transaction(async (session) => {
      await session.run('SELECT pg_advisory_xact_lock($1)::text', [LATCH])
      // Nothing is read from the connection meanwhile.
      execFileSync(process.execPath, ['--input-type=module', '--eval', TAKE_LATCH, url])
      freed = true
    })
    await assert.rejects(late, StoreUnavailable)
    assert.equal(freed, true)
    assert.deepEqual(await database.write('SELECT 1 AS one'), [{ one: 1 }])
  })
})

const TAKE_LATCH = `
import { Client } from 'pg'
const client = new Client({ connectionString: process.argv[1] })
await client.connect()
await client.query(${JSON.stringify(PATIENCE)})
await client.query('SELECT pg_advisory_lock(${LATCH})')
await client.end()`
