import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { PauseScope, Store } from '../../../src/store/store.ts'
import {
  accept,
  acme,
  attempt,
  claimRequest,
  deferred,
  email,
  NOW,
  newId,
  result,
  states,
  suppress,
  suppression,
} from '../samples.ts'
import type { OpenBench } from './contract.ts'

const ENDLESS = { until: null, reason: null }

/** Reads on from a cursor as a node does; what it has seen so far, as `company address`. */
class Reading {
  readonly seen = new Set<string>()
  readonly #store: Store
  #cursor: string | null = null

  constructor(store: Store) {
    this.#store = store
  }

  async read(): Promise<string[]> {
    const { cursor, added } = await this.#store.suppressionsSince(this.#cursor)
    this.#cursor = cursor
    const names = added.map(({ companyId, address }) => `${companyId} ${address}`)
    for (const name of names) this.seen.add(name)
    return names
  }
}

export function stopsContract(open: OpenBench): void {
  describe('new suppressions', () => {
    test('reach each reader, whichever node added them', async (t) => {
      const { store, another } = await open(t)
      const other = await another()
      const owner = await acme(store)
      assert.equal(await suppress(store, owner.id, 'old@x.test', 'asked to', NOW), true)
      const readings = [new Reading(store), new Reading(other)]
      for (const reading of readings) assert.deepEqual(await reading.read(), [], 'what was there before')

      const value = email(owner, ['Gone@x.test', 'there@x.test'])
      await other.accept(value, { token: 1 })
      const bounced = result(0, { state: 'bounced', suppress: true, message: '550 5.1.1 no' })
      await other.record(attempt(value, 1, [bounced, result(1)]))
      await suppress(store, owner.id, 'left@x.test', 'asked to', NOW)
      const expected = [`${owner.id} Gone@x.test`, `${owner.id} left@x.test`]
      for (const reading of readings) {
        const told = await reading.read()
        assert.deepEqual(
          told.filter((name) => expected.includes(name)).sort(),
          expected,
          'others may be told again',
        )
      }
    })

    test('keep their first reason, and do not reach readers once they are removed', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const other = await acme(store, 'Other')
      await suppress(store, owner.id, 'a@x.test', 'first', NOW)
      const reading = new Reading(store)
      await reading.read()
      assert.equal(await suppress(store, owner.id, 'A@x.test', 'second', NOW), false)
      assert.equal((await store.listSuppressions({ limit: 10 }))[0]?.reason, 'first')
      await suppress(store, other.id, 'b@x.test', 'first', NOW)
      await store.removeSuppressions({ companyId: other.id, address: 'b@x.test' })
      await suppress(store, other.id, 'c@x.test', 'first', NOW)
      const told = await reading.read()
      assert.ok(told.includes(`${other.id} c@x.test`))
      assert.ok(!told.includes(`${other.id} b@x.test`))
    })

    test('of many nodes at once all reach the readers, in whatever order they are committed', async (t) => {
      const { store, another } = await open(t)
      const others = await Promise.all([another(), another(), another()])
      const owner = await acme(store)
      const reading = new Reading(store)
      await reading.read()
      let adding = true
      const added = Promise.all(
        others.map(async (each, n) => {
          for (let i = 0; i < 40; i++) await suppress(each, owner.id, `r${i}@n${n}.test`, 'x', NOW)
        }),
      ).then(() => {
        adding = false
      })
      while (adding) await reading.read()
      await added
      await reading.read()
      assert.equal(reading.seen.size, 120)
    })

    test('are refused for an unknown company', async (t) => {
      const { store } = await open(t)
      await assert.rejects(suppress(store, newId(), 'a@x.test', 'x', NOW), { name: 'StoreConflict' })
    })

    test('made by hand end waiting mail at the next claim', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const value = await accept(store, email(owner, ['a@x.test', 'b@x.test']))
      await suppress(store, owner.id, 'a@x.test', 'asked to', NOW)
      const [claimed] = await store.claim(claimRequest(1))
      assert.deepEqual(
        claimed?.recipients.map(({ position }) => position),
        [1],
      )
      assert.deepEqual(await states(store, value.id), ['suppressed', 'sending'])
      const [listed] = await store.listSuppressions({ limit: 1 })
      assert.deepEqual(listed, { ...suppression(owner, 'a@x.test'), id: listed?.id })
    })
  })

  describe('pauses', () => {
    test('are kept by scope, each once, until they are ended', async (t) => {
      const { store, another } = await open(t)
      const other = await another()
      const owner = await acme(store)
      const scopes = [
        { companyId: null, domain: null },
        { companyId: null, domain: 'x.test' },
        { companyId: owner.id, domain: null },
        { companyId: owner.id, domain: 'x.test' },
      ]
      for (const scope of scopes) await store.pause({ ...scope, since: NOW })
      await other.pause({ ...scopes[1]!, since: NOW + 5 })
      assert.deepEqual(
        await other.pauses(NOW),
        scopes.map((scope) => ({ ...scope, ...ENDLESS, since: NOW })),
      )
      assert.equal(await other.resume(scopes[1]!, NOW), true)
      assert.equal(await store.resume(scopes[1]!, NOW), false)
      assert.equal(await store.resume({ companyId: owner.id, domain: 'y.test' }, NOW), false)
      assert.deepEqual(
        (await store.pauses(NOW)).map(({ companyId, domain }) => ({ companyId, domain })),
        [scopes[0], scopes[2], scopes[3]],
      )
      await assert.rejects(store.pause({ companyId: newId(), domain: null, since: NOW }), {
        name: 'StoreConflict',
      })
    })

    test('of sites are kept apart from all others, and last', async (t) => {
      const { store, another } = await open(t)
      const other = await another()
      const owner = await acme(store)
      const [big, small] = [
        { key: 'provider:big', name: 'Big' },
        { key: 'mx:a.test\nb.test', name: 'a.test +1' },
      ]
      const scopes = [
        { companyId: null, domain: null, site: small },
        { companyId: null, domain: null, site: big },
        { companyId: owner.id, domain: null, site: big },
      ]
      for (const scope of scopes) await store.pause({ ...scope, since: NOW })
      await store.pause({ companyId: null, domain: 'x.test', since: NOW })
      await other.pause({ ...scopes[0]!, since: NOW + 5 })
      const kept = scopes.map((scope) => ({ ...scope, ...ENDLESS, since: NOW }))
      assert.deepEqual(await other.pauses(NOW), [
        { companyId: null, domain: 'x.test', since: NOW, ...ENDLESS },
        ...kept,
      ])
      assert.equal(await other.resume({ companyId: null, domain: null }, NOW), false)
      assert.equal(await other.resume(scopes[1]!, NOW), true)
      assert.equal(await store.resume(scopes[1]!, NOW), false)
      assert.equal(await store.resume({ companyId: null, domain: 'x.test' }, NOW), true)
      assert.deepEqual(await store.pauses(NOW), [kept[0], kept[2]])
      await accept(store, email(owner, ['a@x.test'], { dueAt: NOW + 1, scheduledAt: NOW + 1 }))
      assert.equal(await store.oldestDue(NOW), NOW + 1, 'the store does not know which mail is concerned')
    })

    test('end by themselves; set again, they take over the end and the reason', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const site = { key: 'provider:big', name: 'Big' }
      const scopes: PauseScope[] = [
        { companyId: null, domain: 'x.test' },
        { companyId: owner.id, domain: null, site },
      ]
      const until = NOW + 10
      for (const scope of scopes) await store.pause({ ...scope, since: NOW, until, reason: 'repair' })
      const both = scopes.map((scope) => ({ ...scope, since: NOW, until, reason: 'repair' }))
      assert.deepEqual(await store.pauses(until - 1), both)
      assert.deepEqual(await store.pauses(until), [])
      for (const scope of scopes) await store.pause({ ...scope, since: NOW + 5, reason: 'longer' })
      assert.deepEqual(
        await store.pauses(until),
        scopes.map((scope) => ({ ...scope, since: NOW, until: null, reason: 'longer' })),
      )
      for (const scope of scopes) await store.pause({ ...scope, since: NOW + 5, until })
      for (const scope of scopes) await store.pause({ ...scope, since: until })
      assert.deepEqual(
        (await store.pauses(until)).map(({ since }) => since),
        [until, until],
        'a pause that has ended begins anew',
      )
    })

    test('that have ended stop neither a retry nor the look for the oldest', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const value = await accept(store, email(owner, ['a@x.test'], { dueAt: NOW + 1_000 }))
      await store.pause({ companyId: owner.id, domain: 'x.test', since: NOW, until: NOW + 10 })
      assert.equal(await store.oldestDue(NOW + 9), null)
      assert.equal(await store.oldestDue(NOW + 10), NOW + 1_000)
      const request = { companyId: null, domains: null, emailId: value.id }
      assert.equal((await store.retry({ ...request, now: NOW + 9 })).paused, 1)
      assert.deepEqual(await store.retry({ ...request, now: NOW + 10 }), {
        ...{ retried: 1, scheduled: 0, paused: 0, held: 0 },
      })
    })

    test('leave their mail out of the oldest that is due', async (t) => {
      const { store } = await open(t)
      const [owner, other] = [await acme(store), await acme(store, 'Other')]
      assert.equal(await store.oldestDue(NOW), null)
      const at = (dueAt: number) => ({ dueAt, scheduledAt: dueAt })
      await accept(store, email(owner, ['a@x.test'], at(NOW + 1)))
      await accept(store, email(owner, ['a@y.test'], at(NOW + 2)))
      await accept(store, email(other, ['a@x.test'], at(NOW + 3)))
      const later = NOW + 2_000
      const found = async (now = later) => [
        await store.oldestDue(NOW),
        await store.oldestDueOf(owner.id, now),
        await store.oldestDueOf(other.id, now),
      ]
      assert.deepEqual(await found(), [NOW + 1, NOW + 1, NOW + 3])
      assert.deepEqual(await found(NOW + 2), [NOW + 1, NOW + 1, null], 'of a company only what is due')
      assert.equal(await store.oldestDueOf(newId(), later), null)
      await store.pause({ companyId: owner.id, domain: 'x.test', since: NOW })
      assert.deepEqual(await found(), [NOW + 2, NOW + 2, NOW + 3])
      await store.pause({ companyId: owner.id, domain: null, since: NOW })
      assert.deepEqual(await found(), [NOW + 3, null, NOW + 3])
      await store.pause({ companyId: null, domain: 'x.test', since: NOW })
      assert.deepEqual(await found(), [null, null, null])
      await store.resume({ companyId: owner.id, domain: null }, NOW)
      assert.deepEqual(await found(), [NOW + 2, NOW + 2, null])
      // Some of it is given back, so it waits beside what was due from the beginning.
      const works = await store.claim(claimRequest(1, { now: later, skipDomains: ['x.test'] }))
      for (const { id, recipients } of works) {
        await store.record(attempt({ id }, 1, [deferred(recipients[0]!.position, NOW + 4)]))
      }
      assert.deepEqual((await found(later)).slice(1), [NOW + 4, null])
    })

    test('that have ended make their mail late from their end on, until they are forgotten', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const at = (dueAt: number) => ({ dueAt, scheduledAt: dueAt })
      await accept(store, email(owner, ['a@x.test'], at(NOW + 1)))
      await accept(store, email(owner, ['a@y.test'], at(NOW + 500)))
      const ofDomain = { companyId: null, domain: 'x.test' }
      const ofCompany = { companyId: owner.id, domain: null }
      await store.pause({ ...ofDomain, since: NOW, until: NOW + 300 })
      assert.equal(await store.oldestDue(NOW + 300), NOW + 300, 'it has ended by itself')
      await store.pause({ ...ofCompany, since: NOW })
      assert.equal(await store.oldestDue(NOW + 300), null)
      assert.equal(await store.resume(ofCompany, NOW + 400), true)
      assert.equal(await store.resume(ofCompany, NOW + 401), false)
      assert.equal(await store.oldestDue(NOW + 600), NOW + 400, 'the last of two ends counts')
      assert.equal(await store.oldestDueOf(owner.id, NOW + 600), NOW + 400, 'the last of two ends counts')
      // A node whose clock is behind knows as well that an operator has ended the pause.
      assert.deepEqual(
        (await store.pauses(NOW + 10)).map(({ domain }) => domain),
        ['x.test'],
      )
      assert.equal(await store.forgetPauses(NOW + 300), 0)
      assert.equal(await store.forgetPauses(NOW + 400), 1)
      assert.equal(await store.oldestDue(NOW + 600), NOW + 400)
      assert.equal(await store.forgetPauses(NOW + 401), 1)
      assert.equal(await store.oldestDue(NOW + 600), NOW + 1)
      assert.equal(await store.oldestDueOf(owner.id, NOW + 600), NOW + 1)
      const site = { key: 'provider:big', name: 'Big' }
      await store.pause({ companyId: null, domain: null, site, since: NOW, until: NOW + 10 })
      await store.pause({ ...ofDomain, since: NOW })
      assert.equal(await store.forgetPauses(NOW + 1_000), 1)
      assert.equal((await store.pauses(NOW + 1_000)).length, 1)
    })

    test('of a domain are kept to by a claim that names it', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const other = await acme(store, 'Other')
      const mixed = await accept(store, email(owner, ['a@paused.test', 'b@free.test']))
      await accept(store, email(other, ['c@paused.test']))
      const claimed = await store.claim(claimRequest(1, { skipDomains: ['paused.test'] }))
      assert.deepEqual(
        claimed.map(({ id, recipients }) => [id, recipients.map(({ address }) => address)]),
        [[mixed.id, ['b@free.test']]],
      )
      assert.deepEqual(await store.claim(claimRequest(1, { skipDomains: ['paused.test'] })), [])
      assert.equal((await store.claim(claimRequest(1))).length, 2)
    })
  })
}
