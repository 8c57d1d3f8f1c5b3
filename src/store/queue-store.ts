/** What waits and is being sent: claims, results, and what operators do to it. */
import type {
  AttemptRecord,
  ClaimedEmail,
  ClaimRequest,
  QuarantineRequest,
  Recorded,
} from '../email/queued-email.ts'
import type {
  Backlog,
  Canceled,
  HeldRelease,
  Pause,
  PauseScope,
  QuarantinedEmail,
  QuarantineScope,
  QueueLane,
  Retried,
  RetryRequest,
  StoreCounts,
} from './queue-control.ts'

export interface QueueStore {
  /** Fair between companies, then between its recipient domains. */
  claim(request: ClaimRequest): Promise<ClaimedEmail[]>
  /** Unix ms of the earliest due recipient, null when nothing waits. */
  nextDue(): Promise<number | null>
  /** Rejects with StoreDamaged when the rows of this email cannot be written, and no other record is concerned. */
  record(attempt: AttemptRecord): Promise<Recorded>
  /**
   * Re-queues leased recipients whose token is no node's, due within `jitterMs` from `now` (Unix ms), in bounded steps.
   * Ends those that were to be canceled. They are suspect from now on, and so are the others of their emails that wait.
   * Returns how many were leased.
   */
  recover(request: { now: number; jitterMs: number }): Promise<number>
  /**
   * Cancels the recipients still waiting or in quarantine; those being sent end as canceled unless their attempt ends
   * them otherwise.
   */
  cancel(emailId: string, at: number): Promise<Canceled>
  /** Ids of emails with recipients being sent that are to be canceled: none of them need be begun any more. */
  cancelRequests(): Promise<string[]>
  /** Puts recipients into quarantine. Returns how many. Those no longer leased under the token are left alone. */
  quarantine(request: QuarantineRequest): Promise<number>
  /** Newest first. */
  quarantined(filter: { companyId?: string; limit: number }): Promise<QuarantinedEmail[]>
  /** Makes what is in quarantine due now (Unix ms); it stays suspect. Returns how many recipients. */
  releaseQuarantined(scope: QuarantineScope, now: number): Promise<number>
  /** Sending domains (ids) for which recipients were recorded as held. */
  heldDomains(): Promise<string[]>
  /**
   * Makes recipients of this sending domain due that were recorded as held until before `dueBefore`: each once, also
   * those that are held again meanwhile. Returns how many were held.
   */
  releaseHeld(domainId: string, release: HeldRelease): Promise<number>
  /**
   * Makes waiting recipients due now, in bounded steps (`postponedSince` says by whom: BY_HAND); `onStep` is told the
   * sum after each. Attempts made, the server to ask first and the doubt about a lost answer stay as they are; what is
   * being sent is left alone.
   */
  retry(request: RetryRequest, onStep?: (sum: Retried) => void): Promise<Retried>
  /** What waits, is being sent or in quarantine, one line for each company and recipient domain. */
  queue(companyId?: string): Promise<QueueLane[]>
  /**
   * Of one company or all, with so many destinations and companies at most. It costs what lanes there are on SQLite,
   * and what waits on PostgreSQL: who shows it again and again asks less often the longer it takes.
   */
  backlog(request: { companyId?: string; most: number }): Promise<Backlog>
  /** Ids of emails of a sending domain that have recipients waiting, in no order; at most `limit`. */
  waitingEmails(companyId: string, domainId: string, limit: number): Promise<string[]>
  counts(now: number): Promise<StoreCounts>
  /** By company, then domain. A handful. */
  pauses(): Promise<Pause[]>
  /** The claims of nodes that know of it leave the scope out. One that is there already stays as it is. */
  pause(pause: Pause): Promise<void>
  /** Ends the pause of exactly this scope; false when there is none. */
  resume(scope: PauseScope): Promise<boolean>
}
