import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RecentEntries, SizedEntries } from '../../src/common/recent-entries.ts'

test('the entry unused for longest gives way', () => {
  const entries = new RecentEntries<number>(3)
  for (const [index, key] of ['a', 'b', 'c'].entries()) entries.set(key, index)
  assert.equal(entries.get('a'), 0)
  entries.set('d', 3)
  assert.deepEqual([...entries.keys()].toSorted(), ['a', 'c', 'd'])
  entries.delete('c')
  entries.set('e', 4)
  assert.deepEqual([...entries.keys()].toSorted(), ['a', 'd', 'e'])
})

test('entries of different sizes have a room and a number', () => {
  const left: string[] = []
  const entries = new SizedEntries<{ name: string }>(4, 1_000, { dispose: (_, key) => left.push(key) })
  for (const name of ['a', 'b', 'c', 'd', 'e']) entries.put(name, { name }, 1)
  assert.deepEqual(left, ['a'])
  entries.put('large', { name: 'large' }, 600)
  assert.deepEqual(left, ['a', 'b', 'c', 'd'])
  entries.put('too large', { name: 'too large' }, 1_001)
  assert.deepEqual([...entries.keys()].toSorted(), ['e', 'large'])
})
