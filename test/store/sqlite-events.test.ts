import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import type { Company } from '../../src/accounts/account.ts'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { temporaryDirectory } from './directory.ts'
import { acme, attempt, email, NOW, result } from './samples.ts'

async function open(t: TestContext): Promise<{ store: SqliteStore; path: string; owner: Company }> {
  const path = join(temporaryDirectory(t), 'a.db')
  const store = await SqliteStore.open(path, { exclusive: true })
  t.after(() => store.close())
  return { store, path, owner: await acme(store) }
}

/** Events of one email, numbered from `from` on. */
function fill(path: string, from: number, count: number): void {
  const db = new DatabaseSync(path)
  db.exec(`
    WITH RECURSIVE n (number) AS (SELECT ${from} UNION ALL SELECT number + 1 FROM n WHERE number < ${from + count - 1})
    INSERT INTO events (number, email, company, recipient, type, at) SELECT number, 1, 1, 0, 'opened', ${NOW} FROM n;
    UPDATE counters SET value = ${from + count - 1} WHERE name = 'events'`)
  db.close()
}

describe('the log of the SQLite store', () => {
  test('gives events by number with their company and email, and continues after the last', async (t) => {
    const { store, owner } = await open(t)
    assert.equal(await store.lastEventNumber(), 0)
    assert.deepEqual(await store.eventsAfter(0, {}, 10), { events: [], cursor: 0 })
    const value = email(owner, ['a@x.test', 'b@y.test'])
    await store.accept(value, { token: 1 })
    await store.record(attempt(value, 1, [result(1)]))
    const page = await store.eventsAfter(0, {}, 10)
    const common = { emailId: value.id, companyId: owner.id }
    assert.deepEqual(page, {
      events: [
        { number: 1, ...common, recipient: null, address: null, type: 'sent', at: NOW, detail: {} },
        {
          number: 2,
          ...common,
          recipient: 1,
          address: 'b@y.test',
          type: 'delivered',
          at: NOW + 1_000,
          detail: { code: 250 },
        },
      ],
      cursor: 2,
    })
    assert.equal(await store.lastEventNumber(), 2)
    assert.deepEqual(await store.eventsAfter(0, {}, 1), { events: page.events.slice(0, 1), cursor: 1 })
    assert.deepEqual(await store.eventsAfter(2, {}, 10), { events: [], cursor: 2 })
    assert.deepEqual(await store.eventsAfter(9, {}, 10), { events: [], cursor: 9 })
  })

  test('narrows by company and type; the cursor rises all the same', async (t) => {
    const { store, owner } = await open(t)
    const other = await acme(store, 'Other')
    const values = [email(owner, ['a@x.test']), email(other, ['a@x.test'])]
    for (const value of values) {
      await store.accept(value, { token: 1 })
      await store.record(attempt(value, 1, [result(0)]))
    }
    const of = async (filter: Parameters<typeof store.eventsAfter>[1]) => {
      const { events, cursor } = await store.eventsAfter(0, filter, 10)
      return [cursor, ...events.map(({ number }) => number)]
    }
    assert.deepEqual(await of({ companyId: other.id }), [4, 3, 4])
    assert.deepEqual(await of({ types: ['delivered', 'bounced'] }), [4, 2, 4])
    assert.deepEqual(await of({ companyId: owner.id, types: ['sent'] }), [4, 1])
    assert.deepEqual(await of({ types: [] }), [4])
    assert.deepEqual(await of({ companyId: 'nobody' }), [4])
  })

  test('reads a bounded part of the log for one answer, and passes over removed events', async (t) => {
    const { store, path, owner } = await open(t)
    await store.accept(email(owner, ['a@x.test']), { token: 1 })
    fill(path, 1_000_001, 12_000)
    const other = await acme(store, 'Other')
    const late = email(other, ['a@x.test'])
    await store.accept(late, null)
    const cursors: number[] = []
    for (let cursor = 1; ; ) {
      const page = await store.eventsAfter(cursor, { companyId: other.id }, 10)
      cursor = page.cursor
      cursors.push(cursor)
      if (page.events.length > 0) {
        assert.deepEqual(
          page.events.map(({ emailId }) => emailId),
          [late.id],
        )
        break
      }
    }
    assert.deepEqual(cursors, [1_005_000, 1_010_000, 1_012_001])
  })

  test('the last event of an email is the one with the highest number, among the types that count', async (t) => {
    const { store, path, owner } = await open(t)
    const value = email(owner, ['a@x.test'])
    await store.accept(value, { token: 1 })
    const events = [
      { type: 'complained' as const, at: NOW + 2, detail: {} },
      { type: 'delivered' as const, at: NOW + 1, detail: {} },
      { type: 'unsubscribed' as const, at: NOW + 3, detail: {} },
    ]
    await store.record(attempt(value, 1, [result(0, { events })]))
    assert.equal((await store.readEmail(value.id))?.lastEvent, 'delivered')
    assert.equal((await store.listEmails({ limit: 1 }))[0]?.lastEvent, 'delivered')
    const db = new DatabaseSync(path)
    t.after(() => db.close())
    const types = db.prepare('SELECT type FROM events ORDER BY number').all()
    assert.deepEqual(
      types.map(({ type }) => type),
      ['sent', 'complained', 'delivered', 'unsubscribed'],
    )
  })
})
