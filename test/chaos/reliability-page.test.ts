/** docs/reliability.md is what chaos/results make of it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { madeAnew, readPage } from '../../chaos/page.ts'
import { readRuns } from '../../chaos/results.ts'

test('the runs of docs/reliability.md come from chaos/results', () => {
  assert.equal(readPage(), madeAnew(readPage(), readRuns()), 'run node chaos/reliability-page.ts')
})

test('a page without its markers is refused by name', () => {
  const page = readPage().replace('<!-- end runs -->', '')
  assert.throws(() => madeAnew(page, readRuns()), /the section "runs"/)
})
