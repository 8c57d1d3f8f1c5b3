/**
 * The one interface of the durable store. Engines (sqlite/, later postgres/) live behind it; nobody else knows a driver.
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
import type { EmailEvent, EventDetail, EventType } from '../events/event.ts'
import type { MessageContent } from '../mail/message.ts'

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

export type RecipientKind = 'to' | 'cc' | 'bcc'

/**
 * Where a recipient stands. `waiting` and `leased` are live; `quarantined` is neither tried nor removed until the operator releases
 * or cancels it; the others are final.
 */
export type RecipientState =
  | 'waiting'
  | 'leased'
  | 'quarantined'
  | 'delivered'
  | 'bounced'
  | 'failed'
  | 'suppressed'
  | 'canceled'

export interface NewRecipient {
  /** Envelope address: local part as given, domain as lower-case A-label. */
  address: string
  /** Domain part of `address`. */
  domain: string
  kind: RecipientKind
  /** Batch sending: this recipient's values. Null otherwise. */
  variables: Record<string, string> | null
}

/** A checked email, ready to be made durable. */
export interface NewEmail {
  id: string
  companyId: string
  domainId: string
  keyId: string
  /** MAIL FROM. */
  sender: string
  /** What the message is made of. `to`/`cc` as in its header fields. */
  content: MessageContent
  /** A ready MIME message; then `content` carries only what was read from its header (for read-back). */
  raw: Uint8Array | null
  bcc: string[]
  tags: { name: string; value: string }[]
  variables: Record<string, string>
  /** True for batch sending: each recipient gets a message of its own with its variables filled in. */
  individual: boolean
  testMode: boolean
  /** Unix ms. */
  createdAt: number
  /** Unix ms: when the recipients become due. */
  dueAt: number
  /** True when `dueAt` was asked for by the sender: the email shows as `scheduled`. */
  scheduled: boolean
  /** Octets of the composed message, as estimated. */
  size: number
  recipients: NewRecipient[]
  idempotency: { key: string; fingerprint: string } | null
}

/** What a node does: takes mail in over HTTP, or hands it to its destinations. */
export type NodeRole = 'api' | 'delivery'

export interface NodeDescription {
  /** For people; several nodes may bear the same. */
  name: string
  roles: NodeRole[]
  /** Milliseconds it may be silent before the others take over its work; its own right to send ends a little sooner. */
  timeoutMs: number
  /** Unix ms by its own clock: since when it runs. For people; nothing is decided by it. */
  since: number
}

/** A node's row: the node is in service, and holds its leases, as long as it is there. */
export interface NodeBeat extends NodeDescription {
  /** Fencing token of what it has leased. */
  token: number
  /** Rises while it lives. How long ago it last rose each observer knows by its own clock alone. */
  beats: number
}

/** What a node takes work under, also in the same commit that accepts it: such work needs no reading back. */
export interface Lease {
  /** Fencing token, the one `join` gave: results under a token that is no longer the recipient's are refused. */
  token: number
}

export type Accepted =
  /** `leased`: positions handed to this node by the lease; suppressed ones are missing from it. */
  | { kind: 'accepted'; leased: number[] }
  /** The idempotency key was used before with the same fingerprint: this is the earlier email. */
  | { kind: 'repeated'; id: string; messageId: string }
  /** The idempotency key was used before with another fingerprint. */
  | { kind: 'conflict' }

/** Work claimed: one email with those of its recipients that are due. */
export interface ClaimedEmail {
  id: string
  companyId: string
  domainId: string
  sender: string
  content: MessageContent
  raw: Uint8Array | null
  individual: boolean
  testMode: boolean
  size: number
  recipients: ClaimedRecipient[]
}

export interface ClaimedRecipient {
  position: number
  address: string
  domain: string
  attempts: number
  variables: Record<string, string> | null
  /** Server to try first, if any (after an uncertain or deferred attempt). */
  preferredServer: string | null
  /** An answer was lost after the final dot and none has come since: only the preferred server may be tried. */
  uncertain: boolean
  /**
   * Unix ms: since when what is not the mail's fault keeps it waiting; null when nothing does, 0 when the operator wants it to be tried
   * now all the same.
   */
  postponedSince: number | null
  suspicion: Suspicion
}

