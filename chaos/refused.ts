/**
 * The two cases in which a refused message may be sent, both of docs/known-issues.md. "A failed fsync": its commit had been written to the log,
 * the fsync failed, writing over it failed as well, the answer was 503, and the process died before anything else was written. The
 * next start finds the commit. On PostgreSQL, a commit of unknown fate: the connection broke in its middle, the node could not reach the
 * database for as long as it looks after such a commit, the answer was 503, and another node sent it first.
 */
import type { FaultKind, FaultLog } from './fault-log.ts'

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

/** Ms for which a node looks after a commit whose answer was lost. */
export const SOUGHT_MS = 10_000
/** A fault begins a little after it is noted, and connections are made again a little after it ended (ms). */
const MARGIN_MS = 1_000
/** Connecting takes so long (ms) at most before it is given up and tried again. */
const CONNECT_MS = 5_000

const AWAY: readonly FaultKind[] = [
  'cut',
  'database-smart',
  'database-fast',
  'database-immediate',
  'database-kill',
  'database-connections',
]

/**
 * The database was out of reach of one node (faults of it, or of all, one upon the other) while a lost commit was looked after, up to
 * the answer; or as long as the node lived, when it was told to stop meanwhile.
 */
export function refusedByLostCommit(refusedAt: number | null, log: FaultLog): boolean {
  if (refusedAt === null) return false
  const nodes = new Set([...log.lives.values()].filter(({ api }) => api).map(({ node }) => node))
  return [...nodes].some((node) => {
    const stopped = log.during(refusedAt - SOUGHT_MS - MARGIN_MS, refusedAt, ['stop'], node).length > 0
    const from = stopped ? refusedAt - MARGIN_MS : refusedAt - SOUGHT_MS + MARGIN_MS
    let reached = from
    const away = log.during(from, refusedAt, AWAY, node).toSorted((a, b) => a.from - b.from)
    for (const fault of away) {
      if (fault.from > reached + MARGIN_MS) return false
      reached = Math.max(reached, fault.until)
    }
    return away.length > 0 && reached >= refusedAt - MARGIN_MS - CONNECT_MS
  })
}
