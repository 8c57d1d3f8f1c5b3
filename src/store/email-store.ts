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
  EmailAddresses,
  EmailBeginning,
  EmailHistory,
  EmailPaging,
  EmailReason,
  EmailReplies,
  EmailSummary,
  HistoryOutline,
  LeaseHolder,
  OutlineRange,
  RecipientOutline,
  RecipientRange,
  RecipientValues,
  StoredContent,
  StoredEmail,
  StoredFile,
  StoredOrigin,
} from '../email/stored-email.ts'

/** `readBeginnings` skips contents with more octets than this. */
export const LONGEST_READ = 1024 * 1024

export interface EmailStore {
  /**
   * Stores an email durably. With a lease, its recipients begin as `sending` (except suppressed ones, and all of a
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
  /**
   * Changes the scheduled time of an email that waits for it, to `dueAt` (Unix ms; a past time means now). `at` in Unix
   * ms.
   */
  reschedule(emailId: string, dueAt: number, at: number): Promise<RescheduleResult>
  /** Cancels an email that waits for its scheduled time, as `cancel` does; leaves any other email as it is. */
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
  /**
   * The whole history, however large. Only a process other than the service may call it; the service reads histories in
   * pieces.
   */
  readHistory(id: string): Promise<EmailHistory | null>
  /**
   * Each attempt lists only those of its recipients that are in the range. If an email has thousands of attempts, only
   * the newest are searched. Null when unknown.
   */
  readOutline(id: string, range: OutlineRange): Promise<HistoryOutline | null>
  /** In order of position. Empty when unknown. */
  readRecipients(emailId: string, range: RecipientRange): Promise<RecipientOutline[]>
  /** The nodes that have recipients of the range under their leases, in order of position. Empty when unknown. */
  leaseHolders(emailId: string, range: RecipientRange): Promise<LeaseHolder[]>
  /** The first recipients whose values have at most `octets` together. Empty when the email is not a batch. */
  readValues(emailId: string, range: RecipientRange & { octets: number }): Promise<RecipientValues[]>
  /** The dialogue of an attempt, by its id in the outline; null when unknown. */
  readDialogue(emailId: string, attempt: number): Promise<string | null>
  /** The first `octets` of each body. Null when unknown. */
  readContent(id: string, octets: number): Promise<StoredContent | null>
  /**
   * The first `octets` of the content of these emails of the company (null: of any company), in any order. Contents
   * above `LONGEST_READ` are left out: SQLite reads a value whole.
   */
  readBeginnings(ids: readonly string[], companyId: string | null, octets: number): Promise<EmailBeginning[]>
  /**
   * The last answers of servers about the first hundred recipients of each of these emails, without duplicates: the
   * first 300 characters of each answer, and at most 3,000 characters an email. Emails without an answer are left out.
   */
  readReplies(ids: readonly string[]): Promise<EmailReplies[]>
  /** The addresses of the first hundred recipients of each of these emails, and of any that is one of `exact`. */
  readAddresses(ids: readonly string[], exact: readonly string[]): Promise<EmailAddresses[]>
  /**
   * Why these emails of the company (null: of any company) were last refused or delayed. Emails without a refusal or
   * delay are left out.
   */
  readReasons(ids: readonly string[], companyId: string | null): Promise<EmailReason[]>
  /**
   * The whole work item (content, attachments, all recipients), in any state. No recipient is marked as suspect. Null
   * when the email is unknown or was removed. `copy`: for a batch, only the recipient at this position, because all of
   * them have up to 250,000 values together.
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
