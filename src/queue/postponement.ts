/**
 * The times between which a recipient is postponed. It is given up when its trouble has lasted as long as the retry
 * schedule, and no error of a clock may make that time longer than it was.
 */
import { monotonic, steadyNow } from '../common/clock.ts'

/**
 * The process runs for at least this part of the schedule, or this many ms if that is less, before it gives anything
 * up.
 */
const PART = 0.1
const LONGEST_UPTIME_MS = 15 * 60_000

interface ProcessClock {
  /** Ms since the process began. */
  uptime(): number
  /** Unix ms on the clock of the process, which does not step. */
  now(): number
}

const begunAt = monotonic()
const PROCESS: ProcessClock = { uptime: () => monotonic() - begunAt, now: steadyNow }

interface Postponement {
  /** The beginning, in Unix ms, of a postponement that begins now. */
  beginsAt: number
  /** Unix ms at which the trouble was last met; 0: it is not known whether it lasts. */
  metAt: number
}

/**
 * `now` and `metAt` are of the wall clock, which may step; `metAt` 0: it is not known whether the trouble lasts.
 * `lasts`: the duration of the schedule in ms.
 */
export function postponementAt(now: number, metAt: number, lasts: number, clock = PROCESS): Postponement {
  const steady = Math.floor(clock.now())
  // A clock that was set back makes the beginning older.
  const beginsAt = Math.max(now, steady)
  // A process that began while the clock was ahead follows that clock.
  const isYoung = clock.uptime() < Math.min(lasts * PART, LONGEST_UPTIME_MS)
  // A clock that was set ahead makes the end later.
  return { beginsAt, metAt: isYoung ? 0 : Math.min(metAt, now, steady) }
}
