import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  accept,
  acme,
  claimRequest,
  email,
  eventNames,
  HOUR,
  NOW,
  newId,
  states,
  suppression,
} from '../samples.ts'
import type { OpenBench } from './contract.ts'

const LATER = { scheduledAt: NOW + HOUR, dueAt: NOW + HOUR }

export function scheduleContract(open: OpenBench): void {
  describe('scheduled mail', () => {
    test('is sent at another time when its sender says so', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      await store.addSuppressions([suppression(owner, 'gone@x.test')])
      const until = { giveUpAt: LATER.dueAt + 1_000 }
      const value = await accept(
        store,
        email(owner, ['a@x.test', 'gone@x.test', 'b@y.test'], { ...LATER, ...until }),
      )
      const seen: string[] = []
      t.after(store.watch((change) => seen.push(change)))
      const sooner = { found: 'scheduled', recipients: 2 }
      assert.deepEqual(await store.reschedule(value.id, NOW + 60_000, NOW + 5), sooner)
      assert.ok(seen.includes('queue'), 'nodes are woken')
      assert.equal(await store.nextDue(), NOW + 60_000)
      const stored = await store.readEmail(value.id)
      assert.deepEqual([stored?.scheduledAt, stored?.lastEvent], [NOW + 60_000, 'scheduled'])
      assert.equal(stored?.giveUpAt, NOW + 61_000, 'its end moves along')
      const { events } = (await store.readHistory(value.id))!
      const told = events.filter(({ type }) => type === 'scheduled')
      assert.deepEqual(
        told.map(({ at, recipient, detail }) => [at, recipient, detail.nextAttemptAt]),
        [
          [NOW, null, NOW + HOUR],
          [NOW + 5, null, NOW + 60_000],
        ],
      )
      await store.reschedule(value.id, NOW + 2 * HOUR, NOW + 6)
      assert.deepEqual(await store.claim(claimRequest(1, { now: NOW + HOUR })), [])
      await store.reschedule(value.id, 1, NOW + 7)
      assert.equal((await store.readEmail(value.id))?.scheduledAt, NOW + 7, 'what is past means now')
      const [claimed] = await store.claim(claimRequest(1, { now: NOW + 7 }))
      assert.deepEqual(
        claimed?.recipients.map(({ position }) => position),
        [0, 2],
      )
      assert.equal((await store.readEmail(value.id))?.lastEvent, 'sent')
    })

    test('is found by its sending domain as long as it waits', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const one = await accept(store, email(owner, ['a@x.test', 'b@y.test'], LATER))
      const two = await accept(store, email(owner, ['a@x.test'], LATER))
      const other = await accept(store, email(owner, ['a@x.test'], { ...LATER, domainId: 'elsewhere' }))
      const waiting = async (domainId: string, limit = 10) =>
        (await store.waitingEmails(owner.id, domainId, limit)).sort()
      assert.deepEqual(await waiting(one.domainId), [one.id, two.id].sort())
      assert.equal((await waiting(one.domainId, 1)).length, 1)
      assert.deepEqual(await waiting('elsewhere'), [other.id])
      assert.deepEqual(await store.waitingEmails(newId(), one.domainId, 10), [])
      await store.cancel(one.id, NOW)
      assert.deepEqual(await waiting(one.domainId), [two.id])
    })

    test('is canceled, and stays so', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const value = await accept(store, email(owner, ['a@x.test', 'b@x.test'], LATER))
      assert.deepEqual(await store.cancelScheduled(value.id, NOW), { found: 'scheduled', recipients: 2 })
      assert.deepEqual(await states(store, value.id), ['canceled', 'canceled'])
      assert.deepEqual(await eventNames(store, value.id), ['scheduled', '0:canceled', '1:canceled'])
      assert.deepEqual(await store.cancelScheduled(value.id, NOW), { found: 'canceled' })
      assert.deepEqual(await store.reschedule(value.id, NOW, NOW), { found: 'canceled' })
      assert.deepEqual(await states(store, value.id), ['canceled', 'canceled'])
    })

    test('is the only mail that can be rescheduled', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const unscheduled = await accept(store, email(owner, ['a@x.test']))
      const begun = await accept(store, email(owner, ['b@x.test', 'c@x.test'], LATER))
      await store.claim(claimRequest(1, { now: NOW + HOUR, maxRecipients: 1, together: 1 }))
      await store.claim(claimRequest(1, { now: NOW + HOUR }))
      for (const act of [
        (id: string) => store.reschedule(id, NOW + 2 * HOUR, NOW),
        (id: string) => store.cancelScheduled(id, NOW),
      ]) {
        assert.deepEqual(await act(unscheduled.id), { found: 'unscheduled' })
        assert.deepEqual(await act(begun.id), { found: 'begun' })
        assert.deepEqual(await act(newId()), { found: 'unknown' })
        assert.deepEqual(await act('no id'), { found: 'unknown' })
      }
      assert.deepEqual(await states(store, unscheduled.id), ['sending'])
      assert.deepEqual(await states(store, begun.id), ['sending', 'sending'])
    })

    test('is either claimed or rescheduled, when both are tried at once', async (t) => {
      const { store, another } = await open(t)
      const other = await another()
      const owner = await acme(store)
      const emails = Array.from({ length: 30 }, (_, n) =>
        email(owner, [`a@x${n}.test`, `b@x${n}.test`], LATER),
      )
      await store.acceptAll({ emails, idempotency: null }, null)
      const now = NOW + HOUR
      const [claims, ...found] = await Promise.all([
        other.claim(claimRequest(1, { now })),
        ...emails.map(({ id }) => store.reschedule(id, now + HOUR, now)),
      ])
      const claimed = new Set(claims.map(({ id }) => id))
      for (const [index, { id }] of emails.entries()) {
        const is = found[index]!.found
        assert.equal(is, claimed.has(id) ? 'begun' : 'scheduled')
        const state = claimed.has(id) ? 'sending' : 'waiting'
        assert.deepEqual(await states(store, id), [state, state])
      }
    })
  })
}
