/** docs/reliability.md is what chaos/results make of it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reliabilityPage } from '../../chaos/results.ts'

test('the runs of docs/reliability.md come from chaos/results', () => {
  const page = reliabilityPage.read()
  assert.equal(page, reliabilityPage.madeAnew(page), 'run node chaos/reliability-page.ts')
})
