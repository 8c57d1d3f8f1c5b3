/** A poller that follows `next` while several nodes write to PostgreSQL, where numbers are committed in another order than they are drawn. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { Client } from 'pg'
import { DIGEST, digestStep } from '../../../src/events/digest.ts'
import { findEvents } from '../../../src/events/find.ts'
import { NoticeReader } from '../../../src/events/notice-reader.ts'
import { Searches } from '../../../src/events/searches.ts'
import { type EventQuery, readQuery } from '../../../src/http/form/log/query.ts'
import { END, searchEvents } from '../../../src/http/form/log/search.ts'
import type { LogCursor } from '../../../src/http/form/log/token.ts'
import { PostgresStore } from '../../../src/store/postgres/postgres-store.ts'
import { acme, email, NOW, node } from '../../store/samples.ts'
import { freshDatabase, withoutPostgres } from '../../support/postgres.ts'

const WRITERS = 6
const ROUNDS = 20

/** As every statement that writes events does it: the number is the column's own affair. */
const INSERT = `INSERT INTO events (email, company, recipient, at, type)
  SELECT $1, 1, 0, $2::int8, 'opened' FROM generate_series(1, $3::int) RETURNING number::int AS number`

describe('a poller of events in PostgreSQL', { skip: withoutPostgres() }, () => {
  test('misses nothing and reads nothing twice, whichever node answers', async (t) => {
    const url = await freshDatabase(t)
    const nodes = await Promise.all([PostgresStore.open(url), PostgresStore.open(url)])
    t.after(() => Promise.all(nodes.map((store) => store.close())))
    const [here] = nodes
    const token = await here!.join(node('here'))
    const owner = await acme(here!)
    const value = email(owner, ['a@x.test'], { tags: [{ name: 'tag', value: 'bulk-email' }] })
    await here!.accept(value, { token })
    const searches = nodes.map((store) => new Searches({ store, noticeReader: new NoticeReader(store) }))

    /** One page, of one node after the other. */
    let asked = 0
    const page = (query: EventQuery, place: LogCursor | null) =>
      searchEvents(searches[asked++ % searches.length]!, {
        caller: { companyId: owner.id },
        domain: null,
        wanted: readQuery({ event: 'opened', ...query }),
        place,
        base: 'http://mail.test',
        gone: () => false,
      })
    // The position of a client that has read the newest events and waits for earlier ones.
    const newest = await page({}, { upTo: END })
    assert.deepEqual(newest.items, [])

    const seed = fc.sample(fc.nat(), 1)[0]!
    t.diagnostic(`seed ${seed}`)
    const steps = fc.sample(fc.record({ events: fc.nat(3), trips: fc.nat(12), kept: fc.nat(4) }), {
      seed,
      numRuns: WRITERS * ROUNDS,
    })
    const written: number[] = []
    let writing = WRITERS
    const writers = Array.from({ length: WRITERS }, async () => {
      const client = new Client({ connectionString: url })
      await client.connect()
      t.after(() => client.end())
      for (let round = 0; round < ROUNDS; round++) {
        const { events, trips, kept } = steps.pop()!
        await client.query('BEGIN')
        const { rows } = await client.query<{ number: number }>(INSERT, [value.id, NOW, events + 1])
        // Held open for some round trips, so that others overtake it.
        for (let trip = 0; trip < trips; trip++) await client.query('SELECT 1')
        if (kept > 0) written.push(...rows.map(({ number }) => number))
        await client.query(kept > 0 ? 'COMMIT' : 'ROLLBACK')
      }
      writing--
    })
    const digesting = async () => {
      let cursor = (await here!.takeFollower(DIGEST, token, 0))!
      while (writing > 0) cursor = (await digestStep(here!, { name: DIGEST, token, cursor }))!.cursor
    }
    const polled = async (query: EventQuery, from: LogCursor | null, onward: 'next' | 'previous') => {
      const seen: number[] = []
      let place = from
      // A page may end below the last number while anything is under way.
      for (let end = Number.POSITIVE_INFINITY; place === null || !('after' in place) || place.after < end; ) {
        if (writing === 0) end = await here!.lastEventNumber()
        const found = await page(query, place)
        seen.push(...found.notices.map(({ event }) => event.number))
        place = found[onward]
      }
      return seen
    }
    const [, , fromFirst, tagged, before] = await Promise.all([
      Promise.all(writers),
      digesting(),
      polled({ ascending: 'yes', limit: 7 }, null, 'next'),
      polled({ ascending: 'yes', limit: 300, tags: 'bulk-email' }, null, 'next'),
      polled({ limit: 7 }, newest.previous, 'previous'),
    ])
    written.sort((a, b) => a - b)
    assert.ok(written.length > 100)
    assert.deepEqual(fromFirst, written)
    assert.deepEqual(tagged, written)
    assert.deepEqual(
      before.toSorted((a, b) => a - b),
      written,
    )
  })

  test('does not wait for a long transaction, and gets its events when it ends', async (t) => {
    const url = await freshDatabase(t)
    const store = await PostgresStore.open(url)
    t.after(() => store.close())
    const owner = await acme(store)
    const parts = { store, noticeReader: new NoticeReader(store) }
    const filter = { companyId: owner.id }
    const forward = { newestFirst: false, limit: 100 }
    const [early, late] = [email(owner, ['a@x.test']), email(owner, ['b@x.test'])]
    await store.accept(early, null)
    // Of another database of the server, too, a transaction may be under way.
    const behind = async (after: number) => {
      for (;;) {
        const page = await findEvents(parts, filter, { ...forward, after })
        if (page.events.length > 0) return page
        assert.equal(page.complete, true)
      }
    }
    const first = await behind(0)
    assert.equal(first.events.length, 1)

    const rival = new Client({ connectionString: url })
    await rival.connect()
    t.after(() => rival.end())
    await rival.query('BEGIN')
    await rival.query(INSERT, [early.id, NOW, 1])
    await store.accept(late, null)
    const second = await findEvents(parts, filter, { ...forward, after: first.upTo })
    assert.deepEqual([second.events, second.upTo, second.complete], [[], first.upTo, true])

    await rival.query('COMMIT')
    const third = await behind(second.upTo)
    assert.deepEqual(
      third.events.map(({ event }) => [event.emailId, event.type]),
      [
        [early.id, 'opened'],
        [late.id, 'sent'],
      ],
    )
  })
})
