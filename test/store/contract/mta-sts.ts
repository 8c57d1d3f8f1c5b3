import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { StoredMtaStsPolicy } from '../../../src/store/store.ts'
import { NOW } from '../samples.ts'
import type { OpenBench } from './contract.ts'

const POLICY: StoredMtaStsPolicy = {
  domain: 'x.test',
  id: '20261128',
  mode: 'enforce',
  mx: ['mx.x.test', '*.y.test'],
  fetchedAt: NOW,
  expiresAt: NOW + 1_000,
}

export function mtaStsContract(open: OpenBench): void {
  describe('policies of MTA-STS', () => {
    test('count for every node until they expire', async (t) => {
      const { store, another } = await open(t)
      const other = await another()
      assert.equal(await store.mtaStsPolicy('x.test', NOW), null)
      await store.keepMtaStsPolicy(POLICY, 'x.test')
      assert.deepEqual(await other.mtaStsPolicy('x.test', NOW + 999), POLICY)
      assert.equal(await store.mtaStsPolicy('x.test', NOW + 1_000), null)
      assert.equal(await store.mtaStsPolicy('y.test', NOW), null)
    })

    test('are replaced by later fetches, never by earlier ones', async (t) => {
      const { store } = await open(t)
      await store.keepMtaStsPolicy(POLICY, 'x.test')
      const later: StoredMtaStsPolicy = { ...POLICY, id: 'b', mode: 'none', mx: [], fetchedAt: NOW + 10 }
      await store.keepMtaStsPolicy(later, 'x.test')
      await store.keepMtaStsPolicy({ ...POLICY, id: 'c', fetchedAt: NOW + 9 }, 'x.test')
      assert.deepEqual(await store.mtaStsPolicy('x.test', NOW), later)
    })

    test('are removed once they have expired', async (t) => {
      const { store, rows } = await open(t)
      await store.keepMtaStsPolicy(POLICY, 'x.test')
      await store.keepMtaStsPolicy({ ...POLICY, domain: 'y.test', expiresAt: NOW + 2_000 }, 'y.test')
      assert.equal(await store.forgetExpired(NOW + 1_000, 10), 1)
      assert.equal(await rows('mta_sts_policies'), 1)
    })

    test('beyond the limit, the policies with the oldest fetches are removed, whatever their lifetime', async (t) => {
      const { store, rows } = await open(t)
      for (const [n, later] of [1, 5, 2, 4, 3].entries()) {
        const [fetchedAt, expiresAt] = [NOW + later, NOW + 100 - later]
        await store.keepMtaStsPolicy({ ...POLICY, domain: `d${n}.test`, fetchedAt, expiresAt }, `d${n}.test`)
      }
      assert.equal(await store.forgetMtaStsPolicies(5, 10), 0)
      assert.equal(await store.forgetMtaStsPolicies(2, 1), 1)
      assert.equal(await store.forgetMtaStsPolicies(2, 10), 2)
      assert.equal(await store.forgetMtaStsPolicies(2, 10), 0)
      assert.equal(await rows('mta_sts_policies'), 2)
      for (const domain of ['d1.test', 'd3.test']) assert.ok(await store.mtaStsPolicy(domain, NOW))
    })

    test('of one organization take at most a thousand places, and displace no others', async (t) => {
      const { store, rows } = await open(t)
      await store.keepMtaStsPolicy({ ...POLICY, fetchedAt: NOW - 1 }, 'x.test')
      for (let n = 0; n < 1_002; n++) {
        const policy = { ...POLICY, domain: `d${n}.evil.test`, fetchedAt: NOW + n, expiresAt: NOW + 5_000 }
        await store.keepMtaStsPolicy(policy, 'evil.test')
      }
      assert.equal(await rows('mta_sts_policies'), 1_001)
      assert.ok(await store.mtaStsPolicy('x.test', NOW))
      const found = await Promise.all([0, 1, 2, 1_001].map((n) => store.mtaStsPolicy(`d${n}.evil.test`, NOW)))
      assert.deepEqual(
        found.map((policy) => policy !== null),
        [false, false, true, true],
      )
    })
  })
}
