import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { CHECK_KINDS } from '../../../src/operate/doctor/check.ts'

test('the table in docs/operations.md has each kind of check', () => {
  const text = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8')
  const table = /^\| Check \|.*\n\| --- .*\n((?:\|.*\n)+)/m.exec(text)![1]!
  const rows = table.split('\n').map((row) => row.split('|')[1] ?? '')
  const kinds = rows.flatMap((cell) => [...cell.matchAll(/`([a-z-]+)(?::…)?`/g)].map(([, kind]) => kind!))
  assert.deepEqual(kinds.toSorted(), [...CHECK_KINDS])
})
