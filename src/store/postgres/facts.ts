/** The facts on which decisions about recipients rest, from rows of `queue` and `recipients`. */
import type { Facts } from '../../email/lifecycle.ts'
import type { FinalState, HoldReason, Suspicion } from '../../email/recipient.ts'
import { int4, unnestSql, uuid } from './columns.ts'
import type { DatabaseSession, Statement } from './database.ts'

export interface RecipientKey {
  email: string
  position: number
}

/** The first parameters of a statement about recipients. */
export const PLACES = unnestSql<RecipientKey>(1, {
  email: uuid(({ email }) => email),
  position: int4(({ position }) => position),
})

/** A place as a key of maps. */
export function nameOf({ email, position }: RecipientKey): string {
  return `${email} ${position}`
}

/** Number of the company of an email ($1). */
export const COMPANY_OF: Statement = {
  name: 'company-of-email',
  text: 'SELECT company FROM emails WHERE id = $1',
}

/** Locks an email's ($1) rows in the queue. A result being written comes before or after, not in between. */
export const HOLD_EMAIL: Statement = {
  name: 'hold-email',
  text: 'SELECT email::text AS email, position FROM queue WHERE email = $1 ORDER BY position FOR UPDATE',
}

/** A recipient whose rows the transaction has locked. */
export interface LockedRecipient extends RecipientKey {
  /** The number of the recipient's company. */
  company: number
  domain: string
  address: string
  /** The fencing token of the node that is sending it. */
  lease: number | null
  facts: Facts
}

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

interface FactsRow
  extends Omit<LockedRecipient, 'facts'>,
    Omit<Facts, 'state' | 'suspicion' | 'cancelRequested' | 'heldFor'> {
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

function lockedRecipientOf(row: FactsRow): LockedRecipient {
  const { email, position, company, domain, address, lease, cancel, ...facts } = row
  return {
    email,
    position,
    company,
    domain,
    address,
    lease,
    facts: {
      ...facts,
      state: row.state ?? stateOf(lease),
      dueAt: lease === null ? row.dueAt : null,
      suspicion: row.suspicion ?? 0,
      cancelRequested: cancel ?? false,
    },
  }
}

function stateOf(lease: number | null): 'waiting' | 'quarantined' | 'sending' {
  if (lease === null) return 'waiting'
  return lease === QUARANTINED ? 'quarantined' : 'sending'
}
