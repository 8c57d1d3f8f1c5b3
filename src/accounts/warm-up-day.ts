import { dayNumber } from '../common/utc-day.ts'

/** The day of a warm-up that began at `since`, from 1; both in Unix ms. */
export function warmUpDay(since: number, now: number): number {
  return dayNumber(now) - dayNumber(since) + 1
}
