import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { EventFilter } from '../../../src/email/event.ts'
import { DIGEST, digestStep } from '../../../src/events/digest.ts'
import { findEvents } from '../../../src/events/find.ts'
import { findEmails } from '../../../src/events/find-emails.ts'
import { Teller } from '../../../src/events/tell.ts'
import { EVENTS_A_SEGMENT } from '../../../src/store/digest.ts'
import type { EmailFilter, NewEmail, Store } from '../../../src/store/store.ts'
import { accept, acme, attempt, DAY, deferred, email, HOUR, NOW, newId, node, result } from '../samples.ts'
import type { OpenBench } from './contract.ts'

/** Digests what there is; with `most` steps, so much of it. */
async function digest(store: Store, token: number, most = Number.POSITIVE_INFINITY): Promise<number> {
  let cursor = (await store.takeFollower(DIGEST, token, 0))!
  for (let steps = 0; steps < most; steps++) {
    const next = await digestStep(store, { name: DIGEST, token, cursor })
    assert.ok(next !== null)
    if (next.cursor === cursor) break
    cursor = next.cursor
  }
  return cursor
}

const ADDRESSES = Array.from({ length: 10 }, (_, n) => `User${n}@${n % 2 === 0 ? 'x' : 'y'}.test`)

function resultsOf({ recipients, createdAt: at }: NewEmail, n: number) {
  return recipients.map((_, position) =>
    position === recipients.length - 1 && n % 11 === 0
      ? deferred(position, at + HOUR, { events: [{ type: 'delivery_delayed', at: at + 1_000, detail: {} }] })
      : result(position, { events: [{ type: 'delivered', at: at + 1_000, detail: {} }] }),
  )
}

/** Emails of two companies, with more events than one segment has. */
async function history(store: Store, token: number) {
  const owners = [await acme(store), await acme(store, 'Other')]
  const all = Array.from({ length: 600 }, (_, n) => {
    // Ids tell when an email was accepted.
    const at = NOW + n * 60_000
    const time = at
      .toString(16)
      .padStart(12, '0')
      .replace(/^(.{8})/, '$1-')
    return email(owners[n % 7 === 0 ? 1 : 0]!, n % 3 === 0 ? ADDRESSES : ADDRESSES.slice(n % 10), {
      id: `${time}-7000-8000-${String(n).padStart(12, '0')}`,
      createdAt: at,
      domainId: n % 5 === 0 ? 'second' : 'first',
      tags: n % 4 === 0 ? [{ name: 'tag', value: `t${n % 8}` }] : [],
    })
  })
  for (let from = 0; from < all.length; from += 50) {
    const some = all.slice(from, from + 50)
    await Promise.all(some.map((value) => store.accept(value, { token })))
    await Promise.all(
      some.map((value, index) => store.record(attempt(value, token, resultsOf(value, from + index)))),
    )
  }
  // Some are committed in another order than they were handed in.
  const placed = await Promise.all(
    all.map(async (value) => ({ value, place: await store.emailPlace(value.id) })),
  )
  const values = placed.toSorted((a, b) => a.place - b.place).map(({ value }) => value)
  return { owner: owners[0]!, other: owners[1]!, values }
}

