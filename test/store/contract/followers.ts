import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { node } from '../samples.ts'
import type { OpenBench } from './contract.ts'

export function followersContract(open: OpenBench): void {
  describe('followers of the log', () => {
    test('belong to one node, which alone moves the cursor, until that node is gone', async (t) => {
      const { store, another } = await open(t)
      const other = await another()
      const first = await store.join(node('first'))
      const second = await other.join(node('second'))
      assert.equal(await store.takeFollower('counts', first, 7), 7)
      assert.equal(await store.takeFollower('counts', first, 0), 7, 'taken again, it goes on where it was')
      assert.equal(await other.takeFollower('counts', second, 0), null)
      assert.equal(await other.takeFollower('webhooks', second, 0), 0, 'another name is another follower')

      assert.equal(await store.advanceFollower('counts', first, 7, 12), true)
      assert.equal(await store.advanceFollower('counts', first, 7, 13), false, 'it is not there any more')
      assert.equal(await other.advanceFollower('counts', second, 12, 20), false)

      await store.leave(first)
      assert.equal(await other.takeFollower('counts', second, 0), 12)
      assert.equal(await store.advanceFollower('counts', first, 12, 13), false)
      assert.equal(await other.advanceFollower('counts', second, 12, 20), true)
    })

    test('are taken by another node as soon as theirs leaves them', async (t) => {
      const { store, another } = await open(t)
      const other = await another()
      const first = await store.join(node('first'))
      const second = await other.join(node('second'))
      await store.takeFollower('counts', first, 7)
      await other.leaveFollower('counts', second)
      assert.equal(await other.takeFollower('counts', second, 0), null, 'it was not its own')
      await store.leaveFollower('counts', first)
      assert.equal(await store.advanceFollower('counts', first, 7, 8), false)
      assert.equal(await other.takeFollower('counts', second, 0), 7)
      assert.equal(await store.takeFollower('counts', first, 0), null)
    })

    test('are not taken by a node that was given up', async (t) => {
      const { store } = await open(t)
      const token = await store.join(node('first'))
      await store.leave(token)
      assert.equal(await store.takeFollower('counts', token, 0), null)
    })
  })
}
