import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ClaimRequest } from '../../../src/store/store.ts'
import {
  accept,
  acme,
  attempt,
  claimRequest,
  deferred,
  email,
  eventNames,
  HOUR,
  NOW,
  result,
  skipped,
  states,
} from '../samples.ts'
import type { OpenBench } from './contract.ts'

export function claimContract(open: OpenBench): void {
  describe('claim', () => {
    test('takes due recipients, and each only once', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const due = await accept(store, email(owner, ['a@x.test']))
      await accept(store, email(owner, ['b@x.test'], { dueAt: NOW + 1 }))
      const claimed = await store.claim(claimRequest(1))
      assert.deepEqual(
        claimed.map(({ id }) => id),
        [due.id],
      )
      assert.deepEqual(await store.claim(claimRequest(2)), [])
      assert.equal(await store.nextDue(), NOW + 1)
      assert.equal((await store.claim(claimRequest(3, { now: NOW + 1 }))).length, 1)
      assert.equal(await store.nextDue(), null)
    })

    test('takes the due recipients of an email together, whatever their domain', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const value = await accept(store, email(owner, ['a@x.test', 'b@y.test', 'c@x.test', 'd@z.test']))
      const [claimed, ...rest] = await store.claim(claimRequest(1))
      assert.deepEqual(rest, [])
      const addresses = claimed?.recipients.map(({ address }) => address)
      assert.deepEqual(addresses?.sort(), ['a@x.test', 'b@y.test', 'c@x.test', 'd@z.test'])
      await store.record(
        attempt(value, 1, [result(0), deferred(1, NOW + HOUR), result(2), deferred(3, NOW + 5)]),
      )
      const [again] = await store.claim(claimRequest(2, { now: NOW + 10 }))
      assert.deepEqual(
        again?.recipients.map(({ position, attempts }) => [position, attempts]),
        [[3, 1]],
      )
      assert.equal(await store.nextDue(), NOW + HOUR)
    })

    test('takes at most the number of recipients in the request', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const addresses = Array.from({ length: 30 }, (_, n) => `r${n}@x${n % 3}.test`)
      const value = await accept(store, email(owner, addresses, { individual: true }))
      const taken: number[] = []
      for (const expected of [12, 12, 6, 0]) {
        const claimed = await store.claim(claimRequest(1, { maxRecipients: 12 }))
        const positions = claimed.flatMap(({ recipients }) => recipients.map(({ position }) => position))
        assert.equal(positions.length, expected)
        assert.ok(claimed.length <= 1, 'an email comes once in a claim')
        taken.push(...positions)
      }
      assert.deepEqual(
        taken.sort((a, b) => a - b),
        addresses.map((_, n) => n),
      )
      assert.deepEqual(new Set(await states(store, value.id)), new Set(['sending']))
      await accept(store, email(owner, addresses, { individual: true }))
      assert.equal((await store.claim(claimRequest(1, { maxPerCompany: 5 })))[0]?.recipients.length, 5)
      assert.deepEqual(await store.claim(claimRequest(1, { maxRecipients: 0 })), [])
    })

    test('takes the recipients of one transaction together, even beyond the limits', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const other = await acme(store, 'Other')
      const at = (domain: string, count: number) => Array.from({ length: count }, (_, n) => `r${n}@${domain}`)
      const mixed = await accept(store, email(owner, [...at('x.test', 30), ...at('y.test', 20)]))
      await accept(store, email(owner, at('x.test', 40)))
      await accept(store, email(other, at('x.test', 10)))
      const transactions: string[] = []
      for (let claims = 0; claims < 10; claims++) {
        const works = await store.claim(claimRequest(1, { maxRecipients: 7, maxPerCompany: 7 }))
        for (const { companyId, recipients } of works) {
          const byDomain = Map.groupBy(recipients, ({ domain }) => domain)
          for (const [domain, { length }] of byDomain) {
            transactions.push(`${companyId === owner.id ? 'Acme' : 'Other'} ${domain} ${length}`)
          }
        }
      }
      assert.deepEqual(transactions.sort(), [
        'Acme x.test 30',
        'Acme x.test 40',
        'Acme y.test 20',
        'Other x.test 10',
      ])
      // Those that wait for another time do not come along.
      const later = [1, 2, 3].map((position) => deferred(position, NOW + HOUR))
      const again = [4, 5, 6].map((position) => deferred(position, NOW + 5))
      await store.record(attempt(mixed, 1, [...later, ...again]))
      const [work] = await store.claim(claimRequest(1, { now: NOW + 5, maxRecipients: 1 }))
      assert.deepEqual(
        work?.recipients.map(({ position }) => position),
        [4, 5, 6],
      )
    })

    test('takes as many together as fit into one transaction, and no more', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const addresses = Array.from({ length: 25 }, (_, n) => `r${n}@x.test`)
      await accept(store, email(owner, addresses))
      const sizes: number[] = []
      for (let claims = 0; claims < 4; claims++) {
        const [work] = await store.claim(claimRequest(1, { maxRecipients: 1, together: 10 }))
        sizes.push(work?.recipients.length ?? 0)
      }
      assert.deepEqual(sizes, [10, 10, 5, 0])
    })

    test('takes at most the octets in the request, except for the first email', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      for (const size of [900, 500, 400, 300]) await accept(store, email(owner, ['a@x.test'], { size }))
      const sizes = async () =>
        (await store.claim(claimRequest(1, { maxBytes: 800 }))).map(({ size }) => size)
      assert.deepEqual(await sizes(), [900])
      assert.deepEqual(await sizes(), [500])
      assert.deepEqual(await sizes(), [400, 300])
      assert.deepEqual(await sizes(), [])
    })

    test('takes a large email that never fits beside others, when its turn comes', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const large = await accept(store, email(owner, ['big@large.test'], { size: 10_000 }))
      for (let n = 0; n < 20; n++) await accept(store, email(owner, [`s@small${n % 4}.test`], { size: 10 }))
      const seen: string[] = []
      for (let n = 0; n < 10 && !seen.includes(large.id); n++) {
        const claimed = await store.claim(claimRequest(1, { maxBytes: 100, maxRecipients: 5 }))
        seen.push(...claimed.map(({ id }) => id))
      }
      assert.ok(seen.includes(large.id))
    })

    test('leaves out full lanes and full companies', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const other = await acme(store, 'Other')
      const mixed = await accept(store, email(owner, ['a@full.test', 'b@free.test']))
      await accept(store, email(owner, ['c@full.test']))
      const others = await accept(store, email(other, ['a@full.test']))
      const rooms = skipped([`${owner.id}\0full.test`])
      const skipCompanies = [other.id]
      const claimed = await store.claim(claimRequest(1, { rooms, skipCompanies }))
      assert.deepEqual(
        claimed.map(({ id, recipients }) => [id, recipients.map(({ address }) => address)]),
        [[mixed.id, ['b@free.test']]],
      )
      assert.deepEqual(await store.claim(claimRequest(1, { rooms, skipCompanies })), [])
      const [freed] = await store.claim(claimRequest(1, { rooms }))
      assert.equal(freed?.id, others.id)
      assert.equal((await store.claim(claimRequest(1))).length, 2)
    })

    test('takes from a lane only as many as there is room for, and others instead', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const other = await acme(store, 'Other')
      for (let n = 0; n < 8; n++) {
        for (const domain of ['x.test', 'y.test', 'z.test', 'w.test']) {
          await accept(store, email(owner, [`n${n}@${domain}`]))
        }
        await accept(store, email(other, [`n${n}@x.test`]))
      }
      const whole = await accept(store, email(owner, ['a@w.test', 'b@w.test', 'c@w.test', 'd@x.test']))
      const counts = async (change: Partial<ClaimRequest>) => {
        const claimed = await store.claim(claimRequest(1, change))
        const lanes = claimed.flatMap(({ companyId, recipients }) =>
          recipients.map(({ domain }) => `${companyId === owner.id ? '' : 'other '}${domain}`),
        )
        const groups = [...Map.groupBy(lanes, (lane) => lane)].toSorted()
        return Object.fromEntries(groups.map(([lane, all]): [string, number] => [lane, all.length]))
      }
      const shared = [{ companyId: owner.id, domains: ['x.test', 'y.test'], room: 3 }]
      const first = await counts({ rooms: shared, roomOfOthers: 2 })
      assert.deepEqual(Object.keys(first), ['other x.test', 'w.test', 'x.test', 'y.test', 'z.test'])
      assert.equal(first['x.test']! + first['y.test']!, 3)
      assert.deepEqual([first['z.test'], first['w.test'], first['other x.test']], [2, 2, 2])

      const ofCompany = [{ companyId: owner.id, domains: null, room: 4 }]
      const second = await counts({ rooms: ofCompany })
      assert.equal(second['other x.test'], 6)
      const { 'other x.test': _, ...own } = second
      assert.equal(
        Object.values(own).reduce((sum, count) => sum + count, 0),
        4,
      )

      // Recipients that share a transaction are taken together.
      const skip = skipped([`${owner.id}\0y.test`, `${owner.id}\0z.test`, `${owner.id}\0x.test`])
      await counts({ rooms: [...skip, { companyId: owner.id, domains: ['w.test'], room: 6 }] })
      const third = await store.readHistory(whole.id)
      const states = third!.recipients.map(({ state }) => state)
      assert.ok(
        ['sending,sending,sending,waiting', 'waiting,waiting,waiting,waiting'].includes(states.join()),
      )
      await counts({})
      assert.deepEqual(await counts({}), {})
    })

    test('looks at the suppression list again', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const bounced = email(owner, ['gone@x.test'])
      await store.accept(bounced, { token: 1 })
      const waits = await accept(store, email(owner, ['gone@x.test', 'here@x.test']))
      const alone = await accept(store, email(owner, ['gone@x.test'], { scheduledAt: NOW }))
      await store.record(attempt(bounced, 1, [result(0, { state: 'bounced', suppress: true })]))
      const claimed = await store.claim(claimRequest(2))
      assert.deepEqual(
        claimed.map(({ id, recipients }) => [id, recipients.map(({ position }) => position)]),
        [[waits.id, [1]]],
      )
      assert.deepEqual(await states(store, waits.id), ['suppressed', 'sending'])
      assert.deepEqual(await eventNames(store, waits.id), ['sent', '0:suppressed'])
      assert.deepEqual(await eventNames(store, alone.id), ['scheduled', '0:suppressed'])
      assert.equal(await store.nextDue(), null)
    })

    test('a clock that is set back leaves no crowd of lanes in front of due mail', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      await accept(store, email(owner, ['first@x.test'], { dueAt: NOW + HOUR }))
      assert.equal((await store.claim(claimRequest(1, { now: NOW + HOUR }))).length, 1)
      for (let n = 0; n < 150; n++) {
        await accept(store, email(owner, [`a@later${n}.test`], { dueAt: NOW + HOUR - 1 }))
      }
      const due = await accept(store, email(owner, ['a@due.test'], { dueAt: NOW }))
      const claimed = await store.claim(claimRequest(2, { now: NOW }))
      assert.deepEqual(
        claimed.map(({ id }) => id),
        [due.id],
      )
    })

    test('takes mail of each company when much becomes due at once, and all of it in the end', async (t) => {
      const { store } = await open(t)
      const owners = [await acme(store, 'One'), await acme(store, 'Two'), await acme(store, 'Three')]
      // In the order of their time those of the last company come behind all others.
      for (const [n, count] of [800, 800, 5].entries()) {
        const addresses = Array.from({ length: count }, (_, r) => `r${r}@x${r % 5}.test`)
        const value = email(owners[n]!, addresses, { individual: true })
        await store.accept(value, { token: 1 })
        const later = addresses.map((_, position) => deferred(position, NOW + HOUR + n, { events: [] }))
        await store.record(attempt(value, 1, later))
      }
      const now = NOW + 2 * HOUR
      const taken = new Map(owners.map(({ id }) => [id, 0]))
      for (let claims = 0; ; claims++) {
        const works = await store.claim(claimRequest(2, { now }))
        for (const { companyId, recipients } of works) {
          taken.set(companyId, taken.get(companyId)! + recipients.length)
        }
        if (claims === 0) assert.ok(Math.min(...taken.values()) > 0, [...taken.values()].join())
        if (works.length === 0) break
      }
      assert.deepEqual([...taken.values()], [800, 800, 5])
    })

    test('works with a clock that is set back', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const value = await accept(store, email(owner, ['a@x.test'], { dueAt: NOW + 2 * HOUR }))
      assert.deepEqual(await store.claim(claimRequest(1, { now: NOW + HOUR })), [])
      await accept(store, email(owner, ['b@x.test'], { dueAt: NOW + HOUR - 1 }))
      assert.deepEqual(await store.claim(claimRequest(1, { now: NOW })), [])
      assert.equal((await store.claim(claimRequest(1, { now: NOW + HOUR }))).length, 1)
      const [last] = await store.claim(claimRequest(1, { now: NOW + 2 * HOUR }))
      assert.equal(last?.id, value.id)
    })
  })
}