export function digestContract(open: OpenBench): void {
  describe('what is made of the log', () => {
    test('counts events by time, tag and recipient domain, each once', async (t) => {
      const { store, another } = await open(t)
      const other = await another()
      const token = await store.join(node('here'))
      const owner = await acme(store)
      const tags = [{ name: 'tag', value: 'news' }]
      const first = email(owner, ['a@x.test', 'b@x.test', 'c@y.test'], { tags, domainId: 'd1' })
      const second = email(owner, ['a@x.test'], { createdAt: NOW + HOUR, domainId: 'd2' })
      const later = email(owner, ['a@x.test'], { scheduledAt: NOW + HOUR, dueAt: NOW + HOUR, domainId: 'd2' })
      await store.accept(first, { token })
      await store.accept(second, { token })
      await accept(store, later)
      const at = (ms: number) => ({ events: [{ type: 'delivered' as const, at: NOW + ms, detail: {} }] })
      await store.record(
        attempt(first, token, [result(0, at(1)), result(1, at(61_000)), result(2, at(62_000))]),
      )
      await digest(store, token, 1)
      await store.record(attempt(second, token, [result(0, at(HOUR))]))
      await digest(store, token)
      const end = await store.lastEventNumber()
      assert.equal(await store.followerCursor(DIGEST), end)

      const counts = async (change: object) => {
        const range = { since: NOW - DAY, until: NOW + DAY }
        const request = {
          companyId: owner.id,
          domainId: null,
          size: 'day',
          dimension: 'all',
          value: null,
        } as const
        const rows = await other.countEvents({ ...request, ...range, ...change })
        return rows.map(({ start, value, type, n }) => [start - NOW, value, type, n])
      }
      const day = Math.floor(NOW / DAY) * DAY - NOW
      assert.deepEqual(await counts({}), [
        [day, '', 'accepted', 5],
        [day, '', 'delivered', 4],
        [day, '', 'scheduled', 1],
        [day, '', 'sent', 2],
      ])
      assert.deepEqual(await counts({ size: 'minute', domainId: 'd1' }), [
        [0, '', 'accepted', 3],
        [0, '', 'delivered', 1],
        [0, '', 'sent', 1],
        [60_000, '', 'delivered', 2],
      ])
      assert.deepEqual(await counts({ size: 'hour', since: NOW + HOUR }), [
        [HOUR, '', 'accepted', 1],
        [HOUR, '', 'delivered', 1],
        [HOUR, '', 'sent', 1],
      ])
      assert.deepEqual(await counts({ dimension: 'tag', value: 'news' }), [
        [day, 'news', 'accepted', 3],
        [day, 'news', 'delivered', 3],
        [day, 'news', 'sent', 1],
      ])
      assert.deepEqual(await counts({ dimension: 'recipient-domain', domainId: 'd1' }), [
        [day, 'x.test', 'accepted', 2],
        [day, 'x.test', 'delivered', 2],
        [day, 'y.test', 'accepted', 1],
        [day, 'y.test', 'delivered', 1],
      ])
      assert.deepEqual(await counts({ companyId: newId() }), [])

      const { digest: again } = await store.digestAfter(0, 100)
      assert.equal(await store.keepDigest({ name: DIGEST, token, from: 0, to: end }, again), false)
      assert.equal(
        await store.keepDigest({ name: DIGEST, token: token + 9, from: end, to: end + 1 }, again),
        false,
      )
      assert.equal((await counts({}))[0]![3], 5, 'what was refused left nothing')

      const gone = { minute: NOW + DAY, hour: NOW + DAY, day: NOW - 2 * DAY }
      while (await store.trimDigest(gone));
      assert.deepEqual(await counts({ size: 'hour' }), [])
      assert.equal((await counts({})).length, 4)
    })

    test('finds the same emails and events as looking at each, however far it has come', async (t) => {
      const { store } = await open(t)
      const token = await store.join(node('here'))
      const { owner, other, values } = await history(store, token)
      const { events } = await everything(store)
      assert.ok(events.length > EVENTS_A_SEGMENT, 'more than one segment')
      const parts = { store, teller: new Teller(store) }
      const at = (n: number) => NOW + n * 60_000
      const numbers = events.map(({ number }) => number)
      const eventFilters: Omit<EventFilter, 'companyId'>[] = [
        {},
        { types: ['delivery_delayed'] },
        { types: ['sent', 'delivery_delayed'], domainId: 'second' },
        { types: [] },
        { domainId: 'first' },
        { domainId: 'nowhere' },
        { recipient: 'user3@Y.test' },
        { recipient: 'nobody@y.test' },
        { emailId: values[9]!.id },
        { tag: { name: 'tag' } },
        { tag: { name: 'tag', value: 't4' }, types: ['sent'] },
        { since: at(100), until: at(110) },
        { since: at(415) },
        { until: at(2), types: ['delivered'] },
      ]
      const emailFilters: Omit<EmailFilter, 'companyId'>[] = [
        {},
        { to: 'USER3@y.test' },
        { to: 'nobody@y.test' },
        { tag: { name: 'tag' } },
        { tag: { name: 'tag', value: 't4' }, domainId: 'second' },
        { domainId: 'second' },
        { domainId: 'second', since: at(100), until: at(200) },
        { to: 'user9@y.test', subject: values[400]!.id.slice(-3) },
        { since: at(100), until: at(110) },
      ]
      // A part, and all of it.
      for (const steps of [2, Number.POSITIVE_INFINITY]) {
        await digest(store, token, steps)
        for (const companyId of steps === 2 ? [owner.id] : [owner.id, other.id]) {
          for (const filter of eventFilters) {
            const wanted = events
              .filter((event) => wants({ companyId, ...filter }, event, values))
              .map(({ number }) => number)
            for (const newestFirst of [true, false]) {
              const about = JSON.stringify({ steps, filter, newestFirst })
              const found = await allEvents(parts, { companyId, ...filter }, newestFirst)
              assert.deepEqual(found, newestFirst ? wanted.toReversed() : wanted, about)
            }
          }
          for (const filter of emailFilters) {
            const wanted = values
              .filter((value) => wantsEmail({ companyId, ...filter }, value))
              .map(({ id }) => id)
            for (const newestFirst of [true, false]) {
              const about = JSON.stringify({ steps, filter, newestFirst })
              const found = await allEmails(store, { companyId, ...filter }, newestFirst)
              assert.deepEqual(found, newestFirst ? wanted.toReversed() : wanted, about)
            }
          }
        }
      }
      const middle = { after: numbers[2_000]!, upTo: numbers[4_400]!, newestFirst: false, limit: 1_000 }
      const some = await findEvents(parts, { companyId: owner.id, types: ['sent'] }, middle)
      assert.deepEqual(
        some.events.map(({ event }) => event.number),
        events
          .filter(({ companyId, type, number }) => {
            return companyId === owner.id && type === 'sent' && number > middle.after && number <= middle.upTo
          })
          .map(({ number }) => number),
      )
      assert.deepEqual([some.after, some.upTo, some.complete], [middle.after, middle.upTo, true])
      const also = await findEvents(
        parts,
        { companyId: owner.id },
        { newestFirst: true, limit: 3 },
        ({ event }) => {
          return event.address === 'User9@y.test'
        },
      )
      assert.deepEqual(
        also.events.map(({ event }) => event.address),
        ['User9@y.test', 'User9@y.test', 'User9@y.test'],
      )
    })

    test('a page says how far it goes, and who goes on from there gets what is new', async (t) => {
      const { store } = await open(t)
      const token = await store.join(node('here'))
      const owner = await acme(store)
      const parts = { store, teller: new Teller(store) }
      const filter = { companyId: owner.id, types: ['delivered' as const] }
      const empty = await findEvents(parts, filter, { newestFirst: false, limit: 10 })
      assert.deepEqual(empty, { events: [], after: 0, upTo: await store.lastEventNumber(), complete: true })
      const value = email(owner, ['a@x.test', 'b@x.test'])
      await store.accept(value, { token })
      const accepted = await findEvents(parts, filter, { after: empty.upTo, newestFirst: false, limit: 10 })
      assert.deepEqual([accepted.events, accepted.complete], [[], true])
      await store.record(attempt(value, token, [result(0), result(1)]))
      await digest(store, token)
      const first = await findEvents(parts, filter, { after: accepted.upTo, newestFirst: false, limit: 1 })
      assert.equal(first.complete, false)
      const second = await findEvents(parts, filter, { after: first.upTo, newestFirst: false, limit: 10 })
      assert.equal(second.complete, true)
      const told = [...first.events, ...second.events]
      assert.deepEqual(
        told.map(({ event, email }) => [event.address, email?.id]),
        [
          ['a@x.test', value.id],
          ['b@x.test', value.id],
        ],
      )
      assert.equal(new Set(told.map(({ id }) => id)).size, 2)
      const [again] = (await findEvents(parts, filter, { newestFirst: false, limit: 1 })).events
      assert.equal(again!.id, told[0]!.id, 'an event keeps its id')
    })

    test('lists of emails and events that retention has removed go', async (t) => {
      const { store, rows } = await open(t)
      const token = await store.join(node('here'))
      const owner = await acme(store)
      const value = email(owner, ['a@x.test'])
      await store.accept(value, { token })
      await store.record(attempt(value, token, [result(0)]))
      await digest(store, token)
      assert.ok((await rows('search_lists')) > 0)
      const older = { contentBefore: NOW + DAY, emailsBefore: NOW + DAY, limit: 100 }
      while ((await store.retain(older)) > 0);
      assert.deepEqual(
        (await findEmails(store, { companyId: owner.id, to: 'a@x.test' }, { limit: 5 })).emails,
        [],
      )
      const counts = { minute: 0, hour: 0, day: 0 }
      while (await store.trimDigest(counts));
      assert.ok((await rows('event_counts')) > 0)
    })
  })
}

