/** The queue: claims, results, and the operators' requests. */
import type {
  AttemptRecord,
  ClaimedEmail,
  ClaimRequest,
  QuarantineRequest,
  RecordResult,
} from '../email/queued-email.ts'
import type {
  Backlog,
  CancelCounts,
  HoldRelease,
  NewPause,
  Pause,
  PauseScope,
  QuarantinedEmail,
  QuarantineScope,
  QueueLane,
  RetryCounts,
  RetryRequest,
  StoreCounts,
} from './queue-control.ts'

export interface QueueStore {
  /** Fair between companies, then between a company's recipient domains. */
  claim(request: ClaimRequest): Promise<ClaimedEmail[]>
  /** Notifies all nodes that mail is due that one of them has given back. */
  announceWork(): Promise<void>
  /** Unix ms of the earliest due recipient; null when nothing waits. */
  nextDue(): Promise<number | null>
  /** The same for mail that is not paused. For mail that was paused when it became due, the end of the pause counts. */
  oldestDue(now: number): Promise<number | null>
  /**
   * The same for mail of a company; null unless some is due by now. The cost does not depend on the waiting mail of
   * others.
   */
  oldestDueOf(companyId: string, now: number): Promise<number | null>
  /** Rejects with StoreDamaged when the rows of this email cannot be written; other records are not concerned. */
  record(attempt: AttemptRecord): Promise<RecordResult>
  /**
   * Re-queues leased recipients whose token belongs to no node, due within `jitterMs` from `now` (Unix ms), in bounded
   * steps. Ends those for which a cancellation was requested. They are suspect from now on, and so are the other
   * waiting recipients of their emails. Returns how many were leased.
   */
  recover(request: { now: number; jitterMs: number }): Promise<number>
  /**
   * Cancels the recipients waiting or in quarantine; those being sent end as canceled unless their attempt ends them
   * otherwise. `position`: only the recipient there.
   */
  cancel(emailId: string, at: number, position?: number): Promise<CancelCounts>
  /**
   * Ids of emails with a requested cancellation and recipients being sent. Their deliveries need not begin any more.
   */
  cancelRequests(): Promise<string[]>
  /** Puts recipients into quarantine. Returns how many. Recipients no longer leased under the token are left alone. */
  quarantine(request: QuarantineRequest): Promise<number>
  /** Newest first. */
  quarantined(filter: { companyId?: string; limit: number }): Promise<QuarantinedEmail[]>
  /** Makes recipients in quarantine due now (Unix ms); they stay suspect. Returns how many. */
  releaseQuarantined(scope: QuarantineScope, now: number): Promise<number>
  /** Sending domains (ids) for which recipients were recorded as held. */
  heldDomains(): Promise<string[]>
  /**
   * Makes due the recipients of this sending domain that are recorded as held until before `dueBefore`, all or those
   * that `release` selects. Releases each once, even if it is held again meanwhile. Returns how many were held.
   */
  releaseHeld(domainId: string, release: HoldRelease): Promise<number>
  /**
   * Makes waiting recipients due now, in bounded steps (`postponedSince` records by whom: BY_HAND); `onStep` gets the
   * sum after each step. The attempts made, the preferred server and the doubt about a lost answer stay as they are;
   * recipients being sent are left alone.
   */
  retry(request: RetryRequest, onStep?: (sum: RetryCounts) => void): Promise<RetryCounts>
  /** The mail waiting, being sent or in quarantine, one line for each company and recipient domain. */
  queue(companyId?: string): Promise<QueueLane[]>
  /**
   * The backlog of one company or of all. Its cost grows with the number of lanes on SQLite, and with the waiting mail
   * on PostgreSQL: a caller that shows it repeatedly must ask less often the longer it takes.
   */
  backlog(companyId?: string): Promise<Backlog>
  /** Ids of emails of a sending domain that have waiting recipients, in no order; at most `limit`. */
  waitingEmails(companyId: string, domainId: string, limit: number): Promise<string[]>
  counts(now: number): Promise<StoreCounts>
  /**
   * The pauses that have not ended by `now`, by company, then domain; those of sites come last, by company and site.
   * There are only a few.
   */
  pauses(now: number): Promise<Pause[]>
  /**
   * Pauses a scope: claims leave it out as soon as their node has read the pause. An existing pause of the same scope
   * keeps its beginning, and takes over the end and the reason.
   */
  pause(pause: NewPause): Promise<void>
  /** Ends the pause of exactly this scope, at `now` (Unix ms); false when there is none. */
  resume(scope: PauseScope, now: number): Promise<boolean>
  /** Forgets the pauses that have ended before then (Unix ms); returns their number. */
  forgetPauses(endedBefore: number): Promise<number>
}
