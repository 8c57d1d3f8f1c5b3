/** Runs work until the user interrupts it. */
import { printNote } from './print.ts'

/** An interruption is not a failure. */
export async function untilInterrupted<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const interrupted = new AbortController()
  const stop = () => interrupted.abort()
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  try {
    return await work(interrupted.signal)
  } finally {
    process.off('SIGINT', stop)
    process.off('SIGTERM', stop)
  }
}

/** For work that waits for the database: prints a note once for each outage. */
export const OUTAGE_NOTES = {
  onOutage: (error: Error) => printNote(`postroad: waiting for the database: ${error.message}`),
  onReturn: () => printNote('postroad: the database is back; no event was missed'),
}
