import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { Company } from '../../../src/accounts/account.ts'
import type { EventFilter, EventType } from '../../../src/email/event.ts'
import { findEvents } from '../../../src/events/find.ts'
import { findEmails } from '../../../src/events/find-emails.ts'
import { NoticeReader } from '../../../src/events/notice-reader.ts'
import { EVENTS_A_SEGMENT } from '../../../src/store/digest.ts'
import type { EmailFilter, NewEmail, Store } from '../../../src/store/store.ts'
import { acme, attempt, email, NOW, node, result } from '../samples.ts'
import type { OpenBench } from './contract.ts'
import { digest } from './digest.ts'
import { allEmails, allEvents, everything, history, type Logged, wants, wantsEmail } from './history.ts'

export function findContract(open: OpenBench): void {
  describe('finding emails and events', () => {
    test('finds the same emails and events as looking at each, however far it has come', async (t) => {
      const { store } = await open(t)
      const token = await store.join(node('here'))
      const { owner, other, values } = await history(store, token)
      const { events } = await everything(store)
      assert.ok(events.length > EVENTS_A_SEGMENT, 'more than one segment')
      const parts = { store, noticeReader: new NoticeReader(store) }
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
        { tags: [{ name: 'TAG' }] },
        { tags: [{ name: 'tag', value: 'T4' }, { name: 'none' }], types: ['sent'] },
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
        { tag: { name: 't4' } },
        { domainId: 'second' },
        { domainId: 'second', since: at(100), until: at(200) },
        { to: 'user9@y.test', subject: values[400]!.id.slice(-3) },
        { since: at(100), until: at(110) },
        { keyId: 'other' },
        { keyId: 'other', domainId: 'second', tag: { name: 'tag' } },
        { words: ['welcome aboard'] },
        { words: ['aboard', 'GROSSE'] },
        { words: ['grösse', '9'], keyId: 'other' },
        { words: ['nothing'] },
      ]
      // A part, and all of it.
      for (const steps of [2, Number.POSITIVE_INFINITY]) {
        await digest(store, token, steps)
        const companies = steps === 2 ? [owner.id] : [owner.id, other.id]
        for (const companyId of companies) {
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
        }
        for (const companyId of [...companies, null]) {
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
      await searchedAtRandom(store, owner, values, events)
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

    test('a page contains its end, and a client that continues from there gets the new entries', async (t) => {
      const { store } = await open(t)
      const token = await store.join(node('here'))
      const owner = await acme(store)
      const parts = { store, noticeReader: new NoticeReader(store) }
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
      const notices = [...first.events, ...second.events]
      assert.deepEqual(
        notices.map(({ event, email }) => [event.address, email?.id]),
        [
          ['a@x.test', value.id],
          ['b@x.test', value.id],
        ],
      )
      assert.equal(new Set(notices.map(({ id }) => id)).size, 2)
      const [again] = (await findEvents(parts, filter, { newestFirst: false, limit: 1 })).events
      assert.equal(again!.id, notices[0]!.id, 'an event keeps its id')
    })

    test('a client that pages meets each entry once while new ones arrive, in either direction', async (t) => {
      const { store } = await open(t)
      const token = await store.join(node('here'))
      const owner = await acme(store)
      const parts = { store, noticeReader: new NoticeReader(store) }
      const ids: string[] = []
      const arrive = async () => {
        const value = email(owner, ['a@x.test'])
        ids.push(value.id)
        await store.accept(value, { token })
        await store.record(attempt(value, token, [result(0)]))
        if (ids.length % 4 === 0) await digest(store, token)
      }
      for (let n = 0; n < 10; n++) await arrive()
      const filters: Omit<EventFilter, 'companyId'>[] = [{}, { types: ['sent'] }, { domainId: 'domain' }]
      for (const filter of filters) {
        const types = filter.types ?? ['sent', 'delivered']
        const wanted = { companyId: owner.id, ...filter }
        const seen: string[] = []
        const there = ids.length
        for (let upTo = Number.MAX_SAFE_INTEGER, complete = false; !complete; ) {
          const page = await findEvents(parts, wanted, { upTo, newestFirst: true, limit: 3 })
          seen.unshift(...page.events.map(({ event }) => `${event.emailId} ${event.type}`).reverse())
          upTo = page.after
          complete = page.complete
          await arrive()
        }
        const each = (some: string[]) => some.flatMap((id) => types.map((type) => `${id} ${type}`))
        assert.deepEqual(seen, each(ids.slice(0, there)), 'back from the newest there was')

        const polled: string[] = []
        let coming = 5
        for (let after = 0, complete = false; !complete || coming > 0; coming--) {
          const page = await findEvents(parts, wanted, { after, newestFirst: false, limit: 3 })
          polled.push(...page.events.map(({ event }) => `${event.emailId} ${event.type}`))
          after = page.upTo
          complete = page.complete
          if (coming > 0) await arrive()
        }
        assert.deepEqual(polled, each(ids), 'forward, with all that came')
      }
      for (const filter of [{}, { to: 'A@x.test' }]) {
        const seen: string[] = []
        const there = ids.length
        for (let next: string | null | undefined; next !== null; ) {
          const place = next === undefined ? {} : { olderThan: next }
          const page = await findEmails(store, { companyId: owner.id, ...filter }, { ...place, limit: 4 })
          seen.unshift(...page.emails.map(({ id }) => id).reverse())
          next = page.next
          await arrive()
        }
        assert.deepEqual(seen, ids.slice(0, there))
        const newer: string[] = [ids[0]!]
        for (let coming = 5; ; coming--) {
          const place = { newerThan: newer.at(-1)!, limit: 4 }
          const page = await findEmails(store, { companyId: owner.id, ...filter }, place)
          newer.push(...page.emails.map(({ id }) => id).reverse())
          if (page.complete && coming <= 0) break
          if (coming > 0) await arrive()
        }
        assert.deepEqual(newer, ids)
      }
    })
  })
}

const DAYTIME = fc.integer({ min: -60, max: 700 }).map((n) => NOW + n * 60_000)
const TAG = fc.constantFrom(
  { name: 'tag' },
  { name: 'tag', value: 't0' },
  { name: 'tag', value: 'T4' },
  { name: 'tag', value: 'none' },
  { name: 'kind', value: 'letter' },
)
const COMMON = {
  domainId: fc.constantFrom('first', 'second', 'nowhere'),
  since: DAYTIME,
  until: DAYTIME,
}

/** Any filters together, any pages: the results are those of a look at each. fast-check prints the seed. */
async function searchedAtRandom(
  store: Store,
  { id: companyId }: Pick<Company, 'id'>,
  values: readonly NewEmail[],
  events: readonly Logged[],
): Promise<void> {
  const parts = { store, noticeReader: new NoticeReader(store) }
  const eventFilter = fc.record(
    {
      ...COMMON,
      types: fc.subarray(['sent', 'delivered', 'delivery_delayed', 'bounced'] as const),
      recipient: fc.constantFrom('user0@x.test', 'USER9@y.test', 'nobody@x.test'),
      emailId: fc.constantFrom(values[3]!.id, values[4]!.id),
      tags: fc.array(TAG, { minLength: 1, maxLength: 2 }),
    },
    { requiredKeys: [] },
  )
  const page = { newestFirst: fc.boolean(), limit: fc.integer({ min: 20, max: 300 }) }
  await fc.assert(
    fc.asyncProperty(eventFilter, fc.record(page), async (filter, { newestFirst, limit }) => {
      const wanted = events
        .filter((event) => wants({ companyId, ...filter }, event, values))
        .map(({ number }) => number)
      const found = await allEvents(parts, { companyId, ...filter }, newestFirst, limit)
      assert.deepEqual(found, newestFirst ? wanted.toReversed() : wanted)
    }),
    { numRuns: 60 },
  )
  const lastEvents = new Map<string, EventType>()
  const most = { looks: 1_000, limit: 1_000, octets: Number.MAX_SAFE_INTEGER }
  const walk = { above: 0, below: Number.MAX_SAFE_INTEGER, newestFirst: true, ...most }
  for (const { email } of (await store.walkEmails({ companyId: null }, walk)).emails) {
    lastEvents.set(email.id, email.lastEvent)
  }
  const had = new Map(values.map(({ id }) => [id, new Set<EventType>()]))
  for (const { emailId, type } of events) had.get(emailId)?.add(type)
  const emailFilter = fc.record(
    {
      ...COMMON,
      to: fc.constantFrom('user0@x.test', 'USER9@y.test', 'nobody@x.test'),
      from: fc.constantFrom('SENDER@', 'nobody'),
      subject: fc.constantFrom('subject', '1', 'nothing like it'),
      words: fc.subarray(['welcome', 'aboard welcome', 'Größe 1'], { minLength: 1 }),
      keyId: fc.constantFrom('key', 'other', 'none'),
      tag: TAG,
      toPart: fc.constantFrom('SER9@', '@y.', 'nobody'),
      events: fc.subarray(['delivered', 'sent', 'delivery_delayed', 'bounced'] as const),
      hadEvents: fc.subarray(['delivered', 'sent', 'delivery_delayed', 'bounced'] as const),
    },
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(companyId, null),
      emailFilter,
      fc.record(page),
      async (of, filter, page) => {
        const { newestFirst, limit } = page
        const wanted = values
          .filter((value) =>
            wantsEmail({ companyId: of, ...filter }, value, lastEvents.get(value.id), had.get(value.id)),
          )
          .map(({ id }) => id)
        const found = await allEmails(store, { companyId: of, ...filter }, newestFirst, limit)
        assert.deepEqual(found, newestFirst ? wanted.toReversed() : wanted)
      },
    ),
    { numRuns: 60 },
  )
}
