/** What was measured in another way is a row of its own on the page, and says in which way. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GrowthRun } from '../../bench/growth-report.ts'
import { takeNumbers } from '../../bench/measure.ts'
import { SECTIONS } from '../../bench/page/sections.ts'
import { type Run, ways } from '../../bench/report.ts'
import { readResults } from '../../bench/results.ts'
import type { SoakReport } from '../../bench/soak/report.ts'

const rowsOf = (section: string, results: unknown[]) =>
  SECTIONS[section]!(<Result>() => results as Result[])
    .split('\n')
    .slice(2)

test('other connections and settings do not pass for the usual ones', () => {
  const usual = readResults<Run>('run').findLast(({ settings, connections, rounds }) => {
    return Object.keys(settings).length === 0 && connections === 20 && rounds.length > 0
  })!
  const more = { ...usual, connections: 200 }
  const set = { ...usual, settings: { POSTROAD_DELIVERY_THREADS: '2' } }
  assert.doesNotMatch(ways(usual), /connections|POSTROAD/)
  assert.match(ways(more), /200 connections/)
  assert.match(ways(set), /POSTROAD_DELIVERY_THREADS=2/)
  const rows = rowsOf('delivering', [usual, more, set])
  assert.equal(rows.length, 3)
  assert.match(rows[1]!, /; 200 connections \|/)
  assert.match(rows[2]!, /; POSTROAD_DELIVERY_THREADS=2 \|/)
})

test('history: runs with other settings get their own row, and the row shows the spread of the rounds when it is known', () => {
  const kept = readResults<GrowthRun>('growth').at(-1)!
  const summary = kept.summary.map((each) => ({ ...each, ratio: 1.01, lowest: 0.5, highest: 1.25 }))
  const again = { ...kept, summary, settings: { POSTROAD_CONCURRENCY: '50' } }
  const rows = rowsOf('growth', [kept, again])
  assert.equal(rows.length, 2)
  assert.match(rows[1]!, /POSTROAD_CONCURRENCY=50 .* 1\.01 \(0\.50 to 1\.25\) /)
})

test('the row of a soak run names the full rate that it halves, unless the run had a fixed rate', () => {
  const kept = readResults<SoakReport>('soak').at(-1)!
  assert.match(rowsOf('soak', [{ ...kept, rate: 900, full: 1800.4 }])[0]!, /at 900\/s, half of 1800\/s \|/)
  assert.match(rowsOf('soak', [{ ...kept, rate: 900, full: null }])[0]!, /at 900\/s \|/)
})

test('more messages than can be numbered are refused before any is offered', () => {
  assert.throws(() => takeNumbers(100_000_001), /numbered with 8 digits/)
})
