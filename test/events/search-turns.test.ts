import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { SearchesBusy, SearchTurns } from '../../src/events/search-turns.ts'

/** Searches that end on command. */
function rig() {
  const turns = new SearchTurns()
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const search = (name: string, patience = 60_000) => {
    const look = async () => {
      begun.push(name)
      const end = Promise.withResolvers<void>()
      ends.set(name, end.resolve)
      await end.promise
      return name
    }
    return turns.take(name[0]!, look, patience)
  }
  const end = async (name: string) => {
    ends.get(name)!()
    await turn()
  }
  return { begun, search, end }
}

test('a company has few searches under way; its others wait in their order, and another company’s do not wait for them', async () => {
  const { begun, search, end } = rig()
  const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map((name) => search(name))
  await turn()
  assert.deepEqual(begun.splice(0), ['a1', 'a2', 'b1'])
  await end('a2')
  assert.deepEqual(begun.splice(0), ['c1'], 'who has none goes first')
  for (const name of ['a1', 'b1', 'c1']) await end(name)
  assert.deepEqual(begun.splice(0).sort(), ['a3', 'b2'], 'beside another one it has less')
  await end('b2')
  assert.deepEqual(begun, ['a4'])
  for (const name of ['a3', 'a4']) await end(name)
  assert.deepEqual(await Promise.all(all), ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'])
})

test('a search that waits too long, or behind too many, is refused and delays no later search', async () => {
  const { begun, search, end } = rig()
  const under = [search('a1'), search('a2')]
  await assert.rejects(search('a3', 1), SearchesBusy)
  const waiting = Array.from({ length: 99 }, (_, n) => search(`a${n + 10}`))
  await assert.rejects(search('a200'), SearchesBusy)
  await turn()
  assert.deepEqual(begun.splice(0), ['a1', 'a2'])
  await end('a1')
  assert.deepEqual(begun, ['a10'])
  for (const name of ['a2', ...waiting.map((_, n) => `a${n + 10}`)]) await end(name)
  await Promise.all([...under, ...waiting])
})

test('a search that fails gives its place back', async () => {
  const turns = new SearchTurns()
  for (let n = 0; n < 5; n++) {
    await assert.rejects(
      turns.take('a', () => Promise.reject(new Error('no such luck'))),
      /no such luck/,
    )
  }
})
