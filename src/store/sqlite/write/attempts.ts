import type { DatabaseSync } from 'node:sqlite'
import { type AttemptRow, payment, sortedLanes, waitBefore } from '../../attempt-lanes.ts'
import * as sql from '../../people-statements.ts'
import type { Direct } from '../protocol.ts'
import { all, numbered } from '../rows.ts'

/** Attempts to sign in. */
export function attempts(db: DatabaseSync): Direct<'beginAttempt' | 'takeBackAttempt'> {
  const prepare = (text: string) => db.prepare(numbered(text))
  const refund = prepare(sql.REFUND_LANE)
  return {
    beginAttempt(lanes, at, longest) {
      const now = Math.round(at)
      const { length } = lanes
      const rows = all<AttemptRow>(prepare(sql.lanes(length)), ...lanes.map(({ lane }) => lane))
      const wait = waitBefore(lanes, rows, now)
      if (wait <= longest) prepare(sql.payLanes(length)).all(...payment(lanes, now))
      return wait
    },

    takeBackAttempt(lanes) {
      for (const { lane, every } of sortedLanes(lanes)) refund.run(lane, every)
    },
  }
}
