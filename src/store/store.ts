/**
 * The one interface of the durable store. The engines (sqlite/, postgres/) live behind it; nobody else knows a driver.
 *
 * Promise semantics: a write resolves after its commit is durable (fsync). It rejects with StoreUnavailable when it could
 * not be committed; then nothing of it is kept. Writes that arrive while a commit is under way share the next one.
 *
 * Damage to the database costs what it touches: `claim`, `recover` and `counts` leave damaged rows out and go on, and
 * `record` rejects with StoreDamaged when this one record cannot be written. What was met is told once through the
 * `onFault` of openStore.
 */
import type {
  AccountsSnapshot,
  ApiKey,
  Company,
  DomainStatus,
  SendingDomain,
  SendingState,
} from '../accounts/account.ts'
import type {
  Accepted,
  AttemptRecord,
  ClaimedEmail,
  ClaimRequest,
  Lease,
  NewEmail,
  Recorded,
  SetAside,
} from '../email/queued-email.ts'
import type {
  EmailFilter,
  EmailHistory,
  EmailSummary,
  StoredEmail,
  StoredOrigin,
} from '../email/stored-email.ts'
import type { NodeBeat, NodeDescription } from './node.ts'
import type {
  Canceled,
  HeldRelease,
  NewSuppressions,
  Pause,
  PauseScope,
  QuarantinedEmail,
  QuarantineScope,
  QueueLane,
  RetentionRequest,
  Retried,
  RetryRequest,
  StoreCounts,
  Suppression,
} from './queue-control.ts'

export type * from '../email/queued-email.ts'
export type * from '../email/stored-email.ts'
export type * from './node.ts'
export type * from './queue-control.ts'

export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable'
}

/**
 * What this operation needs is damaged; the store takes others. The same operation will fail again until the database is
 * repaired: it is no use to wait for it. (StoreUnavailable, in contrast: no write succeeds now, and all may later.)
 */
export class StoreDamaged extends Error {
  override name = 'StoreDamaged'
}

/** Another company or domain of that name exists, an unknown id was given, ... A sentence for the operator. */
export class StoreConflict extends Error {
  override name = 'StoreConflict'
}

/**
 * What changed outside this process (or inside), noticed within half a second.
 * - `accounts`: companies, domains or keys.
 * - `queue`: work is waiting that was not, or is due sooner, or has ended. May be told late when it comes often.
 * - `stops`: what keeps mail from going out: a request to cancel what is under way, an address newly suppressed, a pause
 *   set or ended. Who holds leased work that is not begun reads `cancelRequests`, `suppressionsSince` and `pauses` again.
 */
export type StoreChange = 'accounts' | 'queue' | 'stops'

export interface Store extends AccountStore {
  /** Whether several nodes may use the database at once. */
  readonly shared: boolean
  /**
   * Enters a node. Returns its fencing token, higher than any before; durable. Where one node alone may use the database, the
   * rows of all others go.
   */
  join(node: NodeDescription): Promise<number>
  /** Counts one beat of this node. Every node's row after it, its own included; null when this one was given up. */
  beat(token: number): Promise<NodeBeat[] | null>
  /** By token. */
  nodes(): Promise<NodeBeat[]>
  /** Removes the row of a node that has not beaten since it had `beats`. False when it has, or is gone already. */
  giveUp(token: number, beats: number): Promise<boolean>
  /**
   * Removes the node's own row. What it still has leased is for `recover`. The others are told `queue`: what it has given back
   * by `record` before is theirs.
   */
  leave(token: number): Promise<void>
  /**
   * Durable when resolved. With a lease, its recipients are born leased (not those suppressed, nor when scheduled), and the caller keeps
   * the octets of the email; without one, the store may take its raw message and attachments over.
   */
  accept(email: NewEmail, lease: Lease | null): Promise<Accepted>
  /** Fair between companies, then between the destinations of a company. */
  claim(request: ClaimRequest): Promise<ClaimedEmail[]>
  /** Unix ms of the earliest due recipient, null when nothing waits. */
  nextDue(): Promise<number | null>
  /** Rejects with StoreDamaged when the rows of this email cannot be written, and no other record is concerned. */
  record(attempt: AttemptRecord): Promise<Recorded>
  /**
   * Re-queues leased recipients whose token is no node's, due within `jitterMs` from `now` (Unix ms), in bounded steps. Ends
   * those that were to be canceled. They are suspect from now on, and so are the others of their emails that wait. Returns how many were
   * leased.
   */
  recover(request: { now: number; jitterMs: number }): Promise<number>
  /** Cancels the recipients still waiting or in quarantine; those under way end as canceled unless their attempt ends them otherwise. */
  cancel(emailId: string, at: number): Promise<Canceled>
  /** Ids of emails with recipients under way that are to be canceled: none of them need be begun any more. */
  cancelRequests(): Promise<string[]>
  /** Puts recipients into quarantine. Returns how many. Those no longer leased under the token are left alone. */
  setAside(request: SetAside): Promise<number>
  /** Newest first. */
  quarantined(filter: { companyId?: string; limit: number }): Promise<QuarantinedEmail[]>
  /** Makes what is in quarantine due now (Unix ms); it stays suspect. Returns how many recipients. */
  releaseQuarantined(scope: QuarantineScope, now: number): Promise<number>
  /** Sending domains (ids) for which recipients were recorded as held. */
  heldDomains(): Promise<string[]>
  /**
   * Makes recipients of this sending domain due that were recorded as held until before `dueBefore`: each once, also those that are held
   * again meanwhile. Returns how many were held.
   */
  releaseHeld(domainId: string, release: HeldRelease): Promise<number>
  /**
   * Makes waiting recipients due now, in bounded steps (`postponedSince` is 0 then); `onStep` is told the sum after each. Attempts
   * made, the server to ask first and the doubt about a lost answer stay as they are; what is under way is left alone.
   */
  retry(request: RetryRequest, onStep?: (sum: Retried) => void): Promise<Retried>

