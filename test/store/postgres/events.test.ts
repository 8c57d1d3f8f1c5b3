import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Client } from 'pg'
import type { LogFilter, LoggedEvent } from '../../../src/email/event.ts'
import { execute, withoutPostgres } from '../../support/postgres.ts'
import { postgresWithCompany } from '../opened.ts'
import { acme, attempt, email, NOW, newId, result } from '../samples.ts'
import { rivalOf } from './faults/rival.ts'

/** As every statement that writes events does it: the number is the column's own affair. */
const INSERT = `INSERT INTO events (email, company, recipient, at, type)
  SELECT '${newId()}', 1, n, ${NOW}, 'opened' FROM generate_series(1, $1::int) n RETURNING number::int AS number`

/** A small generator of numbers in [0, 1), the same for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let a = seed
  return () => {
    a = (a + 0x6d2b79f5) | 0
    let t = Math.imul(a ^ (a >>> 15), 1 | a)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

describe('the log of events in PostgreSQL', { skip: withoutPostgres() }, () => {
  test('is followed without missing one, whatever order transactions commit in', async (t) => {
    const { url, store } = await postgresWithCompany(t)
    const seed = Math.floor(Math.random() * 1e9)
    t.diagnostic(`seed ${seed}`)
    const random = randomOf(seed)
    const written: number[] = []
    const seen: number[] = []
    let writing = 8
    const writers = Array.from({ length: writing }, async () => {
      const client = new Client({ connectionString: url })
      await client.connect()
      t.after(() => client.end())
      for (let round = 0; round < 25; round++) {
        await client.query('BEGIN')
        const { rows } = await client.query<{ number: number }>(INSERT, [1 + Math.floor(random() * 4)])
        // Held open for some round trips, so that others overtake it.
        for (let trips = Math.floor(random() * 12); trips > 0; trips--) await client.query('SELECT 1')
        const kept = random() < 0.8
        if (kept) for (const { number } of rows) written.push(number)
        await client.query(kept ? 'COMMIT' : 'ROLLBACK')
      }
      writing -= 1
    })
    const follow = async () => {
      for (let cursor = 0, more = true; more; ) {
        const isWriting = writing > 0
        const page = await store.eventsAfter(cursor, {}, 7)
        seen.push(...page.events.map(({ number }) => number))
        assert.ok(page.cursor >= cursor)
        cursor = page.cursor
        // Transactions of other tests on the same server put off the end of the log.
        more = isWriting || cursor < Math.max(...written)
      }
    }
    await Promise.all([...writers, follow()])
    assert.deepEqual(
      seen,
      written.sort((a, b) => a - b),
    )
  })

  test('waits for a transaction that has drawn a number and not committed', async (t) => {
    const { url, store, owner } = await postgresWithCompany(t)
    const rival = await rivalOf(t, url)
    const { rows } = await rival.query<{ number: number }>(INSERT, [1])
    const value = email(owner, ['a@x.test'])
    await store.accept(value, { token: 1 })

    const answered: string[] = []
    const page = store.eventsAfter(0, {}, 10).finally(() => answered.push('page'))
    const last = store.lastEventNumber().finally(() => answered.push('last'))
    for (let trips = 0; trips < 50; trips++) await store.probe()
    assert.deepEqual(answered, [])

    await rival.query('COMMIT')
    const { events, cursor } = await page
    assert.deepEqual(
      events.map(({ number, type }) => [number, type]),
      [
        [rows[0]!.number, 'opened'],
        [cursor, 'sent'],
      ],
    )
    assert.equal(await last, cursor)
    assert.equal(events[1]!.emailId, value.id)
  })

  test('waits neither for a later transaction, nor again for a part that is known to be complete', async (t) => {
    const { url, store, owner } = await postgresWithCompany(t)
    const values = Array.from({ length: 3 }, () => email(owner, ['a@x.test']))
    for (const value of values) await store.accept(value, { token: 1 })
    const first = await store.eventsAfter(0, {}, 1)
    const rival = await rivalOf(t, url)
    await rival.query(INSERT, [1])
    const second = await store.eventsAfter(first.cursor, {}, 10)
    const found = [...first.events, ...second.events].map(({ emailId }) => emailId)
    assert.deepEqual(
      found,
      values.map(({ id }) => id),
    )
    await rival.query('ROLLBACK')
    // The number that was rolled back is passed over.
    const { events, cursor } = await store.eventsAfter(second.cursor, {}, 10)
    assert.deepEqual(events, [])
    assert.equal(cursor, second.cursor + 1)
  })

  test('is read in bounded steps, however few events match', async (t) => {
    const { url, store } = await postgresWithCompany(t)
    const other = await acme(store, 'other')
    await execute(url, INSERT, [12_000])
    const value = email(other, ['a@x.test'])
    await store.accept(value, { token: 1 })
    await store.record(attempt(value, 1, [result(0)]))
    const wanted = async (filter: LogFilter) => {
      const pages: LoggedEvent[][] = []
      for (let cursor = 0; ; ) {
        const page = await store.eventsAfter(cursor, filter, 10)
        if (page.cursor === cursor) return pages
        pages.push(page.events)
        cursor = page.cursor
      }
    }
    const pages = await wanted({ companyId: other.id })
    assert.deepEqual(
      pages.map(({ length }) => length),
      [0, 0, 2],
    )
    assert.deepEqual(
      pages[2]!.map(({ type, recipient, address, companyId }) => [type, recipient, address, companyId]),
      [
        ['sent', null, null, other.id],
        ['delivered', 0, 'a@x.test', other.id],
      ],
    )
    assert.deepEqual(
      (await wanted({ types: ['delivered', 'bounced'] })).flat().map(({ number }) => number),
      [12_002],
    )
    assert.deepEqual((await wanted({ companyId: 'nobody' })).flat(), [])
  })
})
