/** Changes the recipients of a transaction. The lifecycle decides the outcome. */
import type { Happening } from '../../email/lifecycle.ts'
import { decideEach, type LockedRecipient, type RecipientDecision } from '../recipient-decision.ts'
import type { PortSteps, PortTransaction } from './port.ts'

/** Decides about locked recipients, and writes the decisions; `at` in Unix ms. Returns the decisions. */
export function* decideAndWrite(
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
