/** docs/performance.md is what bench/results make of it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { madeAnew, readPage } from '../../bench/page/page.ts'
import { readResults } from '../../bench/results.ts'

test('the figures of docs/performance.md come from bench/results', () => {
  assert.equal(readPage(), madeAnew(readPage(), readResults), 'run node bench/performance-page.ts')
})

test('a page without its markers is refused by name', () => {
  const page = readPage().replace('<!-- end growth -->', '')
  assert.throws(() => madeAnew(page, readResults), /the section "growth"/)
})
