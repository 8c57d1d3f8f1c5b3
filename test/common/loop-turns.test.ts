import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LoopTurns } from '../../src/common/loop-turns.ts'

test('one begins in each turn of the event loop, and companies take turns', async () => {
  const turns = new LoopTurns()
  const begun: [company: string, turn: number][] = []
  let turn = 0
  const { promise, resolve } = Promise.withResolvers<void>()
  const count = () => {
    turn += 1
    if (begun.length < 23) setImmediate(count)
    else resolve()
  }
  setImmediate(count)
  for (let index = 0; index < 20; index++) turns.take('a', () => begun.push(['a', turn]))
  for (const company of ['b', 'c', 'b']) turns.take(company, () => begun.push([company, turn]))
  await promise
  assert.deepEqual(
    begun.slice(0, 6).map(([company]) => company),
    ['a', 'b', 'c', 'a', 'b', 'a'],
  )
  assert.equal(new Set(begun.map(([, at]) => at)).size, begun.length)
})

test('a turn goes on with waiting work while it has time, and each turn begins at least one task', async () => {
  let left = 0
  const turns = new LoopTurns(() => left > 0)
  const begun: string[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  for (const name of ['1', '2', '3', '4']) {
    turns.take('a', () => {
      left -= 1
      begun.push(name)
      if (name === '4') resolve()
    })
  }
  left = 3
  setImmediate(() => begun.push('the next turn'))
  await promise
  assert.deepEqual(begun, ['1', '2', '3', 'the next turn', '4'])
})
