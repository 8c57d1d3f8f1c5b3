/** Recipients that wait only because their sending domain may not send, or their path is closed. */
import type { RecipientKey } from '../recipient-decision.ts'
import { happen } from './decisions.ts'
import { live } from './live-recipients.ts'
import type { Operations, Port, ReadPort, WalkOperations } from './port.ts'
import { statement } from './statement.ts'

/** Recipients released in one step, so that a long list does not hold up commits. */
const CHUNK = 500

/** Goes from one domain to the next, however many recipients each has. */
const DOMAINS = statement<{ domain: string }>((dialect) => {
  const first = `SELECT min(q.held_domain) FROM ${live(dialect, 'held')}`
  return `WITH RECURSIVE held (domain) AS (
      ${first}
      UNION ALL
      SELECT (${first} AND q.held_domain > held.domain) FROM held WHERE held.domain IS NOT NULL
    ) SELECT domain FROM held WHERE domain IS NOT NULL`
}, 'held-domains')

/** Values: the domain, the time, and the place of the last recipient; NULL: from the first on. */
const LOCK = statement<RecipientKey>(
  (dialect) => `SELECT q.email, q.position FROM ${live(dialect, 'held')}
    AND q.held_domain = $1 AND q.due_at < $2
    AND (q.email, q.position) > (coalesce($3::uuid, ${dialect.firstEmail}), $4::integer)
    ORDER BY q.email, q.position LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED`,
  'lock-held',
)

export const holdReads = {
  *heldDomains(port) {
    return (yield* port.look.all(DOMAINS)).map(({ domain }) => domain)
  },
} satisfies Operations<ReadPort>

export const holdWalks = {
  /** A recipient that is held again meanwhile lies before the place, and is not released twice. */
  *releaseHeld(port, place, domainId, { now, dueBefore }) {
    const { email, position } = (place as RecipientKey | null) ?? { email: null, position: -1 }
    const held = yield* port.transaction(function* (db) {
      const places = yield* db.all(LOCK, domainId, Math.round(dueBefore), email, position)
      yield* happen(db, yield* db.recipients(places), () => ({ kind: 'hold-released', at: now }), now)
      return places
    })
    if (held.length > 0) port.changed('queue')
    return { done: held.length, next: held.length < CHUNK ? null : held.at(-1)! }
  },
} satisfies WalkOperations<Port>
