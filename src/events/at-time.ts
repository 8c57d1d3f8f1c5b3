/** Where in the log a time lies. */
import type { EventLog } from '../store/store.ts'

/** Ms by which events may stand in another order than their times: clocks differ, and commits take their time. */
const SLACK = 5_000

/** A number behind which every event is that happened at this time (Unix ms) or later. In steps of one event each. */
export async function numberBehind(log: EventLog, at: number): Promise<number> {
  return await lastBefore(log, at - SLACK)
}

/** A number up to which every event is that happened before this time; null: the end of the log. */
export async function numberUpTo(log: EventLog, until: number): Promise<number | null> {
  const at = until + SLACK
  return at >= Date.now() ? null : await lastBefore(log, at)
}

async function lastBefore(log: EventLog, at: number): Promise<number> {
  let low = 0
  let high = await log.lastEventNumber()
  // Of what lies up to `low` all is older, of what lies behind `high` nothing is.
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const [next] = (await log.eventsAfter(middle, {}, 1)).events
    if (next === undefined || next.number > high || next.at >= at) high = middle
    else low = next.number
  }
  return low
}
