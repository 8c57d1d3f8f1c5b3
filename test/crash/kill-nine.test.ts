/**
 * Hostile cases 1 and 2: the service is killed at each point of a message's way, twice, under load from both dialects and over SMTP.
 * `npm run chaos -- --faults kill` does the like for as long as one likes.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KILL_POINTS, runKills } from './kill-nine.ts'

test('kill -9 at any point loses nothing accepted and doubles nothing that was on record', {
  timeout: 180_000,
}, async (t) => {
  const report = await runKills({ points: [...KILL_POINTS, 'dot', 'answered', 'request', 'body', 'request'] })
  t.diagnostic(JSON.stringify({ ...report, doubled: report.doubled.length }))
  assert.deepEqual(report.lost, [])
  assert.deepEqual(
    report.doubled.filter(({ cause }) => cause === 'unexplained'),
    [],
  )
  assert.deepEqual(report.storedWrongly, [])
  assert.deepEqual(report.surprises, [])
  // The run was worth something: every way in got through, and every kill came.
  const { json, form, smtp } = report.accepted
  assert.ok(json > 50 && form > 50 && smtp > 25)
  assert.equal(
    Object.values(report.kills).reduce((sum, count) => sum + count, 0),
    12,
  )
})
