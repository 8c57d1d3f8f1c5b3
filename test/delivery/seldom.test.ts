import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Seldom } from '../../src/delivery/seldom.ts'

test('is due at first, after some seconds, and at once when it is new', () => {
  let now = 0
  const seldom = new Seldom(() => now)
  const due = () => seldom.due
  assert.equal(due(), true)
  now = 9_999
  assert.equal(due(), false)
  now = 10_000
  assert.equal(due(), true)
  assert.equal(due(), false)
  seldom.over()
  assert.equal(due(), true)
})
