import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { acme, apiKey, NOW, newId } from '../samples.ts'
import type { OpenBench } from './contract.ts'

export function keyUsesContract(open: OpenBench): void {
  describe('the last use of keys', () => {
    test('keeps the latest use of each known key', async (t) => {
      const { store } = await open(t)
      const key = apiKey(await acme(store))
      await store.addKey(key)
      const use = { keyId: key.id, at: NOW, address: '192.0.2.7', client: 'app/1' }
      await store.noteKeyUses([use, { ...use, keyId: newId() }])
      assert.deepEqual(await store.lastKeyUses([key.id, newId()]), [use])
      await store.noteKeyUses([{ ...use, at: NOW - 1, client: null }])
      assert.deepEqual(await store.lastKeyUses([key.id]), [use])
      const later = { ...use, at: NOW + 1, address: '2001:db8::1', client: null }
      await store.noteKeyUses([later])
      assert.deepEqual(await store.lastKeyUses([key.id]), [later])
      assert.deepEqual(await store.lastKeyUses([]), [])
    })
  })
}
