/** Lanes of sign-in attempts, as both databases keep them: a row says until when its lane owes time. */
import type { AttemptLane } from '../people/attempts.ts'

export interface AttemptRow {
  lane: string
  /** Unix ms. */
  paidAt: number
}

/** Milliseconds that an attempt in these lanes has to wait, before it is charged. A lane without a row owes nothing. */
export function waitBefore(lanes: readonly AttemptLane[], rows: readonly AttemptRow[], now: number): number {
  const owed = new Map(rows.map(({ lane, paidAt }) => [lane, paidAt - now]))
  const waits = lanes.map(({ lane, free, every }) => (owed.get(lane) ?? 0) - (free - 1) * every)
  return Math.max(0, ...waits)
}

/** The same, when the rows already include the attempt. */
export function waitAfter(lanes: readonly AttemptLane[], rows: readonly AttemptRow[], now: number): number {
  const free = lanes.map((lane) => ({ ...lane, free: lane.free + 1 }))
  return waitBefore(free, rows, now)
}

/** Rows are locked in one order, so that two transactions never wait for each other. */
export function sortedLanes(lanes: readonly AttemptLane[]): AttemptLane[] {
  return lanes.toSorted((a, b) => (a.lane < b.lane ? -1 : 1))
}

/** The values for `payLanes`. */
export function payment(lanes: readonly AttemptLane[], now: number): (string | number)[] {
  return [now, ...sortedLanes(lanes).flatMap(({ lane, every }) => [lane, now + every])]
}
