export const DAY_MS = 24 * 3_600_000

/** The number of the day since 1970, in UTC. */
export function dayOf(time: number): number {
  return Math.floor(time / DAY_MS)
}

/** The day of a warm-up that began at `since`, from 1; both in Unix ms. */
export function warmUpDay(since: number, now: number): number {
  return dayOf(now) - dayOf(since) + 1
}
