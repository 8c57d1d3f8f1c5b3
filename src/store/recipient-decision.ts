/** Decisions about recipients whose rows a transaction has locked. */
import { type Decision, decide, type Facts, type Happening } from '../email/lifecycle.ts'

/** Refers to an email in other tables: its id on PostgreSQL, its number in SQLite. */
export type EmailKey = string | number

export interface RecipientKey<Email extends EmailKey = EmailKey> {
  email: Email
  position: number
}

/** The facts about a recipient whose rows the transaction has locked. */
export interface LockedRecipient<Email extends EmailKey = EmailKey> extends RecipientKey<Email>, Facts {
  /** The number of the recipient's company. */
  company: number
  domain: string
  address: string
  /** The fencing token of the node that is sending it. */
  lease: number | null
}

/** A recipient with the lifecycle's decision about it. */
export interface RecipientDecision<Email extends EmailKey = EmailKey> {
  recipient: LockedRecipient<Email>
  decision: Decision
}

/** A recipient key as a key of maps. */
export function nameOf({ email, position }: RecipientKey): string {
  return `${email} ${position}`
}

/** Leaves out recipients for which the happening has no effect. */
export function decideEach<Email extends EmailKey>(
  recipients: readonly LockedRecipient<Email>[],
  happening: (recipient: LockedRecipient<Email>) => Happening,
): RecipientDecision<Email>[] {
  return recipients.flatMap((recipient) => {
    const decision = decide(recipient, happening(recipient))
    return decision === null ? [] : [{ recipient, decision }]
  })
}