/**
 * May this take down the process that composes or sends it?
 * - 0: nothing says so.
 * - 1: it, or another recipient of its email, was under way when a process or thread ended.
 * - 2: it was under way when the process died that was to show who is to blame.
 */
export type Suspicion = 0 | 1 | 2

export interface ClaimRequest {
  lease: Lease
  /** Unix ms. */
  now: number
  /** At most this many recipients (see `together`), and (past the first email) this many octets of messages. */
  maxRecipients: number
  maxBytes: number
  /**
   * Recipients of one email at one domain that make one transaction: they are claimed together, so that the last of them may go
   * beyond the numbers of recipients. Not in batch sending, where each recipient has a transaction of its own.
   */
  together: number
  /** At most this many recipients for one company in one claim. */
  maxPerCompany: number
  /** `companyId\0domain` of lanes whose ready queue is full: skipped. */
  skip: string[]
  /** Companies whose ready queues take no more, or that are paused: skipped. */
  skipCompanies: string[]
  /** Recipient domains to which no company's mail goes now: skipped. */
  skipDomains: string[]
}

/** The result of one attempt as the store records it. */
export interface AttemptRecord {
  emailId: string
  companyId: string
  leaseToken: number
  startedAt: number
  duration: number
  server: string | null
  tls: string | null
  dialogue: string
  captured: Uint8Array | null
  recipients: RecipientRecord[]
}

export interface RecipientRecord {
  position: number
  /** New state; `waiting` for another attempt at `dueAt`. */
  state: Exclude<RecipientState, 'leased' | 'quarantined'>
  /** Unix ms, for `waiting`. */
  dueAt: number | null
  /** False when the recipient was given back untried: neither attempt count nor attempt row changes. */
  tried: boolean
  /**
   * Unix ms: since when what is not the mail's fault keeps it waiting. If it was tried, there is an attempt row, but the attempt does
   * not count. Absent: tried, it waits for that no longer; untried, nothing changes.
   */
  postponedSince?: number
  /** The attempt's answer was lost after the final dot. */
  uncertain: boolean
  preferredServer: string | null
  code: number | null
  message: string
  /** Given back because the sending domain may not send: `releaseHeld` makes it due. */
  held?: boolean
  /** An attempt ends the suspicion unless it says otherwise; what was not tried keeps it, or gets this if it is graver. */
  suspicion?: Suspicion
  /** Put `address` of this recipient on the company's suppression list. */
  suppress: boolean
  events: { type: EventType; at: number; detail: EventDetail }[]
}

/** Positions whose lease was no longer ours: the result was refused. */
export interface Recorded {
  refused: number[]
}

/** What the API reads back. */
export interface StoredEmail {
  id: string
  companyId: string
  domainId: string
  keyId: string
  content: Omit<MessageContent, 'attachments'>
  bcc: string[]
  tags: { name: string; value: string }[]
  variables: Record<string, string>
  createdAt: number
  scheduledAt: number | null
  lastEvent: EventType
  size: number
  testMode: boolean
  /** True when retention has removed the content. */
  contentRemoved: boolean
}

export interface StoredRecipient {
  position: number
  address: string
  kind: RecipientKind
  state: RecipientState
  attempts: number
  dueAt: number | null
  lastCode: number | null
  lastMessage: string | null
  server: string | null
  /** Batch sending: the recipient's own values. */
  variables: Record<string, string> | null
}

export interface StoredAttempt {
  /** Positions of the recipients it was for. */
  recipients: number[]
  startedAt: number
  duration: number
  server: string | null
  tls: string | null
  dialogue: string
}

/** Everything about one email, for the operator. */
export interface EmailHistory {
  email: StoredEmail
  recipients: StoredRecipient[]
  events: EmailEvent[]
  attempts: StoredAttempt[]
}

export interface EmailSummary {
  id: string
  companyId: string
  from: string
  to: string[]
  subject: string
  createdAt: number
  lastEvent: EventType
  size: number
}

export interface EmailFilter {
  companyId?: string
  /** Only emails older than this id (paging, newest first). */
  before?: string
  limit: number
}

