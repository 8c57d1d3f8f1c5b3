/** Emails: made durable, and read back. */
import type {
  Accepted,
  AcceptedAll,
  AcceptedEmail,
  ClaimedEmail,
  Idempotency,
  Lease,
  NewEmail,
  NewEmails,
  Rescheduled,
} from '../email/queued-email.ts'
import type {
  EmailHistory,
  EmailPaging,
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

export interface EmailStore {
  /**
   * Durable when resolved. With a lease, its recipients begin as `sending` (not those suppressed, nor when scheduled),
   * and the caller keeps the octets of the email; without one, the store may take its raw message and attachments over.
   */
  accept(email: NewEmail, lease: Lease | null): Promise<Accepted>
  /** The same for several: all or none, in one commit. */
  acceptAll(emails: NewEmails, lease: Lease | null): Promise<AcceptedAll>
  /**
   * The emails that a request with this key and fingerprint has brought before, in their order; null when none has.
   * They are promised to whoever asks. `at` in Unix ms.
   */
  repeated(companyId: string, idempotency: Idempotency, at: number): Promise<AcceptedEmail[] | null>
  /**
   * Another time (Unix ms; what is past means now) for an email that waits for the time its sender gave. `at` in Unix
   * ms.
   */
  reschedule(emailId: string, dueAt: number, at: number): Promise<Rescheduled>
  /** As `cancel`, of an email that waits for the time its sender gave; any other is left alone. */
  cancelScheduled(emailId: string, at: number): Promise<Rescheduled>
  /** Whose an email is, and how much there is to read; null when unknown. It costs the same however much that is. */
  emailOrigin(id: string): Promise<StoredOrigin | null>
  /** Null when unknown. The caller decides who may see it. */
  readEmail(id: string): Promise<StoredEmail | null>
  /** Empty when it has none, is unknown, is a ready message, or its content was removed. */
  listFiles(emailId: string): Promise<StoredFile[]>
  /** The octets of one of them; null when there is no such file. */
  readFile(emailId: string, position: number): Promise<Uint8Array | null>
  /** A ready message; null when it is none, is unknown, or its content was removed. */
  readRaw(emailId: string): Promise<Uint8Array | null>
  /** Everything, however much it is: for a process of its own. The service reads by the piece. */
  readHistory(id: string): Promise<EmailHistory | null>
  /**
   * Attempts list only those of their recipients that are in the range; of an email with thousands, the newest are
   * looked at. Null when unknown.
   */
  readOutline(id: string, range: OutlineRange): Promise<HistoryOutline | null>
  /** In order of position. Empty when unknown. */
  readRecipients(emailId: string, range: RecipientRange): Promise<RecipientOutline[]>
  /** The first of them whose values come to `octets` together. Empty when it is no batch. */
  readValues(emailId: string, range: RecipientRange & { octets: number }): Promise<RecipientValues[]>
  /** The dialogue of an attempt, by its id in the outline; null when unknown. */
  readDialogue(emailId: string, attempt: number): Promise<string | null>
  /** Of each body the first `octets`. Null when unknown. */
  readContent(id: string, octets: number): Promise<StoredContent | null>
  /**
   * The whole work item (content, attachments, all recipients) whatever its state, nobody suspect; null when unknown or
   * removed. `copy`: of a batch the recipient at this position alone, since all have up to 250,000 values together.
   */
  readWork(id: string, copy?: number): Promise<ClaimedEmail | null>
  /** The copy the capture route kept for a recipient, or the first copy (null); null when there is none. */
  readCapturedCopy(
    id: string,
    position: number | null,
  ): Promise<{ recipients: number[]; raw: Uint8Array } | null>
  /** Bytes the capture route kept, by recipient position; empty when none. All of them: as `readHistory`. */
  readCaptured(id: string): Promise<{ recipients: number[]; raw: Uint8Array }[]>
  listEmails(filter: EmailPaging): Promise<EmailSummary[]>
}
