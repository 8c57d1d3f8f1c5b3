import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Company, SendingDomain } from '../../../src/accounts/account.ts'
import {
  idAt,
  SUPPRESSION_TYPES,
  type Suppression,
  type SuppressionType,
} from '../../../src/email/suppression.ts'
import { type NewEmail, type Store, StoreConflict } from '../../../src/store/store.ts'
import {
  accept,
  acme,
  attempt,
  claimRequest,
  DAY,
  domain,
  email,
  NOW,
  newId,
  result,
  states,
  suppression,
} from '../samples.ts'
import type { OpenBench } from './contract.ts'

const addresses = (list: readonly Suppression[]) => list.map(({ address }) => address)

/** True: a suppression of the type stops mail from every domain of the company. */
const STOPS_EVERYWHERE: Readonly<Record<SuppressionType, boolean>> = {
  bounce: true,
  complaint: true,
  manual: false,
  unsubscribe: false,
}
const EVERYWHERE = SUPPRESSION_TYPES.filter((type) => STOPS_EVERYWHERE[type])

/** The suppressions that the events of an unsent email name. */
async function stoppedBy(store: Store, { id }: NewEmail): Promise<unknown[]> {
  const { events } = (await store.readHistory(id))!
  return events.flatMap(({ type, detail }) => (type === 'suppressed' ? [detail.suppressedBy] : []))
}

