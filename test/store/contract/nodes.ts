import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { NodeDescription } from '../../../src/store/store.ts'
import {
  accept,
  acme,
  attempt,
  claimRequest,
  deferred,
  email,
  eventNames,
  NOW,
  node,
  result,
  states,
} from '../samples.ts'
import type { OpenBench } from './contract.ts'

export function nodesContract(open: OpenBench): void {
  describe('nodes', () => {
    test('get tokens that only ever rise, over stores and after they have left', async (t) => {
      const { store, another } = await open(t)
      const other = await another()
      const tokens: number[] = []
      for (let n = 0; n < 5; n++) {
        const first = await store.join(node(`a${n}`))
        const second = await other.join(node(`b${n}`))
        tokens.push(first, second)
        await store.leave(first)
        await other.leave(second)
      }
      assert.deepEqual(
        tokens,
        [...new Set(tokens)].sort((a, b) => a - b),
      )
      assert.ok(tokens.every(Number.isSafeInteger))
      assert.deepEqual(await store.nodes(), [])
    })

    test('are known by the recipients under their leases, as long as they are there', async (t) => {
      const { store } = await open(t)
      const token = await store.join(node('here'))
      const value = email(await acme(store), ['a@x.test', 'b@x.test', 'c@x.test', 'd@x.test'])
      await store.accept(value, { token })
      await store.record(attempt(value, token, [result(0), deferred(1, NOW + 1)]))
      const holders = (from: number, limit: number) => store.leaseHolders(value.id, { from, limit })
      const [third, fourth] = [2, 3].map((position) => ({ position, token, node: 'here' }))
      assert.deepEqual(await holders(0, 3), [third])
      assert.deepEqual(await holders(0, 100), [third, fourth])
      assert.deepEqual(await store.leaseHolders('no email', { from: 0, limit: 100 }), [])
      await store.leave(token)
      assert.deepEqual(await holders(0, 100), [])
    })

    test('that join at once get a token each', async (t) => {
      const { another } = await open(t)
      const stores = await Promise.all(Array.from({ length: 3 }, another))
      const joined = Array.from({ length: 12 }, (_, n) => stores[n % 3]!.join(node(`n${n}`)))
      assert.equal(new Set(await Promise.all(joined)).size, 12)
      assert.equal((await stores[0]!.nodes()).length, 12)
    })

    test('see each other as they describe themselves, and the number of beats of each', async (t) => {
      const { store, another } = await open(t)
      const other = await another()
      const here: NodeDescription = {
        name: 'here',
        roles: ['api', 'delivery'],
        timeoutMs: 30_000,
        since: NOW,
        machine: null,
      }
      const there: NodeDescription = {
        name: 'there: ünïcode',
        roles: ['delivery'],
        timeoutMs: 500,
        since: NOW + 5,
        machine: 'there',
      }
      const first = await store.join(here)
      const second = await other.join(there)
      assert.deepEqual(await store.nodes(), [
        { ...here, token: first, beats: 0 },
        { ...there, token: second, beats: 0 },
      ])
      await other.beat(second)
      await other.beat(second)
      const seen = [
        { ...here, token: first, beats: 1 },
        { ...there, token: second, beats: 2 },
      ]
      assert.deepEqual(await store.beat(first), seen)
      assert.deepEqual(await other.nodes(), seen)
    })

    test('enter their machine when they know it, and keep it', async (t) => {
      const { store } = await open(t)
      const token = await store.join(node('here'))
      const machines = async () => (await store.nodes()).map(({ machine }) => machine)
      await store.beat(token, null)
      assert.deepEqual(await machines(), [null])
      await store.beat(token, 'm')
      assert.deepEqual(await machines(), ['m'])
      await store.beat(token)
      assert.deepEqual(await machines(), ['m'])
    })

    test('report the sources that they have, again at each beat', async (t) => {
      const { store } = await open(t)
      const sources = async () => (await store.nodes()).map(({ sources }) => sources)
      const token = await store.join({ ...node('here'), sources: ['192.0.2.1'] })
      assert.deepEqual(await sources(), [['192.0.2.1']])
      await store.beat(token, null, ['192.0.2.2', '2001:db8::1'])
      assert.deepEqual(await sources(), [['192.0.2.2', '2001:db8::1']])
      await store.beat(token, null, [])
      assert.deepEqual(await sources(), [[]])
      await store.beat(token)
      assert.deepEqual(await sources(), [undefined])
    })

    test('are given up only as they were last seen, once, and learn of it at their next beat', async (t) => {
      const { store, another } = await open(t)
      const other = await another()
      const first = await store.join(node('here'))
      const second = await other.join(node('there'))
      await other.beat(second)
      assert.equal(await store.giveUp(second, 0), false, 'it has beaten since')
      const given = await Promise.all([store.giveUp(second, 1), store.giveUp(second, 1)])
      assert.deepEqual(given.sort(), [false, true])
      assert.equal(await other.beat(second), null)
      assert.equal(await store.giveUp(second, 1), false)
      const again = await other.join(node('there'))
      assert.ok(again > second)
      assert.deepEqual(
        (await store.nodes()).map(({ token }) => token),
        [first, again],
      )
    })

    test('leave without a trace', async (t) => {
      const { store } = await open(t)
      const token = await store.join(node('here'))
      await store.leave(token)
      await store.leave(token)
      assert.equal(await store.beat(token), null)
      assert.equal(await store.giveUp(token, 0), false)
      assert.deepEqual(await store.nodes(), [])
    })
  })

  describe('recovery', () => {
    test('gives back, with their attempts, the recipients that no node holds, and none of a node in service', async (t) => {
      const { store, another } = await open(t)
      const other = await another()
      const owner = await acme(store)
      const here = await store.join(node('here'))
      const gone = await other.join(node('there'))
      const ended = email(owner, ['a@x.test', 'b@y.test'])
      await other.accept(ended, { token: gone })
      await other.record(attempt(ended, gone, [deferred(0, NOW)]))
      await other.claim(claimRequest(gone))
      const running = email(owner, ['c@x.test'])
      await store.accept(running, { token: here })

      assert.equal(await store.recover({ now: NOW + 2, jitterMs: 0 }), 0)
      await other.leave(gone)
      assert.equal(await store.recover({ now: NOW + 2, jitterMs: 1_000 }), 2)
      assert.deepEqual(await states(store, ended.id), ['waiting', 'waiting'])
      assert.deepEqual(await states(store, running.id), ['sending'])
      const due = await store.nextDue()
      assert.ok(due !== null && due >= NOW + 2 && due <= NOW + 1_002, String(due))
      const [claimed] = await store.claim(claimRequest(here, { now: NOW + 1_002 }))
      assert.deepEqual(claimed?.recipients.map(({ position, attempts }) => [position, attempts]).sort(), [
        [0, 1],
        [1, 0],
      ])
      assert.deepEqual(await store.record(attempt(running, here, [result(0)])), { refused: [] })
    })

    test('of a node given up refuses its later results', async (t) => {
      const { store, another } = await open(t)
      const other = await another()
      const owner = await acme(store)
      const here = await store.join(node('here'))
      const there = await other.join(node('there'))
      const value = email(owner, ['a@x.test', 'b@x.test'])
      await other.accept(value, { token: there })
      await store.giveUp(there, 0)
      assert.deepEqual(
        await other.record(attempt(value, there, [result(1)])),
        { refused: [] },
        'nobody took it',
      )
      assert.equal(await store.recover({ now: NOW, jitterMs: 0 }), 1)
      assert.deepEqual(await other.record(attempt(value, there, [result(0)])), { refused: [0] })
      await store.claim(claimRequest(here))
      assert.deepEqual(await other.record(attempt(value, there, [result(0)])), { refused: [0] })
      assert.deepEqual(await store.record(attempt(value, here, [result(0)])), { refused: [] })
      assert.deepEqual(await eventNames(store, value.id), ['sent', '1:delivered', '0:delivered'])
    })

    test('of recipients accepted under a token given up meanwhile loses nothing', async (t) => {
      const { store, another } = await open(t)
      const other = await another()
      const owner = await acme(store)
      const here = await store.join(node('here'))
      const there = await other.join(node('there'))
      await store.giveUp(there, 0)
      const value = email(owner, ['a@x.test'])
      await other.accept(value, { token: there })
      assert.equal(await store.recover({ now: NOW, jitterMs: 0 }), 1)
      assert.equal((await store.claim(claimRequest(here))).length, 1)
    })

    test('by several nodes at once gives each recipient back once', async (t) => {
      const { store, another } = await open(t)
      const others = await Promise.all([another(), another()])
      const owner = await acme(store)
      const values = Array.from({ length: 700 }, () => email(owner, ['a@x.test']))
      await Promise.all(values.map((value) => store.accept(value, { token: 1_000_000 })))
      const recovered = await Promise.all(
        [store, ...others].map((each) => each.recover({ now: NOW, jitterMs: 0 })),
      )
      assert.equal(
        recovered.reduce((sum, n) => sum + n, 0),
        700,
      )
      assert.deepEqual(await store.counts(NOW), { waiting: 700, sending: 0, quarantined: 0, due: 700 })
    })

    test('of many recipients is spread over time', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const values = Array.from({ length: 1_200 }, () => email(owner, ['a@x.test']))
      await Promise.all(values.map((value, n) => store.accept(value, { token: 1_000_000 + (n % 3) })))
      assert.equal((await store.counts(NOW)).sending, 1_200)
      assert.equal(await store.recover({ now: NOW, jitterMs: 10_000 }), 1_200)
      const { waiting, sending, due } = await store.counts(NOW + 5_000)
      assert.deepEqual([waiting, sending], [1_200, 0])
      assert.ok(due > 0 && due < 1_200, `${due} of 1200 are due after half the time`)
      assert.equal(await store.recover({ now: NOW, jitterMs: 0 }), 0)
    })

    test('frees leased recipients for one other node', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const value = await accept(store, email(owner, ['a@x.test']))
      await store.claim(claimRequest(1))
      await store.recover({ now: NOW, jitterMs: 0 })
      assert.equal((await store.claim(claimRequest(2))).length, 1)
      assert.deepEqual(await store.record(attempt(value, 1, [result(0)])), { refused: [0] })
      assert.deepEqual(await store.record(attempt(value, 2, [result(0)])), { refused: [] })
    })
  })
}
