/**
 * Ends waiting recipients at the operator's request. Recipients being sent end after their attempt, unless the attempt
 * ends them.
 */
import { countOf, decideAndWrite } from './decisions.ts'
import { findEmail, live } from './live-recipients.ts'
import type { Operations, Port, ReadPort } from './port.ts'
import { statement } from './statement.ts'

/** Each email is looked up by itself: PostgreSQL might plan a join as a pass through all emails. */
const REQUESTED = statement<{ id: string }>(
  (dialect) => `SELECT DISTINCT (SELECT e.id FROM emails e WHERE e.${dialect.emailKey} = q.email) AS id
    FROM ${live(dialect, 'canceled')}`,
  'cancel-requests',
)

export const cancellationReads = {
  *cancelRequests(port) {
    return (yield* port.look.all(REQUESTED)).map(({ id }) => id)
  },
} satisfies Operations<ReadPort>

export const cancellationWrites = {
  *cancel(port, emailId, at, position) {
    const email = yield* findEmail(port, emailId)
    if (email === undefined) return { canceled: 0, sending: 0 }
    const all = yield* port.change(email.company, function* (db) {
      const chosen =
        position === undefined
          ? yield* db.lockLive(email.key)
          : yield* db.lock([{ email: email.key, position }])
      return yield* decideAndWrite(db, chosen, () => ({ kind: 'cancel', at }), at)
    })
    const canceled = countOf(all, 'canceled')
    const sending = all.length - canceled
    if (canceled > 0) port.changed('queue')
    if (sending > 0) port.changed('stops')
    return { canceled, sending }
  },
} satisfies Operations<Port>
