/**
 * The one case in which a refused message may be sent (docs/known-issues.md, "A failed fsync"): its commit had been written to the log,
 * the fsync failed, writing over it failed as well, the answer was 503, and the process died before anything else was written. The
 * next start finds the commit.
 */
import type { FaultLog } from './fault-log.ts'

/** A request takes so long (ms) at most; its client's patience is the same. */
const REQUEST_MS = 20_000
/** The next commit that succeeds writes over it: under load that takes milliseconds; on a busy machine, this long (ms) at most. */
const NEXT_COMMIT_MS = 5_000
/** The answer may be read a little after the death of the process that wrote it. */
const READ_MS = 1_000

/** Fsyncs and writes failed while the request was under way, and the process died before it could commit anything else. */
export function refusedByFailedSync(refusedAt: number | null, log: FaultLog): boolean {
  if (refusedAt === null) return false
  const failures = log
    .during(refusedAt - REQUEST_MS, refusedAt, ['io-error'])
    .filter(({ detail, hits }) => detail.startsWith('both') && hits > 0)
  return failures.some((failure) =>
    [...log.lives.values()].some(
      ({ node, from, until, end }) =>
        failure.nodes.includes(node) &&
        from <= refusedAt &&
        until >= refusedAt - READ_MS &&
        until <= failure.until + NEXT_COMMIT_MS &&
        end !== '0',
    ),
  )
}
