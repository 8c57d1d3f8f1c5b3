/** Reads for lists that refresh themselves: the emails that have changed, and their present state. */

import type { CountedState, HoldReason } from '../email/recipient.ts'
import type { EmailSummary } from '../email/stored-email.ts'

export interface LiveListStore {
  /**
   * Emails of the company (null: of all) with events after one number of the log and up to another, those with the
   * latest events first. Costs the same however much has happened.
   */
  changedEmails(range: ChangedRange, companyId: string | null): Promise<ChangedEmails>
  /** The emails with these ids that exist, in the given order, up to the one with which they reach `octets`. */
  summaries(ids: readonly string[], octets: number): Promise<EmailSummary[]>
  /** The states of each email's recipients at `now` (Unix ms); an email that is gone is left out. */
  recipientCounts(ids: readonly string[], now: number): Promise<RecipientCounts[]>
}

interface ChangedRange {
  above: number
  upTo: number
  /** The most emails. */
  limit: number
}

export interface ChangedEmails {
  ids: string[]
  /** There may be more. */
  more: boolean
}

/** Counts of the recipients of one email. */
export interface RecipientCounts {
  id: string
  recipients: number
  /** The first `RECIPIENTS_COUNTED` recipients, in groups. */
  groups: RecipientGroup[]
}

/** Recipients of one email that are in the same state and, if they wait, for the same reason. */
export interface RecipientGroup {
  state: CountedState
  count: number
  /** See `isDelayed`. */
  delayed: boolean
  heldFor: HoldReason | null
  /** A pause of all mail, of the company or of the recipient domain is in force. */
  paused: boolean
  /** Unix ms: the latest time at which one of them is due; null: they do not wait for a time. */
  dueAt: number | null
  /**
   * The recipient domain of mail that is being sent, or due and not held: its site may be closed. Null: of other mail.
   */
  dueTo: string | null
  /** The most attempts that one of them has used up. */
  attempts: number
}

/** Events looked at for one answer at most, whether or not they match. */
export const CHANGED_LOOKS = 2_000
/** Recipients of one email that are counted: a batch has a thousand, and a list many batches. */
export const RECIPIENTS_COUNTED = 100
