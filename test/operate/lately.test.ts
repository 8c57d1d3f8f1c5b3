import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Lately } from '../../src/operate/lately.ts'
import type { Store } from '../../src/store/store.ts'

test('who asks meanwhile waits for the same answer; another key, store or a fault is asked again', async () => {
  const lately = new Lately<number>()
  const [store, other] = [{} as Store, {} as Store]
  let asked = 0
  const answer = Promise.withResolvers<number>()
  const ask = () => {
    asked++
    return answer.promise
  }
  const both = [lately.of(store, 'a', ask), lately.of(store, 'a', ask)]
  assert.equal(asked, 1)
  lately.of(store, 'b', ask)
  lately.of(other, 'a', ask)
  assert.equal(asked, 3)
  answer.resolve(7)
  assert.deepEqual(await Promise.all(both), [7, 7])

  const fails = () => Promise.reject(new Error('gone'))
  await assert.rejects(lately.of(store, 'c', fails), /gone/)
  assert.equal(await lately.of(store, 'c', async () => 8), 8)
})
