/** The facts on which decisions about recipients rest, from rows of `queue` and `recipients`. */
import type { FinalState, HoldReason, Suspicion } from '../../email/recipient.ts'
import type * as shared from '../recipient-decision.ts'
import { int4, unnestSql, uuid } from './columns.ts'
import type { DatabaseSession, Statement } from './database.ts'

export type RecipientKey = shared.RecipientKey<string>
export type LockedRecipient = shared.LockedRecipient<string>

/** The first parameters of a statement about recipients. */
export const PLACES = unnestSql<RecipientKey>(1, {
  email: uuid(({ email }) => email),
  position: int4(({ position }) => position),
})

/**
 * The lease of recipients in quarantine. It belongs to no node: claims and recovery skip it, and retention sees that
 * the recipient is not finished.
 */
export const QUARANTINED = 0

const FACTS: Statement = {
  name: 'facts',
  text: `
SELECT r.email::text AS email, r.position, r.domain, r.address, r.state, r.attempts, r.uncertain, r.server,
  r.preferred_server AS "preferredServer", r.postponed_since AS "postponedSince", r.last_code AS "lastCode",
  r.last_message AS "lastMessage", coalesce(q.company, (SELECT e.company FROM emails e WHERE e.id = r.email)) AS company,
  q.lease, q.due_at AS "dueAt", q.suspicion, q.cancel, q.held_for AS "heldFor"
FROM ${PLACES.as('t')}
JOIN recipients r ON r.email = ANY (ARRAY[t.email]) AND r.position = t.position
LEFT JOIN queue q ON q.email = ANY (ARRAY[t.email]) AND q.position = t.position
ORDER BY r.email, r.position`,
}

interface FactsRow extends Omit<LockedRecipient, 'state' | 'suspicion' | 'cancelRequested' | 'heldFor'> {
  /** Null while the recipient is in the queue; the columns from the queue are null when it is not. */
  state: FinalState | null
  suspicion: Suspicion | null
  cancel: boolean | null
  heldFor: HoldReason | null
}

/**
 * Must run when the queue rows are locked, in a statement of its own: a statement that waits for a lock sees later
 * commits only in the row it waited for. Every writer of a live recipient locks its queue row first.
 */
export async function factsOf(
  session: DatabaseSession,
  places: readonly RecipientKey[],
): Promise<LockedRecipient[]> {
  if (places.length === 0) return []
  return (await session.run<FactsRow>(FACTS, PLACES.values(places))).map(lockedRecipientOf)
}

function lockedRecipientOf({ cancel, ...row }: FactsRow): LockedRecipient {
  return {
    ...row,
    state: row.state ?? stateOf(row.lease),
    dueAt: row.lease === null ? row.dueAt : null,
    suspicion: row.suspicion ?? 0,
    cancelRequested: cancel ?? false,
  }
}

function stateOf(lease: number | null): 'waiting' | 'quarantined' | 'sending' {
  if (lease === null) return 'waiting'
  return lease === QUARANTINED ? 'quarantined' : 'sending'
}

const LOCK_LIVE: Statement = {
  name: 'lock-live',
  text: 'SELECT email::text AS email, position FROM queue WHERE email = $1 ORDER BY position FOR UPDATE',
}

/** Locks the recipients of an email that are in the queue, and reads the facts. */
export async function lockLive(session: DatabaseSession, email: string): Promise<LockedRecipient[]> {
  return await factsOf(session, await session.run<RecipientKey>(LOCK_LIVE, [email]))
}

/** Locked in the same order everywhere: emails, the queue, recipients. Retention skips an email that is locked. */
const LOCK: readonly Statement[] = [
  {
    name: 'lock-emails',
    text: 'SELECT 1 FROM emails WHERE id = ANY ($1::uuid[]) AND $2::int4[] IS NOT NULL ORDER BY id FOR KEY SHARE',
  },
  ...['queue', 'recipients'].map((table) => ({
    name: `lock-${table}`,
    text: `
SELECT 1 FROM ${PLACES.as('t')}
JOIN ${table} r ON r.email = ANY (ARRAY[t.email]) AND r.position = t.position
ORDER BY r.email, r.position FOR UPDATE OF r`,
  })),
]

/** Locks recipients, also those that have ended, and reads the facts. */
export async function lockRecipients(
  session: DatabaseSession,
  places: readonly RecipientKey[],
): Promise<LockedRecipient[]> {
  for (const statement of LOCK) await session.run(statement, PLACES.values(places))
  return await factsOf(session, places)
}
