/** docs/performance.md is what bench/results make of it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { performancePage } from '../../bench/results.ts'

test('the figures of docs/performance.md come from bench/results', () => {
  const page = performancePage.read()
  assert.equal(page, performancePage.madeAnew(page), 'run node bench/performance-page.ts')
})

test('a page without its markers is refused by name', () => {
  const page = performancePage.read().replace('<!-- end growth -->', '')
  assert.throws(() => performancePage.madeAnew(page), /the section "growth"/)
})