export function suppressionsContract(open: OpenBench): void {
  describe('suppressions', () => {
    test('are removed of one sending domain, and those of another stay', async (t) => {
      const { store } = await open(t)
      const { id: companyId } = await acme(store)
      const address = 'gone@x.test'
      const [one, other] = [newId(), newId()]
      await store.addSuppressions([suppression({ id: companyId }, address, { domainId: one })])
      for (const scope of [{ address }, {}]) {
        assert.equal(await store.removeSuppressions({ companyId, ...scope, domainId: other }), 0)
      }
      assert.equal(await store.removeSuppressions({ companyId, address, domainId: one }), 1)
    })

    test('stop mail from their domain, or from every domain of the company, depending on their type', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const other = await acme(store, 'Other')
      await store.addSuppressions([
        ...SUPPRESSION_TYPES.map((type) => suppression(owner, `${type}@x.test`, { type, domainId: 'd1' })),
        suppression(owner, 'all@x.test', { type: 'unsubscribe' }),
        suppression(owner, 'both@x.test', { type: 'unsubscribe', domainId: 'd1' }),
        suppression(owner, 'both@x.test', { type: 'unsubscribe', domainId: 'd2', tags: ['news'] }),
      ])
      const to = [...SUPPRESSION_TYPES, 'all', 'both'].map((name) => `${name}@X.test`.toLowerCase())
      const stopped = async (company: { id: string }, change: Partial<NewEmail>) => {
        const atOnce = await accept(store, email(company, to, change))
        const later = email(company, to, { ...change, scheduledAt: NOW + 1, dueAt: NOW + 1 })
        await accept(store, later)
        await store.claim(claimRequest(1, { now: NOW + 1 }))
        const names = async ({ id }: NewEmail) => {
          const found = (await states(store, id)).map((state, at) => (state === 'suppressed' ? to[at]! : ''))
          return found.filter(Boolean).map((address) => address.split('@')[0])
        }
        assert.deepEqual(await names(later), await names(atOnce), 'a claim decides as accepting does')
        return await names(later)
      }
      const news = [{ name: 'tag', value: 'News' }]
      assert.deepEqual(await stopped(owner, { domainId: 'd1' }), [...SUPPRESSION_TYPES, 'all', 'both'])
      assert.deepEqual(await stopped(owner, { domainId: 'd2' }), [...EVERYWHERE, 'all'])
      assert.deepEqual(await stopped(owner, { domainId: 'd2', tags: news }), [...EVERYWHERE, 'all', 'both'])
      assert.deepEqual(await stopped(owner, { domainId: 'd3', tags: news }), [...EVERYWHERE, 'all'])
      assert.deepEqual(await stopped(other, { domainId: 'd1' }), [])
    })

    test('are on the list of each domain that has them, and leave it alone', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const companyId = owner.id
      const lists = ['d1', 'd2', null]
      const all = lists.map((domainId) => suppression(owner, 'a@x.test', { type: 'bounce', domainId }))
      assert.deepEqual(await store.addSuppressions(all), [true, true, true])
      assert.deepEqual(await store.addSuppressions(all.map((each) => ({ ...each, id: newId() }))), [
        false,
        false,
        false,
      ])
      await store.addSuppressions(
        ['b@x.test', 'c@x.test'].map((address) =>
          suppression(owner, address, { type: 'bounce', domainId: 'd2' }),
        ),
      )
      const page = async (range: object) => {
        const found = await store.suppressedPage({ companyId, type: 'bounce', limit: 1, ...range })
        return found.map(({ address, domainId }) => `${address[0]} ${domainId}`).sort()
      }
      assert.deepEqual(await page({}), ['a d1', 'a d2', 'a null'], 'a page keeps an address together')
      assert.deepEqual(await page({ after: 'a@x.test' }), ['b d2'])
      assert.deepEqual(await page({ before: 'b' }), ['a d1', 'a d2', 'a null'])
      assert.deepEqual(await page({ domainId: 'd1' }), ['a d1'])
      assert.equal(
        await store.countSuppressions({ companyId, types: ['bounce'], domainId: 'd2', most: 9 }),
        3,
      )
      assert.equal(await store.removeSuppression(newId(), all[2]!.id), false)
      assert.equal(await store.removeSuppression(companyId, all[2]!.id), true)
      assert.equal(await store.removeSuppression(companyId, all[2]!.id), false)
      assert.equal(await store.removeSuppressions({ companyId, domainId: 'd2', types: ['bounce'] }), 3)
      assert.deepEqual(await page({ limit: 9 }), ['a d1'])
    })

    test('of a removed domain are those of the domain that the company adds in its place', async (t) => {
      const { store } = await open(t)
      const [owner, other] = [await acme(store), await acme(store, 'Other')]
      const made = (company: Company, name: string) => {
        const value: SendingDomain = {
          ...domain(company, name),
          sending: company === owner ? 'active' : 'inactive',
        }
        return store.addDomain(value).then(() => value)
      }
      const [first, kept] = [await made(owner, 'again.test'), await made(owner, 'kept.test')]
      const list = Array.from({ length: 1_200 }, (_, at) =>
        suppression(owner, `u${at}@x.test`, { type: 'unsubscribe', domainId: first.id }),
      )
      for (let at = 0; at < list.length; at += 600) await store.addSuppressions(list.slice(at, at + 600))
      await store.addSuppressions([suppression(owner, 'k@x.test', { domainId: kept.id })])
      await store.removeDomain(first.id, NOW)
      const foreign = await made(other, 'again.test')
      assert.equal(await store.inheritSuppressions(foreign.id), 0)
      assert.equal(await store.successorOf(first.id), first.id)
      const second = await made(owner, 'again.test')
      assert.equal(await store.successorOf(first.id), second.id)
      const doubled = suppression(owner, 'U7@x.test', { type: 'unsubscribe', domainId: second.id })
      await store.addSuppressions([doubled])
      assert.equal(await store.inheritSuppressions(second.id), 1_200)
      assert.equal(await store.inheritSuppressions(second.id), 0)
      const count = (domainId: string) =>
        store.countSuppressions({ companyId: owner.id, types: SUPPRESSION_TYPES, domainId, most: 2_000 })
      assert.deepEqual(await Promise.all([first, second, kept].map(({ id }) => count(id))), [0, 1_200, 1])
      assert.deepEqual(await store.findSuppression(owner.id, doubled.id), doubled)
    })

    test('of removed domains that were left behind move as well', async (t) => {
      const { store } = await open(t)
      const [owner, other] = [await acme(store), await acme(store, 'Other')]
      const made = async (company: Company, name: string) => {
        const value = { ...domain(company, name), sending: 'active' as const }
        await store.addDomain(value)
        return value
      }
      const removed = [
        await made(owner, 'a.test'),
        await made(other, 'b.test'),
        await made(owner, 'gone.test'),
      ]
      for (const { id, companyId } of removed) {
        const one = suppression({ id: companyId }, 'u@x.test', { type: 'unsubscribe', domainId: id })
        await store.addSuppressions([one, suppression({ id: companyId }, 'v@x.test', { domainId: id })])
        await store.removeDomain(id, NOW)
      }
      const again = [await made(owner, 'a.test'), await made(other, 'b.test')]
      assert.equal(await store.inheritSuppressions(null), 4)
      assert.equal(await store.inheritSuppressions(null), 0)
      const domains = (await store.listSuppressions({ limit: 9 })).map(({ domainId }) => domainId)
      const expected = [...again, removed[2]!].flatMap(({ id }) => [id, id])
      assert.deepEqual(domains.sort(), expected.sort())
    })

    test('of a removed domain widen those of its successor', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const [first, second] = [0, 1].map(() => ({
        ...domain(owner, 'again.test'),
        sending: 'active' as const,
      }))
      await store.addDomain(first!)
      const unsubscribed = (domainId: string, local: string, tags: string[] | null) =>
        suppression(owner, `${local}@x.test`, { type: 'unsubscribe', domainId, tags })
      await store.addSuppressions([
        unsubscribed(first!.id, 'all', null),
        unsubscribed(first!.id, 'both', ['a', 'b']),
        unsubscribed(first!.id, 'kept', ['a']),
      ])
      await store.removeDomain(first!.id, NOW)
      await store.addDomain(second!)
      await store.addSuppressions([
        unsubscribed(second!.id, 'ALL', ['a']),
        unsubscribed(second!.id, 'both', ['B', 'c']),
        unsubscribed(second!.id, 'kept', null),
      ])
      assert.equal(await store.inheritSuppressions(second!.id), 3)
      const listed = await store.listSuppressions({ companyId: owner.id, domainId: second!.id, limit: 9 })
      assert.deepEqual(
        new Map(listed.map(({ address, tags }) => [address, tags])),
        new Map([
          ['ALL@x.test', null],
          ['both@x.test', ['B', 'c', 'a']],
          ['kept@x.test', null],
        ]),
      )
    })

    test('of one company, however many lists come at once, do not come before those of another', async (t) => {
      const { store } = await open(t)
      const [many, other] = [await acme(store), await acme(store, 'Other')]
      // All connections to PostgreSQL are open before: to open one may take as long as to write all lists.
      const first = Array.from({ length: 60 }, (_, n) => suppression(many, `first${n}@x.test`))
      await Promise.all(first.map((entry) => store.addSuppressions([entry])))
      let written = 0
      const lists = Array.from({ length: 60 }, async (_, list) => {
        const entries = Array.from({ length: 50 }, (_, entry) =>
          suppression(many, `a${list}.${entry}@x.test`),
        )
        await store.addSuppressions(entries)
        written++
      })
      await store.addSuppressions([suppression(other, 'b@x.test')])
      // A list for each connection is under way before, and as many beside it.
      assert.ok(written < 30, `${written} lists came first`)
      await Promise.all(lists)
      assert.equal((await store.listSuppressions({ companyId: many.id, limit: 4_000 })).length, 3_060)
    })

    test('have a type each, and the first type there is stops mail', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const all = SUPPRESSION_TYPES.toReversed().map((type, index) =>
        suppression(owner, 'A@x.test', { type, reason: `as ${type}`, createdAt: NOW + index }),
      )
      assert.deepEqual(
        await store.addSuppressions(all),
        all.map(() => true),
      )
      for (const type of SUPPRESSION_TYPES) {
        const value = await accept(store, email(owner, ['a@X.test'.toLowerCase(), 'b@x.test']))
        assert.deepEqual(await states(store, value.id), ['suppressed', 'waiting'])
        assert.deepEqual(await stoppedBy(store, value), [type])
        const { events } = (await store.readHistory(value.id))!
        assert.match(events.at(-1)?.detail.message ?? '', new RegExp(`as ${type}`))
        assert.equal(
          await store.removeSuppressions({ companyId: owner.id, address: 'a@x.test', types: [type] }),
          1,
        )
      }
      const free = await accept(store, email(owner, ['a@x.test']))
      assert.deepEqual(await states(store, free.id), ['waiting'])
    })

    test('are read back as they were added, by id, address and type', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const other = await acme(store, 'Other')
      const whole = suppression(owner, 'Jane@x.test', {
        type: 'bounce',
        reason: '550 5.1.1 Unknown',
        code: 550,
        domainId: 'd1',
        emailId: newId(),
      })
      const some = suppression(owner, 'joe@x.test', { type: 'unsubscribe', tags: ['News', 'a:b'] })
      assert.deepEqual(await store.addSuppressions([whole, some, suppression(other, 'jane@x.test')]), [
        true,
        true,
        true,
      ])
      assert.deepEqual(await store.findSuppression(owner.id, whole.id), whole)
      assert.equal(await store.findSuppression(other.id, whole.id), null)
      assert.equal(await store.findSuppression(owner.id, newId()), null)
      assert.equal(await store.findSuppression(owner.id, 'no id'), null)
      const listed = (filter: object) => store.listSuppressions({ companyId: owner.id, limit: 10, ...filter })
      assert.deepEqual(await listed({ address: 'jane@X.test'.toLowerCase() }), [whole])
      assert.deepEqual(await listed({ types: ['unsubscribe'] }), [some])
      assert.deepEqual(await listed({ domainId: 'd1' }), [whole])
      assert.deepEqual(await listed({ address: 'jane@x.test', types: ['manual'] }), [])
      assert.equal((await store.listSuppressions({ address: 'jane@x.test', limit: 10 })).length, 2)
      assert.deepEqual(await store.listSuppressions({ companyId: newId(), limit: 10 }), [])
      await assert.rejects(
        store.addSuppressions([suppression(owner, 'new@x.test'), suppression({ id: newId() }, 'b@x.test')]),
        StoreConflict,
      )
      assert.deepEqual(await listed({ address: 'new@x.test' }), [], 'all or none')
    })

    test('stay as they are when they are added again', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const first = suppression(owner, 'a@x.test', { reason: 'first' })
      await store.addSuppressions([first])
      const again = [
        suppression(owner, 'A@x.test', { reason: 'second' }),
        suppression(owner, 'b@x.test', { reason: 'first' }),
        suppression(owner, 'B@x.test', { reason: 'second' }),
      ]
      assert.deepEqual(await store.addSuppressions(again), [false, true, false])
      const listed = await store.listSuppressions({ companyId: owner.id, limit: 10 })
      assert.deepEqual(new Set(listed), new Set([first, again[1]]))
    })

    test('of one tag stop mail that has it, whatever the dialect, and no other', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const from = (...tags: string[]) => suppression(owner, 'a@x.test', { type: 'unsubscribe', tags })
      await store.addSuppressions([from('News', 'list:weekly', 'say "hi"')])
      const stopped: NewEmail['tags'][] = [
        [{ name: 'tag', value: 'news' }],
        [{ name: 'NEWS', value: 'whatever' }],
        [
          { name: 'other', value: 'x' },
          { name: 'list', value: 'Weekly' },
        ],
        [{ name: 'tag', value: 'list:weekly' }],
        [{ name: 'tag', value: 'say "hi"' }],
      ]
      const sent: NewEmail['tags'][] = [
        [],
        [{ name: 'tag', value: 'newspaper' }],
        [{ name: 'list', value: 'monthly' }],
        [{ name: 'weekly', value: 'list' }],
        [{ name: 'x', value: '{"name":"tag","value":"news"}' }],
        [{ name: 'x', value: '"news"' }],
      ]
      for (const [tags, state] of [
        ...stopped.map((tags) => [tags, 'suppressed'] as const),
        ...sent.map((tags) => [tags, 'waiting'] as const),
      ]) {
        const value = await accept(store, email(owner, ['a@x.test'], { tags }))
        assert.deepEqual(await states(store, value.id), [state], JSON.stringify(tags))
        await store.cancel(value.id, NOW)
      }
      // The address is there for another reason as well.
      const late = await accept(store, email(owner, ['b@x.test', 'a@x.test'], { tags: stopped[0]! }))
      const scheduled = [stopped[0]!, sent[2]!].map((tags) =>
        email(owner, ['c@x.test'], { tags, scheduledAt: NOW + 1, dueAt: NOW + 1 }),
      )
      for (const value of scheduled) await accept(store, value)
      await store.addSuppressions([suppression(owner, 'c@x.test', { type: 'unsubscribe', tags: ['news'] })])
      const claimed = await store.claim(claimRequest(1, { now: NOW + 1 }))
      assert.deepEqual(new Set(claimed.map(({ id }) => id)), new Set([late.id, scheduled[1]!.id]))
      assert.deepEqual(await states(store, scheduled[0]!.id), ['suppressed'])
      assert.deepEqual(await stoppedBy(store, scheduled[0]!), ['unsubscribe'])
    })

    test('take in further tags, lose them one by one, and become suppressions of all mail', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const from = (tags: string[] | null) =>
        store.addSuppressions([suppression(owner, 'a@x.test', { type: 'unsubscribe', tags })])
      const tags = async () => (await store.listSuppressions({ companyId: owner.id, limit: 1 }))[0]?.tags
      const tagged = async (value: string) => {
        const made = await accept(store, email(owner, ['a@x.test'], { tags: [{ name: 'tag', value }] }))
        return (await states(store, made.id))[0]
      }
      assert.deepEqual(await from(['a']), [true])
      const { cursor } = await store.suppressionsSince(null)
      assert.deepEqual(await from(['A', 'b']), [false])
      const told = (await store.suppressionsSince(cursor)).added
      assert.ok(told.some(({ address }) => address === 'a@x.test'))
      assert.deepEqual(await tags(), ['a', 'b'])
      assert.equal(await tagged('b'), 'suppressed')
      assert.equal(await store.removeUnsubscribedTag(owner.id, null, 'A@x.test', 'B'), true)
      assert.equal(await store.removeUnsubscribedTag(owner.id, null, 'a@x.test', 'b'), false)
      assert.equal(await tagged('b'), 'waiting')
      assert.equal(await tagged('a'), 'suppressed')
      assert.equal(await store.removeUnsubscribedTag(owner.id, null, 'a@x.test', 'a'), true)
      assert.equal(await tags(), undefined)
      await from(['a'])
      await from(null)
      assert.equal(await tags(), null)
      assert.deepEqual(await from(['c']), [false])
      assert.equal(await tags(), null)
      assert.equal(await tagged('z'), 'suppressed')
      assert.equal(await store.removeUnsubscribedTag(owner.id, null, 'a@x.test', 'c'), false)
    })

    test('of some tags become suppressions of all mail by a report', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const value = email(owner, ['a@x.test'], { domainId: 'd7' })
      await store.accept(value, { token: 1 })
      await store.record(attempt(value, 1, [result(0)]))
      const partial = suppression(owner, 'A@x.test', { type: 'unsubscribe', domainId: 'd7', tags: ['news'] })
      await store.addSuppressions([partial])
      const { cursor } = await store.suppressionsSince(null)
      await store.happened([
        { emailId: value.id, position: 0, happening: { kind: 'unsubscribed', at: NOW, detail: {} } },
      ])
      assert.deepEqual(await store.findSuppression(owner.id, partial.id), { ...partial, tags: null })
      const { added } = await store.suppressionsSince(cursor)
      assert.ok(added.some(({ address }) => address === 'A@x.test'))
    })

    test('come from bounces and reports, with the known facts', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const value = email(owner, ['a@x.test', 'b@x.test', 'c@x.test', 'd@x.test'], { domainId: 'd7' })
      await store.accept(value, { token: 1 })
      const message = '550 5.1.1 no'
      const bounced = result(0, { state: 'bounced', suppress: true, code: 550, message })
      await store.record(attempt(value, 1, [bounced, result(1), result(2), result(3)]))
      const happened = (position: number, happening: object) => ({ emailId: value.id, position, happening })
      await store.happened([
        happened(1, { kind: 'complained', at: NOW, detail: {} }),
        happened(2, { kind: 'unsubscribed', at: NOW, detail: {} }),
        happened(3, {
          kind: 'returned',
          at: NOW,
          report: 'bounced',
          detail: { code: 554, message: 'gone' },
          deadAddress: true,
          fullMailbox: null,
        }),
      ] as Parameters<Store['happened']>[0])
      const listed = await store.listSuppressions({ companyId: owner.id, limit: 10 })
      const known = { emailId: value.id, domainId: 'd7', companyId: owner.id, tags: null }
      const shown = listed
        .map(({ id, createdAt, ...rest }) => rest)
        .sort((a, b) => (a.address < b.address ? -1 : 1))
      assert.deepEqual(shown, [
        { ...known, address: 'a@x.test', type: 'bounce', code: 550, reason: message },
        { ...known, address: 'b@x.test', type: 'complaint', code: null, reason: 'the recipient complained' },
        {
          ...known,
          address: 'c@x.test',
          type: 'unsubscribe',
          code: null,
          reason: 'the recipient unsubscribed',
        },
        { ...known, address: 'd@x.test', type: 'bounce', code: 554, reason: 'gone' },
      ])
      for (const { id, createdAt } of listed) {
        assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
        assert.equal(Number.parseInt(id.replace('-', '').slice(0, 12), 16), createdAt)
        assert.deepEqual((await store.findSuppression(owner.id, id))?.id, id)
      }
    })

    test('follow full mailboxes only after so many within the span, and the count starts anew once they were removed', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const rule = { refusals: 3, withinMs: 10 * DAY }
      const address = 'full@x.test'
      const listed = async () =>
        (await store.listSuppressions({ companyId: owner.id, limit: 9 })).map((each) => each.address)
      let at = NOW
      const live = async (to = [address]) => {
        const value = email(owner, to, { createdAt: at, dueAt: at })
        await store.accept(value, { token: 1 })
        const refused = to.map((_, position) =>
          result(position, { state: 'bounced', code: 552, message: '552 full', suppress: rule }),
        )
        await store.record(attempt(value, 1, refused, { startedAt: at }))
        return value
      }
      const late = async () => {
        const value = email(owner, [address], { createdAt: at, dueAt: at })
        await store.accept(value, { token: 1 })
        await store.record(attempt(value, 1, [result(0)], { startedAt: at }))
        const detail = {
          reportId: `r ${value.id}`,
          category: 'mailbox_full' as const,
          message: '552 5.2.2 full',
        }
        const report = {
          kind: 'returned',
          at,
          report: 'bounced',
          detail,
          deadAddress: false,
          fullMailbox: rule,
        } as const
        for (const _ of [1, 2]) await store.happened([{ emailId: value.id, position: 0, happening: report }])
      }
      await live(['full@x.test', 'other@x.test'])
      await late()
      assert.deepEqual(await listed(), [], 'two are too few, however often each is told')
      at += DAY * 11
      await late()
      assert.deepEqual(await listed(), [], 'the first two are too old')
      at += DAY
      await live()
      await live(['Full@x.test'.toLowerCase()])
      assert.deepEqual(await listed(), [address])
      assert.equal(await store.removeSuppressions({ companyId: owner.id, address }), 1)
      await late()
      await live()
      assert.deepEqual(await listed(), [])
      await late()
      const [entry] = await store.listSuppressions({ companyId: owner.id, limit: 9 })
      assert.match(entry?.reason ?? '', /^the mailbox was full 3 times within 10 days: 552 5\.2\.2 full$/)
      assert.equal(await store.removeSuppressions({ companyId: owner.id, types: ['bounce'] }), 1)
      await store.addAllowed([
        { companyId: owner.id, domainId: null, value: address, kind: 'address', reason: null, createdAt: at },
      ])
      for (let count = 0; count < 4; count++) await live()
      assert.deepEqual(await listed(), [])
      await store.removeAllowed({ companyId: owner.id })
      await live(['many@x.test', 'many@x.test', 'MANY@x.test'])
      assert.equal((await listed()).length, 1, 'all at once')
    })

    test('are listed newest first, in pages both ways, and whatever their type', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const other = await acme(store, 'Other')
      const all = Array.from({ length: 23 }, (_, n) => {
        const createdAt = NOW + n * 1_000
        const type = SUPPRESSION_TYPES[n % SUPPRESSION_TYPES.length]!
        return suppression(n % 5 === 4 ? other : owner, `r${n}@x.test`, { type, createdAt })
      })
      await store.addSuppressions(all.toSorted(() => 0.5))
      for (const [filter, wanted] of [
        [{}, all],
        [{ companyId: owner.id }, all.filter(({ companyId }) => companyId === owner.id)],
        [{ types: ['bounce', 'manual'] as const }, all.filter(({ type }) => /bounce|manual/.test(type))],
      ] as const) {
        const expected = addresses(wanted).reverse()
        const forth: string[] = []
        let after: { after?: string } = {}
        for (;;) {
          const page = await store.listSuppressions({ ...filter, ...after, limit: 4 })
          if (page.length === 0) break
          forth.push(...addresses(page))
          after = { after: page.at(-1)!.id }
        }
        assert.deepEqual(forth, expected)
        const back: string[] = []
        let before = idAt(NOW - 1)
        for (;;) {
          const page = await store.listSuppressions({ ...filter, before, limit: 4 })
          if (page.length === 0) break
          back.unshift(...addresses(page))
          before = page[0]!.id
        }
        assert.deepEqual(back, expected)
      }
    })

    test('of one type are listed by address, in pages both ways, from any place on', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const names = ['Adam', 'ada', 'bea', 'Ben', 'bob', 'zoe', 'ärger'].map((name) => `${name}@x.test`)
      await store.addSuppressions(
        names.map((name) =>
          suppression(owner, name, { type: 'bounce', domainId: /^b/i.test(name) ? 'd1' : null }),
        ),
      )
      await store.addSuppressions([suppression(owner, 'between@x.test', { type: 'complaint' })])
      const page = async (change: object) =>
        addresses(await store.suppressedPage({ companyId: owner.id, type: 'bounce', limit: 3, ...change }))
      const inOrder = ['ada', 'Adam', 'bea', 'Ben', 'bob', 'zoe', 'ärger'].map((name) => `${name}@x.test`)
      assert.deepEqual(await page({}), inOrder.slice(0, 3))
      assert.deepEqual(await page({ after: 'BEA@x.test' }), inOrder.slice(3, 6))
      assert.deepEqual(await page({ after: 'ben' }), inOrder.slice(3, 6), 'from a place that is none')
      assert.deepEqual(await page({ before: 'Zoe@x.test' }), inOrder.slice(2, 5))
      assert.deepEqual(await page({ before: '\u{10ffff}' }), inOrder.slice(4))
      assert.deepEqual(await page({ term: 'B' }), inOrder.slice(2, 5))
      assert.deepEqual(await page({ term: 'b', after: 'bea@x.test' }), inOrder.slice(3, 5))
      assert.deepEqual(await page({ domainId: 'd1' }), inOrder.slice(2, 5))
      assert.deepEqual(await page({ companyId: newId() }), [])
    })

    test('are counted by type, beginning and sending domain, up to a bound', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const names = ['Adam', 'ada', 'bea', 'Ben'].map((name) => `${name}@x.test`)
      await store.addSuppressions([
        ...names.map((name) => suppression(owner, name, { type: 'bounce', domainId: 'd1' })),
        ...names.slice(0, 3).map((name) => suppression(owner, name, { type: 'unsubscribe' })),
      ])
      const count = (change: object) =>
        store.countSuppressions({
          companyId: owner.id,
          types: SUPPRESSION_TYPES,
          most: 100,
          ...change,
        })
      assert.equal(await count({}), 7)
      assert.equal(await count({ types: ['bounce'] }), 4)
      assert.equal(await count({ term: 'AD' }), 4)
      assert.equal(await count({ domainId: 'd1', term: 'b' }), 2)
      assert.equal(await count({ most: 5 }), 5)
      assert.equal(await count({ companyId: newId() }), 0)
    })

    test('are removed by type and sending domain, however many they are', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const made = (type: Suppression['type'], domainId: string, count: number) =>
        Array.from({ length: count }, (_, n) =>
          suppression(owner, `${type}${n}@${domainId}.test`, { type, domainId }),
        )
      for (const list of [made('bounce', 'd1', 900), made('bounce', 'd2', 700), made('complaint', 'd1', 2)]) {
        await store.addSuppressions(list)
      }
      const companyId = owner.id
      assert.equal(await store.removeSuppressions({ companyId, types: ['bounce'], domainId: 'd1' }), 900)
      assert.equal(await store.removeSuppressions({ companyId, types: ['bounce'], domainId: 'd1' }), 0)
      assert.equal(await store.removeSuppressions({ companyId: newId() }), 0)
      assert.equal(await store.removeSuppressions({ companyId }), 702)
    })
  })

  describe('the allow list', () => {
    test('keeps addresses and domains from being suppressed by bounces, and by nothing else', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const entry = { companyId: owner.id, domainId: null, reason: null, createdAt: NOW }
      const allowed = [
        { ...entry, value: 'Jane@x.test', kind: 'address' as const, reason: 'full at times' },
        { ...entry, value: 'y.test', kind: 'domain' as const },
      ]
      assert.deepEqual(await store.addAllowed(allowed), [true, true])
      assert.deepEqual(await store.addAllowed([{ ...allowed[0]!, value: 'jane@X.test'.toLowerCase() }]), [
        false,
      ])
      const value = email(owner, ['jane@x.test', 'joe@x.test', 'any@y.test'])
      await store.accept(value, { token: 1 })
      const bounced = (position: number) => result(position, { state: 'bounced', suppress: true })
      await store.record(attempt(value, 1, [bounced(0), bounced(1), bounced(2)]))
      const list = async () => addresses(await store.listSuppressions({ companyId: owner.id, limit: 10 }))
      assert.deepEqual(await list(), ['joe@x.test'])
      const detail = {}
      await store.happened([
        {
          emailId: value.id,
          position: 0,
          happening: {
            kind: 'returned',
            at: NOW,
            report: 'bounced',
            detail,
            deadAddress: true,
            fullMailbox: null,
          },
        },
        { emailId: value.id, position: 2, happening: { kind: 'complained', at: NOW, detail } },
      ])
      assert.deepEqual(new Set(await list()), new Set(['any@y.test', 'joe@x.test']))
      await store.addSuppressions([suppression(owner, 'jane@x.test')])
      assert.equal((await list()).length, 3)

      assert.deepEqual(await store.findAllowed(owner.id, null, 'JANE@x.test'), allowed[0])
      assert.equal(await store.findAllowed(owner.id, null, 'joe@x.test'), null)
      assert.deepEqual(await store.allowedPage({ companyId: owner.id, limit: 10 }), allowed)
      assert.deepEqual(await store.allowedPage({ companyId: owner.id, after: 'k', limit: 10 }), [allowed[1]])
      assert.deepEqual(await store.allowedPage({ companyId: owner.id, before: 'k', limit: 10 }), [allowed[0]])
      assert.equal(await store.removeAllowed({ companyId: owner.id, value: 'Y.test' }), 1)
      assert.equal(await store.removeAllowed({ companyId: owner.id, value: 'y.test' }), 0)
      assert.equal(await store.removeAllowed({ companyId: owner.id }), 1)

      const lists = ['d1', 'd2', null].map((domainId) => ({ ...allowed[0]!, domainId }))
      assert.deepEqual(await store.addAllowed(lists), [true, true, true])
      assert.equal((await store.allowedPage({ companyId: owner.id, limit: 1 })).length, 3)
      const of = { companyId: owner.id, domainId: 'd1' }
      assert.deepEqual(await store.allowedPage({ ...of, limit: 9 }), [lists[0]])
      assert.deepEqual(await store.findAllowed(owner.id, 'd2', 'jane@x.test'), lists[1])
      assert.equal(await store.removeAllowed({ ...of, value: 'jane@x.test' }), 1)
      const ofCompany = { companyId: owner.id, domainId: null, value: 'Jane@x.test' }
      assert.equal(await store.removeAllowed(ofCompany), 1)
      assert.equal(await store.removeAllowed(ofCompany), 0)
      assert.deepEqual(await store.addAllowed([lists[2]!]), [true])
      assert.equal(await store.removeAllowed(of), 0)
      assert.equal(await store.removeAllowed({ companyId: owner.id, domainId: 'd2' }), 1)
      assert.deepEqual(await store.allowedPage({ companyId: owner.id, limit: 9 }), [lists[2]])
      await assert.rejects(store.addAllowed([{ ...allowed[0]!, companyId: newId() }]), StoreConflict)
    })
  })
}
