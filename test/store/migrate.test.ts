import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import { migration } from '../../src/store/migration.ts'
import { openForWriting } from '../../src/store/sqlite/database.ts'
import { migrate } from '../../src/store/sqlite/migrate.ts'
import { MIGRATIONS } from '../../src/store/sqlite/migrations/migrations.ts'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { StoreConflict } from '../../src/store/store.ts'
import { temporaryDirectory } from './directory.ts'
import { migrationsBefore } from './migrations-before.ts'
import { acme, claimRequest, email, node, states } from './samples.ts'
import { assertAnnounced, INSERT_TOLD } from './told-alerts.ts'
import { assertChecked, INSERT_UNCHECKED } from './unchecked-domains.ts'
import { assertSummedUp, INSERT_UNSUMMED } from './unsummed-rows.ts'

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

  test('rows of DMARC reports from before the sums are summed up, too', async (t) => {
    const { db, path } = open(t)
    migrate(db, path, migrationsBefore('0025', MIGRATIONS))
    db.exec(INSERT_UNSUMMED)
    migrate(db, path)
    const store = await SqliteStore.open(path, { exclusive: false })
    t.after(() => store.close())
    await assertSummedUp(store)
  })

  test('channels that were told of a problem know its beginning', async (t) => {
    const { db, path } = open(t)
    migrate(db, path, migrationsBefore('0029', MIGRATIONS))
    db.exec(INSERT_TOLD)
    migrate(db, path)
    const store = await SqliteStore.open(path, { exclusive: false })
    t.after(() => store.close())
    await assertAnnounced(store)
  })

  test('a domain that was never verified is checked soon', async (t) => {
    const { db, path } = open(t)
    migrate(db, path, migrationsBefore('0031', MIGRATIONS))
    db.exec(INSERT_UNCHECKED)
    migrate(db, path)
    const store = await SqliteStore.open(path, { exclusive: false })
    t.after(() => store.close())
    await assertChecked(store)
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

  test('one that was written anew under its old name is refused', (t) => {
    const { db, path } = open(t)
    migrate(db, path, [migration('0001-first', FIRST.sql)])
    migrate(db, path, [migration('0001-first', `-- A table.\n${FIRST.sql}\n`)])
    const anew = migration('0001-first', FIRST.sql.replace('a TEXT', 'a TEXT, b TEXT'))
    assert.throws(
      () => migrate(db, path, [anew]),
      /has "0001-first-\w+" where this Postroad has "0001-first-\w+": .*cannot be brought up to date/,
    )
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
          /has schema 2, but this Postroad supports schemas up to 1: it was written by a newer version/,
        )
        return true
      },
    )
  })

  test('other than those of this program are refused, with the next step', (t) => {
    const { db, path } = open(t)
    migrate(db, path, [{ ...FIRST, name: '0001-earlier' }, SECOND])
    assert.throws(
      () => migrate(db, path, [FIRST, SECOND]),
      (error) => {
        assert.ok(error instanceof StoreConflict)
        assert.match(
          error.message,
          /has "0001-earlier" where this Postroad has "0001-first": .*name a new database/,
        )
        assert.ok(error.message.includes(path))
        return true
      },
    )
    assert.deepEqual({ ...db.prepare('SELECT a, b FROM t').get() }, { a: 'row', b: 'row!' })
  })

  test('may come under a process that serves the schema before; the next start of that version is refused', async (t) => {
    const { db, path } = open(t)
    const store = await SqliteStore.open(path, { exclusive: true })
    t.after(() => store.close())
    const owner = await acme(store)
    const before = email(owner, ['a@x.test'])
    await store.accept(before, null)
    const sql = 'ALTER TABLE emails ADD COLUMN priority INTEGER NOT NULL DEFAULT 3'
    const upgraded = migrate(db, path, [...MIGRATIONS, { name: '0002-priority', sql }])
    assert.deepEqual(upgraded, { from: MIGRATIONS.length, to: MIGRATIONS.length + 1 })
    const after = email(owner, ['b@x.test'])
    await store.accept(after, null)
    const token = await store.join(node('here'))
    const claimed = await store.claim(claimRequest(token))
    assert.deepEqual(claimed.map(({ id }) => id).sort(), [before.id, after.id].sort())
    assert.deepEqual(await states(store, after.id), ['sending'])
    const priorities = db.prepare('SELECT priority FROM emails').all()
    assert.deepEqual(
      priorities.map(({ priority }) => priority),
      [3, 3],
    )
    await assert.rejects(SqliteStore.open(path, { exclusive: false }), /it was written by a newer version/)
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
