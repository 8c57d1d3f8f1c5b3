/** Lanes of attempts, as both databases keep them: until when a lane owes time. */
import type { AttemptLane } from '../people/attempts.ts'

export interface AttemptRow {
  lane: string
  /** Unix ms. */
  paidAt: number
}

/** Ms that a try of these lanes waits, before it is paid for. Where a lane has no row, nothing is owed. */
export function waitBefore(lanes: readonly AttemptLane[], rows: readonly AttemptRow[], now: number): number {
  const owed = new Map(rows.map(({ lane, paidAt }) => [lane, paidAt - now]))
  const waits = lanes.map(({ lane, free, every }) => (owed.get(lane) ?? 0) - (free - 1) * every)
  return Math.max(0, ...waits)
}

/** The same, of rows that the try is paid for in. */
export function waitAfter(lanes: readonly AttemptLane[], rows: readonly AttemptRow[], now: number): number {
  const free = lanes.map((lane) => ({ ...lane, free: lane.free + 1 }))
  return waitBefore(free, rows, now)
}

/** Rows are locked in one order, so that no two transactions wait for each other. */
export function sortedLanes(lanes: readonly AttemptLane[]): AttemptLane[] {
  return lanes.toSorted((a, b) => (a.lane < b.lane ? -1 : 1))
}

/** The values of `payLanes`. */
export function payment(lanes: readonly AttemptLane[], now: number): (string | number)[] {
  return [now, ...sortedLanes(lanes).flatMap(({ lane, every }) => [lane, now + every])]
}
