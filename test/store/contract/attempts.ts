import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { NOW, newId } from '../samples.ts'
import type { OpenBench } from './contract.ts'

const LONGEST = 10_000

export function attemptsContract(open: OpenBench): void {
  describe('attempts to sign in', () => {
    const lane = (change = {}) => ({ lane: newId(), free: 3, every: 4_000, ...change })

    test('are free at first, then wait for their turn, then are refused and not counted', async (t) => {
      const { store } = await open(t)
      const lanes = [lane()]
      const begin = (now = NOW) => store.beginAttempt(lanes, now, LONGEST)
      const waits = []
      for (let n = 0; n < 8; n++) waits.push(await begin())
      assert.deepEqual(waits, [0, 0, 0, 4_000, 8_000, 12_000, 12_000, 12_000])
      assert.equal(await begin(NOW + 3_000), 9_000)
      assert.equal(await begin(NOW + 3_000), 13_000)
      assert.equal(await begin(NOW + 100_000), 0)
    })

    test('are counted in all of their lanes or in none, and an attempt taken back is not counted', async (t) => {
      const { store, rows } = await open(t)
      const [wide, narrow, other] = [lane({ free: 100 }), lane({ free: 1, every: 20_000 }), lane({ free: 1 })]
      assert.equal(await store.beginAttempt([wide, narrow], NOW, LONGEST), 0)
      assert.equal(await store.beginAttempt([other, narrow], NOW, LONGEST), 20_000)
      assert.equal(await rows('sign_in_attempts'), 2)
      assert.equal(await store.beginAttempt([other], NOW, LONGEST), 0)
      await store.takeBackAttempt([narrow, wide])
      assert.equal(await store.beginAttempt([narrow], NOW, LONGEST), 0)
    })

    test('at once on two nodes are no more than one after the other', async (t) => {
      const { store, another } = await open(t)
      const stores = [store, await another()]
      const lanes = [lane(), lane({ free: 50 })]
      const waits = await Promise.all(
        Array.from({ length: 40 }, (_, n) =>
          stores[n % 2]!.beginAttempt(n % 3 ? lanes : lanes.toReversed(), NOW, LONGEST),
        ),
      )
      const made = waits.filter((wait) => wait <= LONGEST).sort((a, b) => a - b)
      assert.deepEqual(made, [0, 0, 0, 4_000, 8_000])
    })
  })
}