async function everything(store: Store) {
  const events = []
  for (let cursor = 0; ; ) {
    const page = await store.eventsAfter(cursor, {}, 1_000)
    events.push(...page.events)
    if (page.cursor === cursor) return { events }
    cursor = page.cursor
  }
}

async function allEvents(parts: Parameters<typeof findEvents>[0], filter: EventFilter, newestFirst: boolean) {
  const found: number[] = []
  let range: { after?: number; upTo?: number } = {}
  for (let pages = 0; pages < 500; pages++) {
    const page = await findEvents(parts, filter, { ...range, newestFirst, limit: 300 })
    assert.ok(page.events.length <= 300)
    found.push(...page.events.map(({ event }) => event.number))
    if (page.complete) return found
    range = newestFirst ? { upTo: page.after } : { after: page.upTo }
  }
  throw new Error('the pages do not end')
}

async function allEmails(store: Store, filter: EmailFilter, newestFirst: boolean): Promise<string[]> {
  const found: string[] = []
  let next: string | null = newestFirst ? null : '00000000-0000-7000-8000-000000000000'
  for (let pages = 0; pages < 500; pages++) {
    const place = next === null ? {} : newestFirst ? { olderThan: next } : { newerThan: next }
    const page = await findEmails(store, filter, { ...place, limit: 40 })
    assert.ok(page.emails.length <= 40)
    const ids = page.emails.map(({ id }) => id)
    found.push(...(newestFirst ? ids : ids.toReversed()))
    if (page.complete) return found
    next = page.next
  }
  throw new Error('the pages do not end')
}

