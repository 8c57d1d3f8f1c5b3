/** What lists that renew themselves ask: which emails have changed, and how each stands. */

import type { RecipientState } from '../email/recipient.ts'
import type { EmailSummary } from '../email/stored-email.ts'

export interface LiveListStore {
  /**
   * Emails of the company (null: of all) that something happened to behind one number of the log and up to another,
   * those with the latest events first. It costs the same however much has happened.
   */
  changedEmails(range: ChangedRange, companyId: string | null): Promise<ChangedEmails>
  /** Those of them that are there, in the order given. It ends with the one with which they come to so many octets. */
  summaries(ids: readonly string[], octets: number): Promise<EmailSummary[]>
  /** How the recipients of each stand; nothing of an email that is gone. */
  recipientCounts(ids: readonly string[]): Promise<RecipientCounts[]>
}

export interface ChangedRange {
  above: number
  upTo: number
  /** Emails, at most. */
  limit: number
}

export interface ChangedEmails {
  ids: string[]
  /** There may be others. */
  more: boolean
}

/** Of an email. */
export interface RecipientCounts {
  id: string
  recipients: number
  /** How many of the first `RECIPIENTS_COUNTED` are in each state. */
  states: { state: RecipientState; count: number }[]
}

/** Events looked at for one answer at most, wanted or not. */
export const CHANGED_LOOKS = 2_000
/** Recipients of one email that are looked at: a batch has a thousand, and a list many batches. */
export const RECIPIENTS_COUNTED = 100
