import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { SeverableWay } from '../../harness/severable.ts'
import type { LoggedEvent } from '../../src/email/event.ts'
import { type FollowOptions, follow } from '../../src/events/follow.ts'
import { eventsBehind, lastEvents } from '../../src/events/page.ts'
import { PostgresStore } from '../../src/store/postgres/postgres-store.ts'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../src/store/store.ts'
import { temporaryDirectory } from '../store/directory.ts'
import { rivalOf } from '../store/postgres/faults/rival.ts'
import { acme, attempt, email, result } from '../store/samples.ts'
import { freshDatabase, withoutPostgres } from '../support/postgres.ts'

/** Views of one database. */
type Open = (context: TestContext) => Promise<() => Promise<Store>>

const sqlite: Open = async (context) => {
  const path = join(temporaryDirectory(context), 'postroad.db')
  return async () => closedWith(context, await SqliteStore.open(path, { exclusive: false }))
}

const postgres: Open = async (context) => {
  const url = await freshDatabase(context)
  return async () => closedWith(context, await PostgresStore.open(url))
}

function closedWith(context: TestContext, store: Store): Store {
  context.after(() => store.close())
  return store
}

function following(context: TestContext, rest: Partial<FollowOptions> = {}) {
  const end = new AbortController()
  context.after(() => end.abort())
  return { end, input: { after: 0, filter: {}, signal: end.signal, ...rest } }
}

/** The next so many events, however they are bunched. */
async function take(events: AsyncGenerator<LoggedEvent[]>, count: number): Promise<LoggedEvent[]> {
  const taken: LoggedEvent[] = []
  while (taken.length < count) {
    const { value, done } = await events.next()
    assert.equal(done, false)
    taken.push(...(value as LoggedEvent[]))
  }
  assert.equal(taken.length, count)
  return taken
}

/** An email that is delivered at once: two events. */
async function deliver(store: Store, owner: { id: string }, to = 'a@x.test'): Promise<string> {
  const value = email(owner, [to])
  await store.accept(value, { token: 1 })
  await store.record(attempt(value, 1, [result(0)]))
  return value.id
}

function followed(name: string, open: Open): void {
  describe(`following the log of ${name}`, () => {
    test('gives every event once, whatever process wrote it, and continues without a gap after an interruption', async (t) => {
      const view = await open(t)
      const [here, there, reader] = [await view(), await view(), await view()]
      const owner = await acme(here)
      const first = following(t)
      const events = follow(reader, first.input)
      const ids = [await deliver(here, owner)]
      const seen = await take(events, 2)
      ids.push(await deliver(there, owner), await deliver(here, owner))
      seen.push(...(await take(events, 4)))
      first.end.abort()
      assert.deepEqual(await events.next(), { value: undefined, done: true })

      ids.push(await deliver(there, owner))
      const again = follow(await view(), following(t, { after: seen.at(-1)!.number }).input)
      ids.push(await deliver(here, owner))
      seen.push(...(await take(again, 4)))
      assert.deepEqual(
        seen.map(({ emailId, type }) => [emailId, type]),
        ids.flatMap((id) => [
          [id, 'sent'],
          [id, 'delivered'],
        ]),
      )
    })

    test('returns only the events that the filter selects', async (t) => {
      const store = await (await open(t))()
      const owners = [await acme(store), await acme(store, 'Other')]
      const filter = { companyId: owners[1]!.id, types: ['delivered' as const] }
      const events = follow(store, following(t, { filter }).input)
      const wanted: string[] = []
      for (const owner of [...owners, ...owners]) {
        const id = await deliver(store, owner)
        if (owner === owners[1]) wanted.push(id)
      }
      assert.deepEqual(
        (await take(events, 2)).map(({ emailId }) => emailId),
        wanted,
      )
    })

    test('ends at once while nothing comes', async (t) => {
      const store = await (await open(t))()
      const { end, input } = following(t)
      const next = follow(store, input).next()
      await store.probe()
      end.abort()
      assert.equal((await next).done, true)
    })

    test('begins with the last selected events, however far back they are', async (t) => {
      const store = await (await open(t))()
      const owner = await acme(store)
      const rare = await acme(store, 'Rare')
      const ids = [await deliver(store, rare), await deliver(store, rare)]
      const many = email(
        owner,
        Array.from({ length: 1_500 }, (_, n) => `a${n}@x.test`),
      )
      await store.accept(many, { token: 1 })
      await store.record(
        attempt(
          many,
          1,
          many.recipients.map((_, n) => result(n)),
        ),
      )
      const of = async (limit: number) => (await lastEvents(store, { companyId: rare.id }, limit)).events
      assert.deepEqual(
        (await of(10)).map(({ emailId }) => emailId),
        [ids[0], ids[0], ids[1], ids[1]],
      )
      assert.deepEqual(
        (await of(3)).map(({ emailId, type }) => [emailId, type]),
        [
          [ids[0], 'delivered'],
          [ids[1], 'sent'],
          [ids[1], 'delivered'],
        ],
      )
      const last = await lastEvents(store, {}, 2)
      assert.deepEqual(
        last.events.map(({ recipient }) => recipient),
        [1_498, 1_499],
      )
      assert.equal(last.events.at(-1)!.number, last.end)
      const behind = await eventsBehind(store, last.events[0]!.number, {}, 10)
      assert.deepEqual(behind, last.events.slice(1))
      assert.equal((await eventsBehind(store, 0, { companyId: owner.id }, 1_200)).length, 1_200)
    })
  })
}

followed('SQLite', sqlite)

describe('on a real server', { skip: withoutPostgres() }, () => {
  followed('PostgreSQL', postgres)

  test('the reader waits out an outage, reports it once, and misses no event', async (t) => {
    const url = new URL(await freshDatabase(t))
    await using way = await SeverableWay.to(url.hostname, Number(url.port || 5432))
    const writer = closedWith(t, await PostgresStore.open(url.href))
    url.host = `127.0.0.1:${way.port}`
    const reader = closedWith(t, await PostgresStore.open(url.href))
    const owner = await acme(writer)
    const told: string[] = []
    const away = Promise.withResolvers<void>()
    const events = follow(
      reader,
      following(t, {
        onOutage: () => {
          told.push('outage')
          away.resolve()
        },
        onReturn: () => told.push('return'),
      }).input,
    )
    const ids = [await deliver(writer, owner)]
    const seen = await take(events, 2)
    way.severByReset()
    const rest = take(events, 4)
    await away.promise
    ids.push(await deliver(writer, owner), await deliver(writer, owner))
    way.mend()
    seen.push(...(await rest))
    assert.deepEqual(
      seen.map(({ emailId }) => emailId),
      ids.flatMap((id) => [id, id]),
    )
    assert.deepEqual(told, ['outage', 'return'])
  })

  test('a follower can stop while a long transaction delays the answer', async (t) => {
    const url = await freshDatabase(t)
    const store = closedWith(t, await PostgresStore.open(url))
    const owner = await acme(store)
    const rival = await rivalOf(t, url)
    await rival.query('SELECT pg_current_xact_id()')
    await deliver(store, owner)
    const { end, input } = following(t)
    const events = follow(store, input)
    const next = events.next()
    for (let trips = 0; trips < 20; trips++) await store.probe()
    end.abort()
    assert.equal((await next).done, true)
    await rival.query('ROLLBACK')
    assert.equal((await take(follow(store, following(t).input), 2)).length, 2)
  })
})
