import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { notAttempted } from '../../../src/email/not-attempted.ts'
import type { RecipientCounts } from '../../../src/store/store.ts'
import { accept, acme, attempt, deferred, email, HOUR, NOW, newId, type Result, result } from '../samples.ts'
import type { OpenBench } from './contract.ts'

export function liveListContract(open: OpenBench): void {
  describe('a list that renews itself', () => {
    test('finds emails with new events, the latest first, each once', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const other = await acme(store, 'Other')
      const first = email(owner, ['a@x.test', 'b@x.test'])
      await store.accept(first, { token: 1 })
      const theirs = await accept(store, email(other, ['a@x.test']))
      const second = await accept(store, email(owner, ['a@x.test']))
      const begun = await store.settledEventNumber()
      const changed = async (
        above: number,
        company: string | null,
        limit = 10,
        upTo = Number.MAX_SAFE_INTEGER,
      ) => await store.changedEmails({ above, upTo, limit }, company)
      const all = [second.id, theirs.id, first.id]
      assert.deepEqual(await changed(0, null), { ids: all, more: false })
      assert.deepEqual(await changed(0, owner.id), { ids: [second.id, first.id], more: false })
      assert.deepEqual(await changed(0, owner.id, 2), { ids: [second.id, first.id], more: false })
      assert.deepEqual(await changed(0, owner.id, 1), { ids: [second.id], more: true })
      assert.deepEqual(await changed(begun, owner.id), { ids: [], more: false })
      assert.deepEqual(await changed(0, newId()), { ids: [], more: false })

      await store.record(attempt(first, 1, [result(0), result(1)]))
      assert.deepEqual(await changed(begun, null), { ids: [first.id], more: false })
      assert.deepEqual(await changed(0, null), { ids: [first.id, second.id, theirs.id], more: false })
      assert.deepEqual(await changed(0, null, 10, begun), { ids: all, more: false })
    })

    test('reads a bounded number of events, and reports the bound', async (t) => {
      const { store } = await open(t)
      const [owner, other] = [await acme(store), await acme(store, 'Other')]
      await accept(store, email(owner, ['a@x.test']))
      const many = Array.from({ length: 1_100 }, () => email(other, ['a@x.test']))
      for (let from = 0; from < many.length; from += 100) {
        await Promise.all(many.slice(from, from + 100).map((value) => store.accept(value, { token: 1 })))
      }
      for (let from = 0; from < many.length; from += 100) {
        const some = many.slice(from, from + 100)
        await Promise.all(some.map((value) => store.record(attempt(value, 1, [result(0)]))))
      }
      const range = { above: 0, upTo: Number.MAX_SAFE_INTEGER, limit: 10 }
      assert.deepEqual(await store.changedEmails(range, owner.id), { ids: [], more: true })
      assert.equal((await store.changedEmails(range, other.id)).ids.length, 10)
    })

    test('lists emails by their ids, with the states of their recipients', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const one = await accept(store, email(owner, ['a@x.test']))
      const two = email(owner, ['a@x.test', 'b@x.test', 'c@x.test'])
      await store.accept(two, { token: 1 })
      await store.record(attempt(two, 1, [result(0), result(1)]))
      const ids = [two.id, newId(), one.id, 'nothing']
      const listed = await store.summaries(ids, 1_000_000)
      assert.deepEqual(
        listed.map(({ id, lastEvent }) => [id, lastEvent]),
        [
          [two.id, 'delivered'],
          [one.id, 'sent'],
        ],
      )
      const [same] = await store.listEmails({ companyId: owner.id, limit: 1 })
      assert.deepEqual(listed[0], same, 'the same as in any list')
      assert.equal((await store.summaries(ids, 1)).length, 1, 'one at least')

      const recipientCounts = await store.recipientCounts(ids, NOW)
      const countsOf = ({ recipients, groups }: RecipientCounts) => [
        recipients,
        Object.fromEntries(groups.map(({ state, count }) => [state, count])),
      ]
      const states = recipientCounts.map((counts) => [counts.id, countsOf(counts)])
      assert.deepEqual(Object.fromEntries(states), {
        [one.id]: [1, { waiting: 1 }],
        [two.id]: [3, { delivered: 2, sending: 1 }],
      })

      const many = await accept(
        store,
        email(
          owner,
          Array.from({ length: 150 }, (_, n) => `a${n}@x.test`),
        ),
      )
      assert.deepEqual((await store.recipientCounts([many.id], NOW)).map(countsOf), [[150, { waiting: 100 }]])
    })

    test('distinguishes the reasons of waiting recipients', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const other = await acme(store, 'Other')
      const value = email(
        owner,
        ['new', 'tried', 'domain', 'path', 'gone', 'returned', 'postponed']
          .map((name) => `${name}@x.test`)
          .concat('a@y.test', 'b@y.test'),
      )
      await store.accept(value, { token: 1 })
      const waits = (position: number, change: Partial<Result> = {}) =>
        result(position, { state: 'waiting', dueAt: NOW, events: [], message: '', tried: false, ...change })
      await store.record(
        attempt(value, 1, [
          waits(0),
          deferred(1, NOW + HOUR),
          waits(2, { heldFor: 'domain' }),
          waits(3, { heldFor: 'path', dueAt: NOW + 9 }),
          result(4),
          waits(5, { message: notAttempted('paused by an operator') }),
          waits(6, {
            message: notAttempted('the source address mail1 is warming up'),
            heldFor: 'path',
            dueAt: NOW + 7,
            postponedSince: NOW,
          }),
          waits(7),
          deferred(8, NOW + HOUR),
        ]),
      )
      const groups = async (now = NOW) => {
        const [counts] = await store.recipientCounts([value.id], now)
        return counts!.groups
          .flatMap(({ state, count, delayed, heldFor, paused, dueAt, dueTo, attempts }) =>
            state === 'waiting' ? [[heldFor, delayed, paused, count, dueAt, dueTo, attempts]] : [],
          )
          .toSorted()
      }
      const held = [
        ['domain', false, false, 1, NOW, null, 0],
        ['path', false, false, 1, NOW + 9, null, 0],
        ['path', true, false, 1, NOW + 7, null, 0],
      ]
      const usual = [
        ...held,
        [null, false, false, 2, NOW, 'x.test', 0],
        [null, false, false, 1, NOW, 'y.test', 0],
        [null, true, false, 2, NOW + HOUR, null, 1],
      ].toSorted()
      assert.deepEqual(await groups(), usual)
      await store.pause({ companyId: other.id, domain: null, since: NOW })
      assert.deepEqual(await groups(), usual, 'the pause of another company')
      await store.pause({ companyId: null, domain: 'y.test', since: NOW, until: NOW + 5 })
      assert.deepEqual(
        await groups(),
        [
          ...held,
          [null, false, false, 2, NOW, 'x.test', 0],
          [null, true, false, 1, NOW + HOUR, null, 1],
          [null, false, true, 1, NOW, 'y.test', 0],
          [null, true, true, 1, NOW + HOUR, null, 1],
        ].toSorted(),
      )
      assert.deepEqual(await groups(NOW + 5), usual, 'the pause has ended')
      await store.pause({ companyId: owner.id, domain: null, since: NOW })
      assert.ok((await groups()).every(([, , paused]) => paused === true))
    })
  })
}