  /** Whose an email is, and how much there is to read; null when unknown. It costs the same however much that is. */
  emailOrigin(id: string): Promise<StoredOrigin | null>
  /** Null when unknown. The caller decides who may see it. */
  readEmail(id: string): Promise<StoredEmail | null>
  readHistory(id: string): Promise<EmailHistory | null>
  /** The whole work item (content, attachments, all recipients) whatever its state, nobody suspect; null when unknown or removed. */
  readWork(id: string): Promise<ClaimedEmail | null>
  /** Bytes the capture route kept, by recipient position; empty when none. */
  readCaptured(id: string): Promise<{ recipients: number[]; raw: Uint8Array }[]>
  listEmails(filter: EmailFilter): Promise<EmailSummary[]>
  queue(companyId?: string): Promise<QueueLane[]>
  counts(now: number): Promise<StoreCounts>

  listSuppressions(filter: { companyId?: string; address?: string; limit: number }): Promise<Suppression[]>
  /** False when the address is on the list already: the first reason stays. `at` in Unix ms. */
  addSuppression(companyId: string, address: string, reason: string, at: number): Promise<boolean>
  removeSuppression(companyId: string, address: string): Promise<boolean>
  /**
   * What `record` and `addSuppression` of any node have added since the answer that had this cursor; with null nothing, only
   * the cursor. Cheap: costs nothing for what was added before. Nothing may be missed, whatever order commits come in.
   */
  suppressionsSince(cursor: string | null): Promise<NewSuppressions>

  /** By company, then domain. A handful. */
  pauses(): Promise<Pause[]>
  /** The claims of nodes that know of it leave the scope out. One that is there already stays as it is. */
  pause(pause: Pause): Promise<void>
  /** Ends the pause of exactly this scope; false when there is none. */
  resume(scope: PauseScope): Promise<boolean>

  /** One small step; returns how many emails were touched, 0 when there is nothing left to do. */
  retain(request: RetentionRequest): Promise<number>
  /** Writes and commits something tiny: does the store take commits now? */
  probe(): Promise<void>
  /** Calls back on changes made by this or another process. Returns a function that stops it. */
  watch(onChange: (change: StoreChange) => void): () => void
  close(): Promise<void>
}

/** Rare writes about accounts; each bumps the version that `watch` looks at. */
export interface AccountStore {
  accounts(): Promise<AccountsSnapshot>
  /** The version that every change raises: another number after it. Costs the same however many accounts there are. */
  accountsVersion(): Promise<number>
  addCompany(company: Company): Promise<void>
  addDomain(domain: SendingDomain): Promise<void>
  updateDomain(id: string, change: { status?: DomainStatus; sending?: SendingState }): Promise<void>
  addKey(key: ApiKey): Promise<void>
  revokeKey(id: string, at: number): Promise<boolean>
}
