/** Changes the recipients of a transaction. The lifecycle decides the outcome. */
import type { Happening } from '../../email/lifecycle.ts'
import {
  decideEach,
  type EmailKey,
  type LockedRecipient,
  type RecipientDecision,
  type RecipientKey,
} from '../recipient-decision.ts'
import { live } from './live-recipients.ts'
import type { PortSteps, PortTransaction } from './port.ts'
import { statement } from './statement.ts'

/** A result being written comes before or after, not in between. */
const LOCK_LIVE = statement<RecipientKey>(
  (dialect) =>
    `SELECT q.email, q.position FROM ${live(dialect, 'all')} AND q.email = $1 ORDER BY q.position FOR UPDATE`,
  'lock-live',
)

/** Locks the recipients of an email that wait, are being sent, or are in quarantine. By position. */
export function* lockLive(db: PortTransaction, email: EmailKey): PortSteps<LockedRecipient[]> {
  return yield* db.recipients(yield* db.all(LOCK_LIVE, email))
}

/** Decides about locked recipients, and writes the decisions; `at` in Unix ms. Returns the decisions. */
export function* happen(
  db: PortTransaction,
  recipients: readonly LockedRecipient[],
  happening: (recipient: LockedRecipient) => Happening,
  at: number,
): PortSteps<RecipientDecision[]> {
  const all = decideEach(recipients, happening)
  yield* db.apply(all, at)
  return all
}

/** The number of recipients that a decision has brought into this state. */
export function countOf(all: readonly RecipientDecision[], state: LockedRecipient['state']): number {
  return all.filter(({ decision }) => decision.change?.state === state).length
}