/** One line of the queue: what waits for one company and destination, and why. */
export interface QueueLane {
  companyId: string
  domain: string
  waiting: number
  leased: number
  quarantined: number
  /** Unix ms of the earliest due time of a waiting recipient. */
  nextDueAt: number | null
  /** Last reply seen by a waiting recipient of the lane; why one is in quarantine, where none waits. */
  lastMessage: string | null
}

export interface Suppression {
  companyId: string
  address: string
  reason: string
  createdAt: number
  emailId: string | null
}

export interface RetentionRequest {
  /** Unix ms: content (html, text, attachments, raw, captured) of finished emails created before is removed. */
  contentBefore: number
  /** Unix ms: the finished emails themselves, with events and attempts, created before are removed. */
  emailsBefore: number
  /** At most this many emails in one step. */
  limit: number
}

export interface StoreCounts {
  waiting: number
  leased: number
  quarantined: number
  /** Waiting and past their time. A store may stop counting these at 100,000. */
  due: number
}

/** Unix ms. */
export interface HeldRelease {
  now: number
  dueBefore: number
}

export interface Canceled {
  /** Recipients that were waiting or in quarantine: they are canceled. */
  canceled: number
  /** Recipients under way: they end as canceled if their attempt leaves them waiting. */
  underWay: number
}

/** An email that took a process down. */
export interface SetAside {
  emailId: string
  leaseToken: number
  /** Recipients, leased under the token, of the delivery that did it. */
  positions: number[]
  /** What becomes of the others that wait: the same content is as dangerous, other content is suspect. */
  others: 'quarantine' | 'suspect'
  /** Unix ms. */
  at: number
  /** Shown with each recipient and its event. */
  message: string
}

export interface QuarantinedEmail {
  id: string
  companyId: string
  from: string
  subject: string
  /** So many of its recipients are in quarantine. */
  recipients: number
  /** Unix ms. */
  since: number
  message: string | null
}

export interface QuarantineScope {
  companyId: string | null
  emailId: string | null
}

/** The operator's word that mail stays where it is. Null: of every company, to every domain. */
export interface PauseScope {
  companyId: string | null
  /** Recipient domain, a lower-case A-label. */
  domain: string | null
}

export interface Pause extends PauseScope {
  /** Unix ms. */
  since: number
}

/** Which waiting recipients are to be tried now. Null: of every company, at every domain, of every email. */
export interface RetryRequest extends PauseScope {
  emailId: string | null
  /** Unix ms: their new due time. Those that are due by then are left alone. */
  now: number
}

export interface Retried {
  /** Recipients that waited for another time and are due now. */
  retried: number
  /** Left for the time their sender asked for. Where the email is named they are not: they are tried now. */
  scheduled: number
  /** Left because mail of their company or to their domain is paused. */
  paused: number
  /** Left because their sending domain may not send. */
  held: number
}

/** Addresses put on suppression lists, in no order. What was told before may be told again; what was removed since is not. */
export interface NewSuppressions {
  /** For the next question. Only the store reads anything out of it. */
  cursor: string
  added: { companyId: string; address: string }[]
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
  /** Durable when resolved. With a lease, its recipients are born leased (not those suppressed, nor when scheduled). */
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
   * Makes recipients due that were held for this sending domain until before `dueBefore`: each once, also those that are held again
   * meanwhile. Returns how many were held.
   */
  releaseHeld(domainId: string, release: HeldRelease): Promise<number>

  /**
   * Makes waiting recipients due now, in bounded steps (`postponedSince` is 0 then); `onStep` is told the sum after each. Attempts made, the server to ask first
   * and the doubt about a lost answer stay as they are; what is under way is left alone.
   */
  retry(request: RetryRequest, onStep?: (sum: Retried) => void): Promise<Retried>

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
  addCompany(company: Company): Promise<void>
  addDomain(domain: SendingDomain): Promise<void>
  updateDomain(id: string, change: { status?: DomainStatus; sending?: SendingState }): Promise<void>
  addKey(key: ApiKey): Promise<void>
  revokeKey(id: string, at: number): Promise<boolean>
}
