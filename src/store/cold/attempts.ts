/**
 * Attempts to sign in, and mails to strangers, counted for all nodes together: a row says until when its lane owes
 * time.
 */
import type { AttemptLane } from '../../people/attempts.ts'
import { StoreConflict } from '../store.ts'
import type { Operations, Port } from './port.ts'
import { type ColdStatement, dynamicStatement, statement } from './statement.ts'

interface LaneAttemptRow {
  lane: string
  /** Unix ms. */
  paidAt: number
}

const REFUND = statement('UPDATE sign_in_attempts SET paid_at = paid_at - $2 WHERE lane = $1')

/**
 * Rolls back the transaction that has counted an attempt which would wait too long. An error of the store: after any
 * other one the connection would be given up.
 */
class TooLong extends StoreConflict {
  readonly wait: number

  constructor(wait: number) {
    super(`A try would wait for ${wait} ms`)
    this.wait = wait
  }
}

export const attemptWrites = {
  *beginAttempt(port, lanes, at, longest) {
    const now = Math.round(at)
    // Most attempts of a flood end here, and write nothing.
    const names = lanes.map(({ lane }) => lane)
    const wait = waitBefore(lanes, yield* port.read.all(ofLanes(lanes.length), ...names), now)
    if (wait > longest) return wait
    try {
      return yield* port.transaction(function* (db) {
        const paid = yield* db.all(payLanes(lanes.length), ...payment(lanes, now))
        // The rows are locked, so each of several simultaneous attempts sees those before it. In SQLite none is
        // simultaneous, and this is never longer than it was before.
        const turn = waitAfter(lanes, paid, now)
        if (turn > longest) throw new TooLong(turn)
        return turn
      })
    } catch (error) {
      if (error instanceof TooLong) return error.wait
      throw error
    }
  },

  *takeBackAttempt(port, lanes) {
    yield* port.transaction(function* (db) {
      for (const { lane, every } of sortedLanes(lanes)) yield* db.run(REFUND, lane, every)
    })
  },
} satisfies Operations<Port>

function ofLanes(count: number): ColdStatement<LaneAttemptRow> {
  const places = Array.from({ length: count }, (_, at) => `$${at + 1}`)
  return dynamicStatement(
    `SELECT lane, paid_at AS "paidAt" FROM sign_in_attempts WHERE lane IN (${places.join(', ')})`,
  )
}

/** Values: now, and for each lane its name and the time at which an attempt that begins now is paid for. */
function payLanes(count: number): ColdStatement<LaneAttemptRow> {
  const rows = Array.from({ length: count }, (_, at) => `($${2 * at + 2}, $${2 * at + 3})`)
  return dynamicStatement(`INSERT INTO sign_in_attempts (lane, paid_at) VALUES ${rows.join(', ')}
    ON CONFLICT (lane) DO UPDATE SET paid_at = excluded.paid_at +
      CASE WHEN sign_in_attempts.paid_at > $1 THEN sign_in_attempts.paid_at - $1 ELSE 0 END
    RETURNING lane, paid_at AS "paidAt"`)
}

function payment(lanes: readonly AttemptLane[], now: number): (string | number)[] {
  return [now, ...sortedLanes(lanes).flatMap(({ lane, every }) => [lane, now + every])]
}

/** Milliseconds that an attempt in these lanes has to wait, before it is charged. A lane without a row owes nothing. */
function waitBefore(lanes: readonly AttemptLane[], rows: readonly LaneAttemptRow[], now: number): number {
  const owed = new Map(rows.map(({ lane, paidAt }) => [lane, paidAt - now]))
  const waits = lanes.map(({ lane, free, every }) => (owed.get(lane) ?? 0) - (free - 1) * every)
  return Math.max(0, ...waits)
}

/** The same, when the rows already include the attempt. */
function waitAfter(lanes: readonly AttemptLane[], rows: readonly LaneAttemptRow[], now: number): number {
  const free = lanes.map((lane) => ({ ...lane, free: lane.free + 1 }))
  return waitBefore(free, rows, now)
}

/** Rows are locked in one order, so that two transactions never wait for each other. */
function sortedLanes(lanes: readonly AttemptLane[]): AttemptLane[] {
  return lanes.toSorted((a, b) => (a.lane < b.lane ? -1 : 1))
}
