import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NamedDestinations } from '../../src/store/named-destinations.ts'

const few = (from: number, to: number) =>
  new Map(Array.from({ length: to - from }, (_, n) => [`d${from + n}.test`, 1] as const))

test('the first destinations of a day have names, of each company and day', () => {
  const named = new NamedDestinations()
  assert.equal(named.among(1, 1, few(0, 60)).size, 60)
  const those = named.among(1, 1, few(30, 5_000))
  assert.equal(those.size, 100)
  for (let n = 0; n < 60; n++) assert.ok(those.has(`d${n}.test`))
  assert.equal(named.among(1, 1, few(5_000, 9_000)).size, 100)
  assert.equal(named.among(1, 2, few(0, 60)).size, 60)
  assert.equal(named.among(2, 1, few(0, 60)).size, 60)
})

test('a busy destination is named from any start, and the largest of a step come first', () => {
  const named = new NamedDestinations()
  assert.ok(named.among(1, 1, new Map([...few(0, 500), ['large.test', 400]])).has('large.test'))
  const late = named.among(1, 1, new Map([...few(500, 900), ['late.test', 200], ['little.test', 49]]))
  assert.ok(late.has('late.test'))
  assert.ok(!late.has('little.test'))
  for (let n = 0; n < 1_000; n++) named.among(1, 1, new Map([[`more${n}.test`, 1_000]]))
  assert.equal(named.among(1, 1, few(0, 1)).size, 200)
})
