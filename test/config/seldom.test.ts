import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Seldom } from '../../src/seldom.ts'

test('is told at first, after its time with how often it was passed over, and at once when it is new', () => {
  let now = 0
  const seldom = new Seldom(10_000, () => now)
  assert.equal(seldom.met(), 0)
  now = 9_999
  assert.equal(seldom.met(), null)
  assert.equal(seldom.met(), null)
  now = 10_000
  assert.equal(seldom.met(), 2)
  assert.equal(seldom.met(), null)
  seldom.over()
  assert.equal(seldom.met(), 0)
})
