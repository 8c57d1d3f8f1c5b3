/** How long a recipient has been postponed, whatever happens to the clock of the machine. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideAttempt } from '../../src/email/lifecycle.ts'
import { postponementAt } from '../../src/queue/postponement.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const LASTS = 2 * DAY

/** A process that began `uptime` ms ago, when its clock was `off` ms ahead. */
const process = (uptime: number, now: number, off = 0) => ({ uptime: () => uptime, now: () => now + off })

/** The state after a trouble that is met at both times of the wall clock. */
function stateAfter(
  first: { wall: number; by: ReturnType<typeof process> },
  second: { wall: number; by: ReturnType<typeof process> },
): string | undefined {
  let facts = { attempts: 0, uncertain: false, preferredServer: null, postponedSince: null as number | null }
  let state: string | undefined
  for (const { wall, by } of [first, second]) {
    const { change } = decideAttempt(
      { ...facts, suspicion: 0 },
      {
        kind: 'attempted',
        at: wall,
        outcome: { verdict: 'postponed', message: 'no' },
        server: null,
        tls: null,
        untried: true,
        heldFor: null,
        retryAt: null,
        again: wall,
        patience: LASTS,
        fullMailbox: null,
        ...postponementAt(wall, wall, LASTS, by),
      },
    )
    facts = { ...facts, postponedSince: change!.postponedSince ?? null }
    state = change!.state
  }
  return state
}

test('a trouble that lasts as long as the schedule ends the mail', () => {
  const at = (now: number) => ({ wall: now, by: process(10 * DAY, now) })
  assert.equal(stateAfter(at(100 * DAY), at(102 * DAY - 1)), 'waiting')
  assert.equal(stateAfter(at(100 * DAY), at(102 * DAY)), 'failed')
})

test('a clock that steps ahead and returns ends nothing', () => {
  const first = { wall: 100 * DAY, by: process(10 * DAY, 100 * DAY) }
  assert.equal(stateAfter(first, { wall: 109 * DAY, by: process(10 * DAY, 100 * DAY + HOUR) }), 'waiting')
})

test('a clock that was set back while the trouble began does not make it older', () => {
  const first = { wall: 50 * DAY, by: process(10 * DAY, 100 * DAY) }
  assert.equal(
    stateAfter(first, { wall: 100 * DAY + HOUR, by: process(10 * DAY, 100 * DAY + HOUR) }),
    'waiting',
  )
})

test('a process that began with a clock that is ahead tries for a while before it gives up', () => {
  const first = { wall: 100 * DAY, by: process(10 * DAY, 100 * DAY) }
  assert.equal(stateAfter(first, { wall: 109 * DAY, by: process(60_000, 100 * DAY, 9 * DAY) }), 'waiting')
  assert.equal(stateAfter(first, { wall: 109 * DAY, by: process(15 * 60_000, 109 * DAY) }), 'failed')
})