type Logged = Awaited<ReturnType<typeof everything>>['events'][number]

function wants(filter: EventFilter, event: Logged, values: readonly NewEmail[]): boolean {
  const { companyId, domainId, types, recipient, emailId, tag, since, until } = filter
  const of = values.find(({ id }) => id === event.emailId)!
  return (
    event.companyId === companyId &&
    (domainId === undefined || of.domainId === domainId) &&
    (types === undefined || types.includes(event.type)) &&
    (recipient === undefined || event.address?.toLowerCase() === recipient.toLowerCase()) &&
    (emailId === undefined || event.emailId === emailId) &&
    (tag === undefined || hasTag(of, tag)) &&
    (since === undefined || event.at >= since) &&
    (until === undefined || event.at < until)
  )
}

function wantsEmail(filter: EmailFilter, value: NewEmail): boolean {
  const { companyId, domainId, to, subject, tag, since, until } = filter
  return (
    value.companyId === companyId &&
    (domainId === undefined || value.domainId === domainId) &&
    (to === undefined ||
      value.recipients.some(({ address }) => address.toLowerCase() === to.toLowerCase())) &&
    (subject === undefined || value.content.subject.includes(subject)) &&
    (tag === undefined || hasTag(value, tag)) &&
    (since === undefined || value.createdAt >= since) &&
    (until === undefined || value.createdAt < until)
  )
}

function hasTag({ tags }: NewEmail, { name, value }: NonNullable<EmailFilter['tag']>): boolean {
  return tags.some((tag) => tag.name === name && (value === undefined || tag.value === value))
}
