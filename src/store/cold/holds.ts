/**
 * Recipients that wait only because their sending domain may not send, their path is closed, or their site is paused.
 */
import type { RecipientKey } from '../recipient-decision.ts'
import { decideAndWrite } from './decisions.ts'
import { live } from './live-recipients.ts'
import type { Operations, Port, ReadPort, WalkOperations } from './port.ts'
import { type Dialect, statement } from './statement.ts'

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

/**
 * Recipients examined in one step. Most of them may stay held, so a limit on released ones alone would not bound a
 * step.
 */
const LOOKED_AT = 5_000

const AFTER = (dialect: Dialect, email: string, position: string) =>
  `(q.email, q.position) > (coalesce(${email}::uuid, ${dialect.firstEmail}), ${position}::integer)`

/** Values: the domain, and the place of the last recipient; NULL: from the first on. */
const LAST_LOOKED_AT = statement<RecipientKey>(
  (dialect) => `SELECT q.email, q.position FROM ${live(dialect, 'held')}
    AND q.held_domain = $1 AND ${AFTER(dialect, '$2', '$3')}
    ORDER BY q.email, q.position LIMIT 1 OFFSET ${LOOKED_AT - 1}`,
  'last-held',
)

/**
 * Values: the domain and the place; the place of the last recipient to look at, NULL: there are no more; the time, the
 * reason, and the recipient domains, NULL: any.
 */
const LOCK = statement<RecipientKey>(
  (dialect) => `SELECT q.email, q.position FROM ${live(dialect, 'held')}
    AND q.held_domain = $1 AND ${AFTER(dialect, '$2', '$3')}
    AND ($4::uuid IS NULL OR (q.email, q.position) <= ($4::uuid, $5::integer))
    AND q.due_at < $6 AND ($7::text IS NULL OR q.held_for = $7::text)
    AND ($8::text IS NULL OR q.domain IN (${dialect.texts('$8')}))
    ORDER BY q.email, q.position LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED`,
  'lock-held',
)

export const holdReads = {
  *heldDomains(port) {
    return (yield* port.look.all(DOMAINS)).map(({ domain }) => domain)
  },
} satisfies Operations<ReadPort>

export const holdWalks = {
  /** A recipient that is held again during the walk lies before `place`, so it is not released twice. */
  *releaseHeld(port, place, domainId, { now, dueBefore, heldFor = null, domains = null }) {
    const { email, position } = (place as RecipientKey | null) ?? { email: null, position: -1 }
    const last = yield* port.look.one(LAST_LOOKED_AT, domainId, email, position)
    const held = yield* port.transaction(function* (db) {
      const range = [domainId, email, position, last?.email ?? null, last?.position ?? null] as const
      const places = yield* db.all(LOCK, ...range, Math.round(dueBefore), heldFor, domains)
      yield* decideAndWrite(db, yield* db.recipients(places), () => ({ kind: 'hold-released', at: now }), now)
      return places
    })
    if (held.length > 0) port.changed('queue')
    return { done: held.length, next: held.length < CHUNK ? (last ?? null) : held.at(-1)! }
  },
} satisfies WalkOperations<Port>
