import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { EventDetail, EventType } from '../../../src/email/event.ts'
import { DIGEST, digestStep } from '../../../src/events/digest.ts'
import { findEmails } from '../../../src/events/find-emails.ts'
import {
  EMAILS_A_SEGMENT,
  EVERY_COMPANY,
  emailTerms,
  LIST,
  LONG_LIST,
  packPlaces,
  placesOf,
} from '../../../src/store/digest.ts'
import { latencyBucket } from '../../../src/store/latency.ts'
import type {
  BusiestRequest,
  GroupRequest,
  RankRequest,
  SeenTagsRequest,
  Store,
  SumRequest,
} from '../../../src/store/store.ts'
import { accept, acme, attempt, DAY, domain, email, HOUR, NOW, newId, node, result } from '../samples.ts'
import type { OpenBench } from './contract.ts'

/** Digests what there is; with `most` steps, so much of it. */
export async function digest(store: Store, token: number, most = Number.POSITIVE_INFINITY): Promise<number> {
  let cursor = (await store.takeFollower(DIGEST, token, 0))!
  for (let steps = 0; steps < most; steps++) {
    const next = await digestStep(store, { name: DIGEST, token, cursor })
    assert.ok(next !== null)
    if (next.cursor === cursor) break
    cursor = next.cursor
  }
  return cursor
}

