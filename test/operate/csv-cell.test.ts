/** Guarded cells: no spreadsheet runs them as formulas, however it splits the line, and reading restores their text. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stringify } from 'csv-stringify/sync'
import { csvOf } from '../../console/src/parts/csv.ts'
import { Random } from '../../harness/random.ts'
import { guardCell, unguardCell } from '../../src/operate/csv-cell.ts'
import { readCsvPiece, START } from '../../src/operate/suppression-csv.ts'

const HOSTILE = [
  '=1+1',
  "x;=cmd|'/C calc'!A0",
  'x;"=1+1"',
  'x; "" =1+1',
  'x\t+1',
  'x\n-1+1',
  'x\r\n@SUM(A1)',
  ';;=1',
  '\t=1',
  '\uff1d1+1',
  'x;\uff0b1',
  'x;\uff0d1',
  'x;\uff201',
]
/** The cells that a spreadsheet shows if it treats quotation marks within a line as text, or drops them. */
const cellsOf = (line: string) => line.split(/[;\t\r\n]/).map((cell) => cell.replace(/^[\s"]+/, ''))

for (const text of HOSTILE) {
  test(`no cell begins with a formula, and reading restores the text: ${JSON.stringify(text)}`, () => {
    const lines = [
      guardCell(text),
      csvOf([['id', text, 'end']]),
      csvOf([[text]]),
      stringify([['id', guardCell(text)]]),
    ]
    for (const line of lines) {
      for (const cell of cellsOf(line)) assert.doesNotMatch(cell, /^[=+\-@\uff1d\uff0b\uff0d\uff20]/, line)
    }
    assert.equal(unguardCell(guardCell(text)), text)
  })
}

test('text that no spreadsheet runs is not changed', () => {
  for (const text of ['Your order; 2 = two', 'a=b', 'x - y', '2026-01-02', 'a@x.test; b@x.test', ''])
    assert.equal(guardCell(text), text)
  assert.equal(csvOf([['-3', '5']]), '-3,5\r\n', 'a number is no formula')
})

test('reading restores every guarded text', () => {
  const seed = Math.floor(Math.random() * 2 ** 32)
  const random = new Random(seed)
  const pieces = ["'", '=', '-', ';', '\t', '\n', '\r', ' ', '"', 'a', '\uff1d', ',']
  for (let nth = 0; nth < 5_000; nth++) {
    const text = Array.from({ length: random.int(0, 9) }, () => random.pick(pieces)).join('')
    const guarded = guardCell(text)
    assert.equal(unguardCell(guarded), text, `seed ${seed}: ${JSON.stringify(text)}`)
    assert.doesNotMatch(guarded, /(^|[;\t\r\n])["\s]*[=\-\uff1d]/, `seed ${seed}: ${JSON.stringify(text)}`)
  }
})

test('an import of suppressions restores guarded cells', () => {
  const reason = '550 no;=1+1; "-2"'
  const text = stringify([
    ['address', 'type', 'tags', 'reason'],
    ['a@x.test', 'unsubscribe', guardCell('["a;=b"]'), guardCell(reason)],
  ])
  const { suppressions } = readCsvPiece({ text, isLast: true, place: START, list: 'manual', tell: 9 })
  assert.deepEqual([suppressions[0]!.tags, suppressions[0]!.reason], [['a;=b'], reason])
})
