import { type AttemptRow, payment, sortedLanes, waitAfter, waitBefore } from '../attempt-lanes.ts'
import * as sql from '../people-statements.ts'
import type { PeopleStore } from '../people-store.ts'
import type { Parts } from './parts.ts'

/** Rolls back the transaction that has counted an attempt which would wait too long. */
class TooLong extends Error {
  readonly wait: number

  constructor(wait: number) {
    super(`A try would wait for ${wait} ms`)
    this.wait = wait
  }
}

/** Attempts to sign in, counted for all nodes together. */
export function attempts({ database }: Parts): Pick<PeopleStore, 'beginAttempt' | 'takeBackAttempt'> {
  return {
    async beginAttempt(lanes, at, longest) {
      const now = Math.round(at)
      const { length } = lanes
      // Most attempts of a flood end here, and write nothing.
      const names = lanes.map(({ lane }) => lane)
      const wait = waitBefore(lanes, await database.read<AttemptRow>(sql.lanes(length), names), now)
      if (wait > longest) return wait
      try {
        return await database.transaction(async (session) => {
          const paid = await session.run<AttemptRow>(sql.payLanes(length), payment(lanes, now))
          // The rows are locked, so each of several simultaneous attempts sees those before it.
          const turn = waitAfter(lanes, paid, now)
          if (turn > longest) throw new TooLong(turn)
          return turn
        })
      } catch (error) {
        if (error instanceof TooLong) return error.wait
        throw error
      }
    },

    async takeBackAttempt(lanes) {
      await database.transaction(async (session) => {
        for (const { lane, every } of sortedLanes(lanes)) await session.run(sql.REFUND_LANE, [lane, every])
      })
    },
  }
}
