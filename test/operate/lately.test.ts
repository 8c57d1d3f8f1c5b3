import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RecentAnswers } from '../../src/operate/recent-answers.ts'
import type { Store } from '../../src/store/store.ts'

test('simultaneous calls share one answer; another key, another store or an error causes a new call', async () => {
  const lately = new RecentAnswers<number>()
  const [store, other] = [{} as Store, {} as Store]
  let asked = 0
  const answer = Promise.withResolvers<number>()
  const ask = () => {
    asked++
    return answer.promise
  }
  const both = [lately.answerOf(store, 'a', ask), lately.answerOf(store, 'a', ask)]
  assert.equal(asked, 1)
  lately.answerOf(store, 'b', ask)
  lately.answerOf(other, 'a', ask)
  assert.equal(asked, 3)
  answer.resolve(7)
  assert.deepEqual(await Promise.all(both), [7, 7])

  const fails = () => Promise.reject(new Error('gone'))
  await assert.rejects(lately.answerOf(store, 'c', fails), /gone/)
  assert.equal(await lately.answerOf(store, 'c', async () => 8), 8)
})