export function digestContract(open: OpenBench): void {
  describe('the digest of the log', () => {
    test('takes tags that differ in the case of their letters for one, as it was spelt first', async (t) => {
      const { store } = await open(t)
      const token = await store.join(node('here'))
      const owner = await acme(store)
      const own = domain(owner, 'tags.test')
      await store.addDomain(own)
      for (const [index, value] of ['b', 'T2', 't2', 'T2'].entries()) {
        const tags = [{ name: 'tag', value }]
        const one = email(owner, ['a@x.test'], { tags, domainId: own.id, createdAt: NOW + index * DAY })
        await store.accept(one, { token })
      }
      await digest(store, token)
      const seen = async (tag: string | null) => {
        const found = await store.seenTags({
          ...{ companyId: owner.id, domainIds: [own.id], tag, prefix: '', after: null, before: null },
          ...{ order: { by: 'first', falling: false }, skip: 0, limit: 10, looks: 100 },
        })
        return found!.tags.map(({ tag, description, first, last, domainIds }) => {
          return [tag, description, Math.round((last - first) / DAY), domainIds]
        })
      }
      assert.deepEqual(await seen(null), [
        ['b', '', 0, []],
        ['T2', '', 2, []],
      ])
      for (const tag of ['t2', 'T2']) assert.deepEqual(await seen(tag), [['T2', '', 2, [own.id]]])
      const sums = await store.sumEvents({
        ...{
          companyId: owner.id,
          domainId: own.id,
          size: 'day',
          dimension: 'tag',
          value: 't2',
          by: 'domain',
        },
        ...{ since: 0, until: NOW + 10 * DAY, most: 100 },
      })
      assert.equal(sums!.find(({ type }) => type === 'accepted')?.n, 3)

      const note = { domainId: own.id, tag: 't2', description: 'second', removedAt: null }
      await store.noteTag({ ...note, tag: 'T2' })
      assert.deepEqual(await store.tagNotes(own.id, 'T2'), [note])
      assert.deepEqual(await seen('t2'), [['T2', 'second', 2, [own.id]]])
      await store.noteTag({ ...note, removedAt: NOW + 9 * DAY })
      assert.deepEqual(await seen('T2'), [])
    })

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
          most: 100,
        } as const
        const rows = await other.countEvents({ ...request, ...range, ...change })
        return rows?.map(({ start, value, type, n }) => [start - NOW, value, type, n])
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
      const start = Math.floor(NOW / 60_000) * 60_000
      assert.deepEqual(
        await counts({ size: 'minute', since: start, until: start + HOUR, step: 120_000, domainId: 'd1' }),
        [
          [start - NOW, '', 'accepted', 3],
          [start - NOW, '', 'delivered', 3],
          [start - NOW, '', 'sent', 1],
        ],
      )
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
      const minutes = { size: 'minute', domainId: 'd1' }
      assert.equal((await counts({ ...minutes, most: 4 }))?.length, 4)
      assert.equal(await counts({ ...minutes, most: 3 }), undefined)

      const groups = async (change: Partial<GroupRequest>) => {
        const range = { since: NOW - DAY, until: NOW + DAY, most: 100, skip: 0, limit: 10 }
        const asked = { companyId: owner.id, domainId: 'd1', size: 'minute', value: null } as const
        const by = { time: null, value: false }
        const found = await other.groupEvents({ ...asked, dimension: 'all', by, ...range, ...change })
        return (
          found && { ...found, groups: found.groups.map(({ start, value, sums }) => [start, value, sums]) }
        )
      }
      const sums = { accepted: 3, delivered: 3, sent: 1 }
      assert.deepEqual(await groups({}), { groups: [[null, '', sums]], total: 1, sums })
      const byMinute = [
        [NOW, '', { accepted: 3, delivered: 1, sent: 1 }],
        [NOW + 60_000, '', { delivered: 2 }],
      ]
      const bucket = { time: 'bucket', value: false } as const
      assert.deepEqual(await groups({ by: bucket }), { groups: byMinute, total: 2, sums })
      assert.deepEqual(await groups({ by: bucket, skip: 1 }), { groups: byMinute.slice(1), total: 2, sums })
      assert.deepEqual(await groups({ by: bucket, limit: 1 }), {
        ...{ groups: byMinute.slice(0, 1), total: 2, sums },
      })
      const month = Date.UTC(new Date(NOW).getUTCFullYear(), new Date(NOW).getUTCMonth())
      assert.deepEqual((await groups({ by: { time: 'month', value: false } }))?.groups, [[month, '', sums]])
      const dimension = 'recipient-domain'
      assert.deepEqual((await groups({ dimension, by: { time: null, value: true } }))?.groups, [
        [null, 'x.test', { accepted: 2, delivered: 2 }],
        [null, 'y.test', { accepted: 1, delivered: 1 }],
      ])
      assert.equal((await groups({ dimension, by: { time: 'bucket', value: true }, limit: 1 }))?.total, 4)
      assert.deepEqual((await groups({ domainId: null, by: { time: null, value: 'domain' } }))?.groups, [
        [null, 'd1', sums],
        [null, 'd2', { accepted: 2, delivered: 1, scheduled: 1, sent: 1 }],
      ])
      const noGroups = { groups: [], total: 0, sums: {} }
      assert.deepEqual(await groups({ value: 'nothing' }), noGroups)
      assert.deepEqual(await groups({ companyId: newId() }), noGroups)
      assert.equal((await groups({ most: 4 }))?.total, 1)
      assert.equal(await groups({ most: 3 }), null)

      const seen = async (change: Partial<SeenTagsRequest>) => {
        const asked = {
          companyId: owner.id,
          domainIds: ['d1', 'd2'],
          tag: null,
          prefix: '',
          limit: 10,
          skip: 0,
        }
        const order = { by: 'tag', falling: false } as const
        const found = await other.seenTags({
          ...asked,
          order,
          after: null,
          before: null,
          looks: 100,
          ...change,
        })
        const tags = found?.tags.map(({ tag, first, domainIds }) => [tag, first - NOW, domainIds])
        return found && [tags, found.total]
      }
      const news = [[['news', day, []]], 1]
      const none = [[], 0]
      assert.deepEqual(await seen({}), news)
      assert.deepEqual(await seen({ tag: 'news', looks: 3 }), [[['news', day, ['d1']]], 1])
      for (const some of [
        { prefix: 'ne' },
        { after: 'a', before: 'z' },
        { order: { by: 'last', falling: true } },
      ]) {
        assert.deepEqual(await seen(some as Partial<SeenTagsRequest>), news)
      }
      for (const other of [{ prefix: 'N' }, { tag: 'new' }, { domainIds: ['d2'] }, { companyId: newId() }]) {
        assert.deepEqual(await seen(other), none)
      }
      for (const other of [{ skip: 1 }, { limit: 0 }, { after: 'news' }, { before: 'news' }]) {
        assert.deepEqual(await seen(other), [[], 1])
      }
      assert.equal(await seen({ looks: 2 }), null)

      const { digest: again } = await store.digestAfter(0, 100)
      assert.equal(await store.keepDigest({ name: DIGEST, token, from: 0, to: end }, again), false)
      assert.equal(
        await store.keepDigest({ name: DIGEST, token: token + 9, from: end, to: end + 1 }, again),
        false,
      )
      assert.equal((await counts({}))?.[0]?.[3], 5, 'what was refused left nothing')

      const gone = { minute: NOW + DAY, hour: NOW + DAY, day: NOW - 2 * DAY }
      while (await store.trimDigest(gone));
      assert.deepEqual(await counts({ size: 'hour' }), [])
      assert.equal((await counts({}))?.length, 4)
    })

    test('counts refusals by category, provider and kind, also those that were logged without a category', async (t) => {
      const { store, another } = await open(t)
      const other = await another()
      const token = await store.join(node('here'))
      const [owner, second] = [await acme(store), await acme(store, 'Second')]
      const first = email(owner, ['a@x.test', 'b@x.test', 'c@y.test'], { domainId: 'd1' })
      const own = email(owner, ['a@x.test'], { domainId: 'd2' })
      const theirs = email(second, ['z@x.test'], { domainId: 'd3' })
      for (const each of [first, own, theirs]) await store.accept(each, { token })
      const at = (type: EventType, detail: EventDetail) => ({ events: [{ type, at: NOW, detail }] })
      const full = {
        code: 552,
        server: 'gmail-smtp-in.l.google.com [192.0.2.1]:25',
        category: 'mailbox_full',
        permanent: false,
      } as const
      const gone = { code: 550, enhancedCode: '5.1.1', message: 'No such user', server: 'mx.x.test' }
      await store.record(
        attempt(first, token, [
          result(0, at('bounced', full)),
          result(1, at('bounced', full)),
          result(2, at('delivered', { code: 250 })),
        ]),
      )
      await store.record(attempt(own, token, [result(0, at('bounced', gone))]))
      await store.record(attempt(theirs, token, [result(0, at('failed', { ...full, category: 'expired' }))]))
      await digest(store, token)

      const range = { since: NOW - DAY, until: NOW + DAY, most: 100 }
      const reasons = async (companyId: string | null, domainId: string | null = null) => {
        const rows = await other.countEvents({
          ...{ companyId, domainId, dimension: 'reason', value: null, size: 'day', ...range },
        })
        return rows?.map(({ value, type, n }) => [value, type, n])
      }
      const all = { companyId: owner.id, domainId: null, size: 'day', ...range } as const
      for (const [dimension, values] of [
        ['all', ['', '']],
        ['recipient-domain', ['x.test', 'x.test']],
        ['total', []],
      ] as const) {
        const rows = await other.countEvents({ ...all, dimension, value: null })
        assert.deepEqual(
          rows
            ?.filter(({ type }) => type.startsWith('bounced_'))
            .map(({ value, type, n }) => [value, type, n]),
          values.map((value, index) =>
            index === 0 ? [value, 'bounced_permanent', 1] : [value, 'bounced_transient', 2],
          ),
          dimension,
        )
      }
      const ofFirst = ['mailbox_full Gmail', 'bounced', 2]
      assert.deepEqual(await reasons(owner.id), [['address_unknown ', 'bounced', 1], ofFirst])
      assert.deepEqual(await reasons(owner.id, 'd1'), [ofFirst])
      assert.deepEqual(await reasons(null), [
        ['address_unknown ', 'bounced', 1],
        ['expired Gmail', 'failed', 1],
        ofFirst,
      ])
      const grouped = await other.groupEvents({
        ...{ companyId: owner.id, domainId: null, dimension: 'reason', value: null, size: 'day', ...range },
        ...{ by: { time: null, value: 'both' }, skip: 0, limit: 10 },
      })
      assert.deepEqual(
        grouped?.groups.map(({ value, sums }) => [value, sums]),
        [
          ['d1 mailbox_full Gmail', { bounced: 2 }],
          ['d2 address_unknown ', { bounced: 1 }],
        ],
      )
    })

    test('counts events of a company, and of all companies together, whatever domains they have', async (t) => {
      const { store, another } = await open(t)
      const other = await another()
      const token = await store.join(node('here'))
      const [owner, second] = [await acme(store), await acme(store, 'Second')]
      const first = email(owner, ['a@x.test', 'b@x.test', 'c@y.test'], { domainId: 'd1' })
      const own = email(owner, ['a@x.test'], { domainId: 'd2' })
      const theirs = email(second, ['z@x.test'], { domainId: 'd3' })
      for (const each of [first, own, theirs]) await store.accept(each, { token })
      const at = (ms: number) => ({ events: [{ type: 'delivered' as const, at: NOW + ms, detail: {} }] })
      await store.record(attempt(first, token, [result(0, at(100)), result(1, at(7_000))]))
      await store.record(attempt(theirs, token, [result(0, at(105))]))
      await digest(store, token)

      const range = { since: NOW - DAY, until: NOW + DAY, most: 100 }
      const asked = { domainId: null, size: 'day', value: null, ...range } as const
      const counts = async (companyId: string | null, dimension: 'total' | 'destination' | 'latency') => {
        const rows = await other.countEvents({ ...asked, companyId, dimension })
        return rows?.map(({ value, type, n }) => [value, type, n])
      }
      assert.deepEqual(await counts(owner.id, 'total'), [
        ['', 'accepted', 4],
        ['', 'delivered', 2],
        ['', 'sent', 2],
      ])
      assert.deepEqual(await counts(null, 'total'), [
        ['', 'accepted', 5],
        ['', 'delivered', 3],
        ['', 'sent', 3],
      ])
      assert.deepEqual(await counts(owner.id, 'destination'), [
        ['x.test', 'accepted', 3],
        ['x.test', 'delivered', 2],
        ['y.test', 'accepted', 1],
      ])
      assert.deepEqual(await counts(null, 'destination'), [
        ['x.test', 'accepted', 4],
        ['x.test', 'delivered', 3],
        ['y.test', 'accepted', 1],
      ])
      const [tenth, seven] = [latencyBucket(100), latencyBucket(7_000)]
      assert.equal(latencyBucket(105), tenth)
      assert.deepEqual(await counts(owner.id, 'latency'), [
        [tenth, 'delivered', 1],
        [seven, 'delivered', 1],
      ])
      assert.deepEqual(await counts(null, 'latency'), [
        [tenth, 'delivered', 2],
        [seven, 'delivered', 1],
      ])

      const ranks = async (change: Partial<RankRequest>) => {
        const request = {
          ...asked,
          companyId: null,
          dimension: 'latency',
          step: DAY,
          parts: [0.5],
          ...change,
        } as const
        const rows = await other.countRanks(request)
        if (rows === null) return null
        return rows.map(({ start, ...row }) => ({ at: start === null ? null : start - NOW, ...row }))
      }
      // The bucket of this day begins within the first step, which begins a day ago.
      const day = -DAY
      assert.deepEqual(await ranks({}), [
        { at: null, value: tenth, n: 2, below: 0, all: 3 },
        { at: day, value: tenth, n: 2, below: 0, all: 3 },
      ])
      assert.deepEqual(await ranks({ companyId: owner.id, parts: [0.5, 0.51, 1] }), [
        { at: null, value: tenth, n: 1, below: 0, all: 2 },
        { at: null, value: seven, n: 1, below: 1, all: 2 },
        { at: day, value: tenth, n: 1, below: 0, all: 2 },
        { at: day, value: seven, n: 1, below: 1, all: 2 },
      ])
      assert.deepEqual(
        await ranks({ size: 'minute', step: 60_000, companyId: owner.id, since: NOW + HOUR }),
        [],
      )
      assert.equal(await ranks({ most: 1 }), null)

      const sums = async (change: Partial<SumRequest>) => {
        const wanted = { ...asked, companyId: owner.id, by: 'value', dimension: 'all', ...change } as const
        return (await other.sumEvents(wanted))?.map(({ key, type, n }) => [key, type, n])
      }
      assert.deepEqual(await sums({ by: 'domain', size: 'minute' }), [
        ['d1', 'accepted', 3],
        ['d1', 'delivered', 2],
        ['d1', 'sent', 1],
        ['d2', 'accepted', 1],
        ['d2', 'sent', 1],
      ])
      assert.deepEqual(
        (await sums({ dimension: 'destination' }))?.filter(([, type]) => type === 'delivered'),
        [['x.test', 'delivered', 2]],
      )
      const busiest = async (change: Partial<BusiestRequest>) => {
        const wanted = {
          ...asked,
          companyId: owner.id,
          dimension: 'destination',
          limit: 1,
          ...change,
        } as const
        return (await other.sumBusiest(wanted))?.map(({ key, type, n }) => [key, type, n])
      }
      const ofX = [
        ['x.test', 'accepted', 3],
        ['x.test', 'delivered', 2],
      ]
      assert.deepEqual(await busiest({}), ofX)
      assert.deepEqual(await busiest({ limit: 2 }), [...ofX, ['y.test', 'accepted', 1]])
      assert.deepEqual(await busiest({ most: 3 }), ofX)
      assert.equal(await busiest({ most: 2 }), undefined)
      assert.deepEqual(await busiest({ companyId: newId() }), [])

      const all = { by: 'company', companyId: null, dimension: 'total' } as const
      assert.deepEqual(
        (await sums(all))?.filter(([, type]) => type === 'accepted'),
        [
          [owner.id, 'accepted', 4],
          [second.id, 'accepted', 1],
        ].sort(),
      )
      assert.equal(await sums({ ...all, most: 5 }), undefined)
      assert.deepEqual(await sums({ companyId: newId() }), [])

      const before = NOW + 2 * DAY
      while (await store.trimDigest({ minute: before, hour: before, day: before }));
      assert.deepEqual(await counts(null, 'total'), [])
    })

    test('repeated events of an email make no list longer than the number of its emails', async (t) => {
      const { store } = await open(t)
      const token = await store.join(node('here'))
      const owner = await acme(store)
      const two = [email(owner, ['a@x.test']), email(owner, ['b@x.test'])]
      for (const value of two) await accept(store, value)
      let from = await digest(store, token)
      const [first, second] = await Promise.all(two.map(({ id }) => store.emailPlace(id)))
      const term = emailTerms.ofEvent('opened')
      const list = { company: EVERY_COMPANY, kind: LIST.emailsByFew, major: term, minor: 0 }
      const some = packPlaces(Array.from({ length: 3_000 }, (_, n) => (n % 2 === 0 ? first! : second!)))
      for (let step = 0; step < 30; step++) {
        const made = { lists: [{ ...list, places: some }], spans: [], counts: [] }
        const advance = { name: DIGEST, token, from, to: from + 1 }
        assert.equal(await store.keepDigest(advance, made), true)
        from++
      }
      const read = await store.readLists({
        ...{ companyId: null, lists: [{ kind: LIST.emailsByFew, terms: [term] }], from: 0, to: 9 },
        ...{ newestFirst: true, since: null, until: null, looks: 10 },
      })
      const { places } = read.segments[0]!
      assert.ok(places.length < LONG_LIST, `${places.length} octets`)
      assert.deepEqual(new Set(placesOf(0, EMAILS_A_SEGMENT, places)), new Set([first, second]))
    })

    test('removes lists of emails and events that retention has removed', async (t) => {
      const { store, rows, raiseNumbers } = await open(t)
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
      await raiseNumbers(3 * EMAILS_A_SEGMENT)
      while (await store.trimDigest(counts));
      assert.deepEqual([await rows('search_lists'), await rows('search_spans')], [0, 0])
    })
  })
}
