import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import { openForWriting } from '../../src/store/sqlite/database.ts'
import { migrate } from '../../src/store/sqlite/migrate.ts'
import { MIGRATIONS } from '../../src/store/sqlite/migrations/migrations.ts'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { StoreConflict } from '../../src/store/store.ts'
import { temporaryDirectory } from './directory.ts'
import { claimRequest, NOW, node, states } from './samples.ts'

const FIRST = { name: '0001-first', sql: "CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('row')" }
const SECOND = { name: '0002-b', sql: "ALTER TABLE t ADD COLUMN b TEXT; UPDATE t SET b = a || '!'" }

function open(t: TestContext): { db: DatabaseSync; path: string } {
  const path = join(temporaryDirectory(t), 'a.db')
  const db = openForWriting(path)
  t.after(() => db.close())
  return { db, path }
}

function applied(db: DatabaseSync): unknown[] {
  return db
    .prepare('SELECT version, name FROM schema_migrations ORDER BY version')
    .all()
    .map((row) => ({ ...row }))
}

describe('migrations', () => {
  test('are applied in order, each once, with the rows that are there', (t) => {
    const { db, path } = open(t)
    migrate(db, path, [FIRST])
    assert.deepEqual(applied(db), [{ version: 1, name: '0001-first' }])
    migrate(db, path, [FIRST, SECOND])
    migrate(db, path, [FIRST, SECOND])
    assert.deepEqual(applied(db), [
      { version: 1, name: '0001-first' },
      { version: 2, name: '0002-b' },
    ])
    assert.deepEqual({ ...db.prepare('SELECT a, b FROM t').get() }, { a: 'row', b: 'row!' })
  })

  test('one that fails leaves the schema as it was', (t) => {
    const { db, path } = open(t)
    migrate(db, path, [FIRST])
    const broken = { name: '0003-c', sql: 'CREATE TABLE u (x); INSERT INTO missing VALUES (1)' }
    assert.throws(() => migrate(db, path, [FIRST, SECOND, broken]), /no such table: missing/)
    assert.equal(applied(db).length, 1)
    assert.deepEqual({ ...db.prepare('SELECT * FROM t').get() }, { a: 'row' })
    assert.equal(db.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'u'").get()?.n, 0)
    migrate(db, path, [FIRST, SECOND])
    assert.equal(applied(db).length, 2)
  })

  test('a database that is ahead is refused', (t) => {
    const { db, path } = open(t)
    migrate(db, path, [FIRST, SECOND])
    assert.throws(
      () => migrate(db, path, [FIRST]),
      (error) => {
        assert.ok(error instanceof StoreConflict)
        assert.match(
          error.message,
          /has schema 2, this Postroad knows up to 1: it was written by a newer version/,
        )
        return true
      },
    )
  })

  test('from the first schema keep what was accepted, and take back what was under way', async (t) => {
    const { db, path } = open(t)
    migrate(db, path, MIGRATIONS.slice(0, 1))
    db.exec(`
      INSERT INTO companies VALUES (1, 'company', 'Acme', ${NOW});
      INSERT INTO emails (id, company, domain_id, key_id, sender, header_from, header_to, subject, message_id, date, created_at,
        individual, test_mode, size, sent, last_event, last_event_at)
      VALUES ('email', 1, 'domain', 'key', 'a@acme.test', 'a@acme.test', '["b@x.test"]', 'Hello', '<1@acme.test>', ${NOW}, ${NOW},
        0, 0, 1000, 1, 'sent', ${NOW});
      INSERT INTO contents (email, created_at, text) VALUES (1, ${NOW}, 'Hello');
      INSERT INTO recipients (email, position, company, address, domain, kind, state, due_at, lease)
      VALUES (1, 0, 1, 'b@x.test', 'x.test', 'to', 'leased', NULL, 7), (1, 1, 1, 'c@y.test', 'y.test', 'to', 'waiting', ${NOW}, NULL);
      INSERT INTO lanes VALUES (1, 'y.test', ${NOW});
      INSERT INTO leases VALUES (7, ${NOW + 60_000});
      UPDATE counters SET value = 7 WHERE name = 'lease';
      INSERT INTO suppressions VALUES (1, 'gone@x.test', '550 no', ${NOW}, NULL);
    `)
    const store = await SqliteStore.open(path, { exclusive: true })
    t.after(() => store.close())
    assert.equal(await store.join(node('here')), 8)
    assert.equal(await store.recover({ now: NOW, jitterMs: 0 }), 1)
    const [claimed] = await store.claim(claimRequest(8))
    assert.equal(claimed?.content.text, 'Hello')
    assert.deepEqual(claimed?.recipients.map(({ position }) => position).sort(), [0, 1])
    assert.deepEqual(await states(store, 'email'), ['sending', 'sending'])
    assert.equal((await store.listSuppressions({ limit: 10 }))[0]?.address, 'gone@x.test')
    const { cursor } = await store.suppressionsSince(null)
    await store.addSuppression('company', 'later@x.test', 'asked to', NOW)
    assert.deepEqual((await store.suppressionsSince(cursor)).added, [
      { companyId: 'company', address: 'later@x.test' },
    ])
  })

  test('from the second schema count what waits, and find the last event of each email', async (t) => {
    const { db, path } = open(t)
    migrate(db, path, MIGRATIONS.slice(0, 2))
    db.exec(`
      INSERT INTO companies VALUES (1, 'company', 'Acme', ${NOW});
      INSERT INTO emails (id, company, domain_id, key_id, sender, header_from, header_to, subject, message_id, date, created_at,
        individual, test_mode, size, sent, last_event, last_event_at)
      VALUES ('email', 1, 'domain', 'key', 'a@acme.test', 'a@acme.test', '["b@x.test"]', 'Hello', '<1@acme.test>', ${NOW}, ${NOW},
        0, 0, 1000, 1, 'delivery_delayed', ${NOW + 1});
      INSERT INTO contents (email, created_at, text) VALUES (1, ${NOW}, 'Hello');
      INSERT INTO recipients (email, position, company, address, domain, kind, state, due_at)
      VALUES (1, 0, 1, 'b@x.test', 'x.test', 'to', 'delivered', NULL), (1, 1, 1, 'c@y.test', 'y.test', 'to', 'waiting', ${NOW}),
        (1, 2, 1, 'd@y.test', 'y.test', 'to', 'waiting', ${NOW + 5});
      INSERT INTO lanes VALUES (1, 'y.test', ${NOW});
      INSERT INTO events (email, seq, recipient, type, at) VALUES (1, 0, NULL, 'sent', ${NOW}),
        (1, 1, 0, 'delivered', ${NOW + 1}), (1, 2, 1, 'delivery_delayed', ${NOW + 1});
    `)
    const store = await SqliteStore.open(path, { exclusive: true })
    t.after(() => store.close())
    assert.deepEqual(await store.counts(NOW), { waiting: 2, sending: 0, quarantined: 0, due: 1 })
    assert.equal((await store.readEmail('email'))?.lastEvent, 'delivery_delayed')
    assert.equal(await store.lastEventNumber(), 3)
    const { events } = await store.eventsAfter(1, {}, 10)
    assert.deepEqual(
      events.map(({ number, companyId, address, type }) => [number, companyId, address, type]),
      [
        [2, 'company', 'b@x.test', 'delivered'],
        [3, 'company', 'c@y.test', 'delivery_delayed'],
      ],
    )
    await store.cancel('email', NOW + 2)
    assert.deepEqual(await store.counts(NOW), { waiting: 0, sending: 0, quarantined: 0, due: 0 })
    assert.equal((await store.listEmails({ limit: 1 }))[0]?.lastEvent, 'canceled')
    assert.equal(await store.lastEventNumber(), 5)
  })

  test('keep what was held, and what was to be canceled, from the schema with tables of their own for it', async (t) => {
    const { db, path } = open(t)
    const own = MIGRATIONS.findIndex(({ name }) => name.endsWith('holds-and-cancellations'))
    migrate(db, path, MIGRATIONS.slice(0, own))
    const later = NOW + 60_000
    db.exec(`
      INSERT INTO companies VALUES (1, 'company', 'Acme', ${NOW});
      INSERT INTO emails (id, company, domain_id, key_id, sender, header_from, subject, message_id, date, created_at, individual,
        test_mode, size, sent)
      VALUES ('email', 1, 'domain', 'key', 'a@acme.test', 'a@acme.test', 'Hello', '<1@acme.test>', ${NOW}, ${NOW}, 0, 0, 1000, 1);
      INSERT INTO contents (email, created_at, text) VALUES (1, ${NOW}, 'Hello');
      INSERT INTO recipients (email, position, company, address, domain, kind, state, due_at, lease, postponed_since)
      VALUES (1, 0, 1, 'a@x.test', 'x.test', 'to', 'waiting', ${later}, NULL, NULL),
        (1, 1, 1, 'b@x.test', 'x.test', 'to', 'waiting', ${later}, NULL, ${NOW}),
        (1, 2, 1, 'c@x.test', 'x.test', 'to', 'waiting', ${later + 1}, NULL, NULL),
        (1, 3, 1, 'd@x.test', 'x.test', 'to', 'sending', NULL, 7, NULL);
      INSERT INTO lanes VALUES (1, 'x.test', ${later}, 3);
      INSERT INTO held_recipients VALUES ('domain', 1, 0, ${later}), ('domain', 1, 1, ${later}), ('domain', 1, 2, ${later});
      INSERT INTO cancel_requests VALUES (1, 3);
    `)
    const store = await SqliteStore.open(path, { exclusive: true })
    t.after(() => store.close())
    assert.deepEqual(await store.heldDomains(), ['domain'])
    assert.deepEqual(await store.cancelRequests(), ['email'])
    const everything = { companyId: null, domain: null, emailId: null, now: NOW }
    assert.deepEqual(await store.retry(everything), { retried: 2, held: 1, paused: 0, scheduled: 0 })
    assert.equal(await store.releaseHeld('domain', { now: NOW, dueBefore: later + 9 }), 1)
    assert.deepEqual(await store.heldDomains(), [])
    assert.equal(await store.recover({ now: NOW, jitterMs: 0 }), 1)
    assert.deepEqual(await states(store, 'email'), ['waiting', 'waiting', 'waiting', 'canceled'])
    assert.deepEqual(await store.counts(NOW), { waiting: 3, sending: 0, quarantined: 0, due: 3 })
  })

  test('processes that start at the same time make one schema', async (t) => {
    const path = join(temporaryDirectory(t), 'a.db')
    const stores = await Promise.all(
      Array.from({ length: 4 }, () => SqliteStore.open(path, { exclusive: false })),
    )
    await Promise.all(stores.map((store) => store.probe()))
    await Promise.all(stores.map((store) => store.close()))
    const db = openForWriting(path)
    t.after(() => db.close())
    assert.deepEqual(
      applied(db),
      MIGRATIONS.map(({ name }, index) => ({ version: index + 1, name })),
    )
  })
})
