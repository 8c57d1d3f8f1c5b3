/** Up to where nothing will be added any more, where numbers are drawn before they are committed. */
import { sleep } from './hints.ts'
import type { Parts } from './parts.ts'

/** Milliseconds between two looks at whether transactions have ended: twice as many each time, up to the second. */
const FIRST_PAUSE_MS = 5
const LONGEST_PAUSE_MS = 200

/** The same for who does not wait until they have. */
const SHORT_PAUSES_MS = [1, 2, 4]

/** Not pg_snapshot_xmax, which is behind the highest one that has ended: others above it may be under way. */
const HORIZON = 'SELECT pg_current_xact_id()::text AS horizon'
/** The oldest transaction under way on the server. Asked first: nearly always it is enough. */
const OLDEST = 'SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS oldest'
/**
 * The oldest that may be one of this database. Snapshots are of the whole server; a transaction is left out where its
 * lock says that its session is in another database. One whose lock is not there (not yet, or it is prepared) counts.
 */
const OLDEST_HERE = `
SELECT coalesce(
  (SELECT x FROM pg_snapshot_xip(s) AS x WHERE NOT EXISTS (
    SELECT FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
    WHERE l.locktype = 'transactionid' AND l.mode = 'ExclusiveLock' AND l.granted AND l.transactionid = x::xid
      AND a.datid <> (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
  ) ORDER BY x LIMIT 1),
  pg_snapshot_xmax(s)
)::text AS oldest
FROM pg_current_snapshot() AS s`
/** Marks that wait for their step C. */
const MOST_MARKS = 100

/**
 * How far rows can be read in the order of their numbers. Transactions commit in another order than they draw numbers,
 * so a number that is there says nothing about those below it. But each has its id before it draws a number (see the
 * columns). So:
 *
 * - A. See how far numbers have been drawn.
 * - B. Take an id of our own: whoever has drawn one of those numbers has a lower one.
 * - C. Wait until every transaction below it has ended.
 * - D. Read: whatever will ever be there up to that number is there.
 *
 * A long transaction in the database delays the answer; nothing is missed.
 */
export function reachOf(
  sequence: 'events_number_seq' | 'emails_seq_seq',
  { database }: Pick<Parts, 'database'>,
) {
  /** How far numbers have been drawn. */
  const drawnTo = `SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END AS reached FROM ${sequence}`
  /** Up to here step C was done before. */
  let settled = 0
  /** Where steps A and B were done, and C waits; in order. */
  let marks: { reached: number; horizon: bigint }[] = []

  async function drawn(): Promise<number> {
    const [row] = await database.read<{ reached: number }>(drawnTo)
    // Lower than it was: this is another server, to which ours failed over.
    if (row!.reached < settled) {
      settled = 0
      marks = []
    }
    return row!.reached
  }

  async function horizon(): Promise<bigint> {
    const [row] = await database.read<{ horizon: string }>(HORIZON)
    return BigInt(row!.horizon)
  }

  /** The oldest transaction under way that matters; whatever is not below `wanted` is good enough. */
  async function oldest(wanted: bigint): Promise<bigint> {
    const [row] = await database.read<{ oldest: string }>(OLDEST)
    const anywhere = BigInt(row!.oldest)
    if (anywhere >= wanted) return anywhere
    const [here] = await database.read<{ oldest: string }>(OLDEST_HERE)
    return BigInt(here!.oldest)
  }

  async function settle(reached: number): Promise<void> {
    const own = await horizon()
    for (let ms = FIRST_PAUSE_MS; (await oldest(own)) < own; ms = Math.min(2 * ms, LONGEST_PAUSE_MS)) {
      await sleep(ms)
    }
    settled = Math.max(settled, reached)
  }

  /** A number behind the cursor up to which nothing will be added; the cursor or less when none was drawn since. */
  async function reach(cursor: number): Promise<number> {
    const reached = await drawn()
    if (reached <= cursor || cursor < settled) return Math.min(reached, settled)
    await settle(reached)
    return reached
  }

  /** As far as step C comes soon: with this mark, or with one that was made before. */
  async function reachSoon(): Promise<number> {
    const reached = await drawn()
    if (reached <= settled) return reached
    const own = await horizon()
    marks = [...marks.slice(-MOST_MARKS), { reached, horizon: own }]
    for (const ms of [...SHORT_PAUSES_MS, null]) {
      const under = await oldest(own)
      for (const mark of marks) if (mark.horizon <= under) settled = Math.max(settled, mark.reached)
      marks = marks.filter((mark) => mark.horizon > under)
      if (settled >= reached || ms === null) break
      await sleep(ms)
    }
    return Math.min(reached, settled)
  }

  return { drawn, settle, reach, reachSoon }
}
