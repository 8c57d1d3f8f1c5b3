/** Finds the number up to which no further row will be added, although transactions draw numbers before they commit. */
import { sleep } from './hints.ts'
import type { StoreParts } from './parts.ts'

/**
 * Milliseconds between two checks of whether transactions have ended. The pause doubles each time, up to the second
 * value.
 */
const FIRST_PAUSE_MS = 5
const LONGEST_PAUSE_MS = 200

/** The pauses of a caller that does not wait until the transactions have ended. */
const SHORT_PAUSES_MS = [1, 2, 4]

/** Not pg_snapshot_xmax, which only follows the highest transaction that has ended: later ones may be under way. */
const HORIZON = 'SELECT pg_current_xact_id()::text AS horizon'
/** The oldest transaction under way on the server. Asked first, because it nearly always suffices. */
const OLDEST = 'SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS oldest'
/**
 * The oldest transaction that may belong to this database. Snapshots cover the whole server; a transaction is left out
 * when its lock shows that its session is in another database. A transaction that shows no such lock, because it has
 * just begun or is prepared, counts.
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
/** The most marks that wait for step C. */
const MAX_MARKS = 100

/**
 * Finds how far rows can be read in the order of their numbers. Transactions commit in another order than they draw
 * numbers, so an existing number says nothing about those below it. But each transaction has its id before it draws a
 * number (see the defaults of these columns in migrations/0001-schema.ts). So:
 *
 * - A. See how far numbers have been drawn.
 * - B. Take a transaction id of our own: every transaction that has drawn one of those numbers has a lower id.
 * - C. Wait until every transaction below it has ended.
 * - D. Read: every row that will ever exist up to that number exists now.
 *
 * A long transaction in the database delays the answer; nothing is missed.
 */
export function reachOf(
  sequence: 'events_number_seq' | 'emails_seq_seq',
  { database }: Pick<StoreParts, 'database'>,
) {
  /** How far numbers have been drawn. */
  const drawnTo = `SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END AS reached FROM ${sequence}`
  /** Step C is done for numbers up to here. */
  let settled = 0
  /** Marks for which steps A and B are done and step C is not, in order. */
  let marks: { reached: number; horizon: bigint }[] = []

  async function lastDrawn(): Promise<number> {
    const [row] = await database.read<{ reached: number }>(drawnTo)
    // After a failover to another server, the number may be lower than before.
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

  /**
   * The oldest transaction under way that may belong to this database. If the oldest of the server is at or above
   * `wanted`, that one is returned.
   */
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

  /**
   * Returns a number up to which no further row will be added; at or below the cursor if no number was drawn since.
   */
  async function reach(cursor: number): Promise<number> {
    const reached = await lastDrawn()
    if (reached <= cursor || cursor < settled) return Math.min(reached, settled)
    await settle(reached)
    return reached
  }

  /** Returns the highest number for which step C succeeds within the short pauses. */
  async function reachSoon(): Promise<number> {
    const reached = await lastDrawn()
    if (reached <= settled) return reached
    const own = await horizon()
    marks = [...marks.slice(1 - MAX_MARKS), { reached, horizon: own }]
    for (const ms of [...SHORT_PAUSES_MS, null]) {
      const under = await oldest(own)
      for (const mark of marks) if (mark.horizon <= under) settled = Math.max(settled, mark.reached)
      marks = marks.filter((mark) => mark.horizon > under)
      if (settled >= reached || ms === null) break
      await sleep(ms)
    }
    return Math.min(reached, settled)
  }

  return { lastDrawn, settle, reach, reachSoon }
}
