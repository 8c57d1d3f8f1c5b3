/** Emails: stored durably, and read back. */
import type {
  AcceptAllResult,
  AcceptedEmail,
  AcceptResult,
  ClaimedEmail,
  Idempotency,
  Lease,
  NewEmail,
  NewEmails,
  RescheduleResult,
} from '../email/queued-email.ts'
import type {
  EmailBeginning,
  EmailHistory,
  EmailPaging,
  EmailReplies,
  EmailSummary,
  HistoryOutline,
  OutlineRange,
  RecipientOutline,
  RecipientRange,
  RecipientValues,
  StoredContent,
  StoredEmail,
  StoredFile,
  StoredOrigin,
} from '../email/stored-email.ts'

/** Octets of the longest content of which `readBeginnings` reads the beginning. */
export const LONGEST_READ = 1024 * 1024

export interface EmailStore {
  /**
   * Durable when resolved. With a lease, its recipients begin as `sending` (except suppressed ones, and all of a
   * scheduled email), and the caller keeps the octets of the email; without one, the store may take over its raw
   * message and attachments.
   */
  accept(email: NewEmail, lease: Lease | null): Promise<AcceptResult>
  /** The same for several emails: all or none, in one commit. */
  acceptAll(emails: NewEmails, lease: Lease | null): Promise<AcceptAllResult>
  /**
   * The emails of an earlier request with this key and fingerprint, in their order; null when there was none. The
   * caller promises them to its client. `at` in Unix ms.
   */
  repeated(companyId: string, idempotency: Idempotency, at: number): Promise<AcceptedEmail[] | null>
  /** Gives an email that waits for its scheduled time another one (Unix ms; a past time means now). `at` in Unix ms. */
  reschedule(emailId: string, dueAt: number, at: number): Promise<RescheduleResult>
  /** As `cancel`, for an email that waits for its scheduled time; any other email is left alone. */
  cancelScheduled(emailId: string, at: number): Promise<RescheduleResult>
  /** The owner of an email, and its size to read; null when unknown. Costs the same however large it is. */
  emailOrigin(id: string): Promise<StoredOrigin | null>
  /** Null when unknown. The caller decides who may see it. */
  readEmail(id: string): Promise<StoredEmail | null>
  /** Empty when the email has no files, is unknown, is a ready message, or its content was removed. */
  listFiles(emailId: string): Promise<StoredFile[]>
  /** The octets of one file; null when there is no such file. */
  readFile(emailId: string, position: number): Promise<Uint8Array | null>
  /** A ready message; null when the email is not one, is unknown, or its content was removed. */
  readRaw(emailId: string): Promise<Uint8Array | null>
  /** The whole history, however large: for a process of its own. The service reads it in pieces. */
  readHistory(id: string): Promise<EmailHistory | null>
  /**
   * Attempts list only those of their recipients that are in the range; of an email with thousands of attempts, the
   * newest are searched. Null when unknown.
   */
  readOutline(id: string, range: OutlineRange): Promise<HistoryOutline | null>
  /** In order of position. Empty when unknown. */
  readRecipients(emailId: string, range: RecipientRange): Promise<RecipientOutline[]>
  /** The first recipients whose values come to `octets` together. Empty when the email is no batch. */
  readValues(emailId: string, range: RecipientRange & { octets: number }): Promise<RecipientValues[]>
  /** The dialogue of an attempt, by its id in the outline; null when unknown. */
  readDialogue(emailId: string, attempt: number): Promise<string | null>
  /** The first `octets` of each body. Null when unknown. */
  readContent(id: string, octets: number): Promise<StoredContent | null>
  /**
   * The first `octets` of what these emails of the company (null: of any) say, in any order. Contents above
   * `LONGEST_READ` are left out: SQLite reads a value whole.
   */
  readBeginnings(ids: readonly string[], companyId: string | null, octets: number): Promise<EmailBeginning[]>
  /**
   * The last answers of servers about the first hundred recipients of these emails: the different ones, up to 3,000
   * characters an email, of each the first 300. Emails without any are left out.
   */
  readReplies(ids: readonly string[]): Promise<EmailReplies[]>
  /**
   * The whole work item (content, attachments, all recipients) in whatever state, with no recipient suspect; null when
   * unknown or removed. `copy`: for a batch, only the recipient at this position, because all of them have up to
   * 250,000 values together.
   */
  readWork(id: string, copy?: number): Promise<ClaimedEmail | null>
  /**
   * The copy that the capture route kept for a recipient, or the first copy (`position` null); null when there is none.
   */
  readCapturedCopy(
    id: string,
    position: number | null,
  ): Promise<{ recipients: number[]; raw: Uint8Array } | null>
  /**
   * All messages that the capture route kept, by recipient position; empty when there are none. Not bounded: see
   * `readHistory`.
   */
  readCaptured(id: string): Promise<{ recipients: number[]; raw: Uint8Array }[]>
  listEmails(filter: EmailPaging): Promise<EmailSummary[]>
  /**
   * Removes emails with their content, recipients and events, except those with recipients that wait, are being sent or
   * are in quarantine. Returns the ids of those removed. At most 100 at once.
   */
  removeEmails(ids: readonly string[]): Promise<string[]>
}
