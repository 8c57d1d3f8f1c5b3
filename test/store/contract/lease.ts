import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  accept,
  acme,
  attempt,
  claimRequest,
  deferred,
  email,
  HOUR,
  NOW,
  result,
  states,
} from '../samples.ts'
import type { OpenBench } from './contract.ts'

export function leaseContract(open: OpenBench): void {
  describe('leases', () => {
    test('tokens only ever rise, over nodes and restarts too', async (t) => {
      const { store, another } = await open(t)
      const first = await Promise.all(Array.from({ length: 2_500 }, () => store.nextLeaseToken()))
      assert.deepEqual(
        first,
        [...new Set(first)].sort((a, b) => a - b),
      )
      const second = await another()
      const later = [await second.nextLeaseToken(), await second.nextLeaseToken()]
      assert.ok(later[0]! > first.at(-1)! && later[1]! > later[0]!)
    })

    test('an ended lease is given back with its attempts, a running one is not', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const ended = email(owner, ['a@x.test', 'b@y.test'])
      await store.accept(ended, { token: 1, until: NOW + 1 })
      await store.record(attempt(ended, 1, [deferred(0, NOW)]))
      await store.claim(claimRequest(2, { lease: { token: 2, until: NOW + 1 } }))
      const running = email(owner, ['c@x.test'])
      await store.accept(running, { token: 3, until: NOW + 2 })

      assert.equal(await store.recover({ now: NOW + 1, all: false, jitterMs: 0 }), 0)
      assert.equal(await store.recover({ now: NOW + 2, all: false, jitterMs: 1_000 }), 2)
      assert.deepEqual(await states(store, ended.id), ['waiting', 'waiting'])
      assert.deepEqual(await states(store, running.id), ['leased'])
      const due = await store.nextDue()
      assert.ok(due !== null && due >= NOW + 2 && due <= NOW + 1_002, String(due))
      const [claimed] = await store.claim(claimRequest(4, { now: NOW + 1_002 }))
      assert.deepEqual(claimed?.recipients.map(({ position, attempts }) => [position, attempts]).sort(), [
        [0, 1],
        [1, 0],
      ])
      assert.deepEqual(await store.record(attempt(running, 3, [result(0)])), { refused: [] })
    })

    test('renewal keeps a lease, and never shortens one', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const value = email(owner, ['a@x.test'])
      await store.accept(value, { token: 1, until: NOW })
      await store.renew([1, 99], NOW + HOUR)
      await store.renew([1], NOW + 5)
      assert.equal(await store.recover({ now: NOW + HOUR, all: false, jitterMs: 0 }), 0)
      assert.equal(await store.recover({ now: NOW + HOUR + 1, all: false, jitterMs: 0 }), 1)
    })

    test('at the start everything leased is given back, in spread-out order', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const values = Array.from({ length: 1_200 }, () => email(owner, ['a@x.test']))
      await Promise.all(
        values.map((value, n) => store.accept(value, { token: 1 + (n % 3), until: NOW + HOUR })),
      )
      assert.equal((await store.counts(NOW)).leased, 1_200)
      assert.equal(await store.recover({ now: NOW, all: true, jitterMs: 10_000 }), 1_200)
      const { waiting, leased, due } = await store.counts(NOW + 5_000)
      assert.deepEqual([waiting, leased], [1_200, 0])
      assert.ok(due > 0 && due < 1_200, `${due} of 1200 are due after half the time`)
      assert.equal(await store.recover({ now: NOW, all: true, jitterMs: 0 }), 0)
    })

    test('a claim after recovery is free to others only once', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const value = await accept(store, email(owner, ['a@x.test']))
      await store.claim(claimRequest(1))
      await store.recover({ now: NOW, all: true, jitterMs: 0 })
      assert.equal((await store.claim(claimRequest(2))).length, 1)
      assert.deepEqual(await store.record(attempt(value, 1, [result(0)])), { refused: [0] })
      assert.deepEqual(await store.record(attempt(value, 2, [result(0)])), { refused: [] })
    })
  })
}
