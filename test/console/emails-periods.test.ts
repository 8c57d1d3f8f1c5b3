import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PERIODS, timesOf } from '../../console/src/pages/emails/periods.ts'

/** The day after another, in the zone of this process, where days of 23 and 25 hours exist. */
function nextDay(day: Date): number {
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1).getTime()
}

test('Today and Yesterday are whole days in the time zone of the viewer', () => {
  const before = Date.now()
  const [today, yesterday] = ['today', 'yesterday'].map((time) => {
    const { since, until } = timesOf(PERIODS[time]!)
    return { since: new Date(since), until: new Date(until!) }
  }) as [Span, Span]
  const after = Date.now()
  for (const { since, until } of [today, yesterday]) {
    assert.deepEqual([since.getHours(), since.getMinutes(), since.getMilliseconds()], [0, 0, 0])
    assert.equal(until.getTime(), nextDay(since))
  }
  assert.ok(today.since.getTime() <= after && before < today.until.getTime())
  assert.ok(yesterday.since < today.since && yesterday.until.getTime() <= after)
})

interface Span {
  since: Date
  until: Date
}
