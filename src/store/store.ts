/**
 * The one interface of the durable store. The engines (sqlite/, postgres/) lie behind it; no other code knows a driver.
 *
 * Promise semantics: a write resolves after its commit is durable (fsync). It rejects with StoreUnavailable when it
 * could not be committed; then nothing of it is kept. Writes that arrive while a commit is under way share the next
 * one.
 *
 * Damage to the database affects only the damaged data: `claim`, `recover` and `counts` skip damaged rows, and `record`
 * rejects with StoreDamaged when its own record cannot be written. Damage is reported once through the `onFault` of
 * openStore.
 */
import type { AccountReads, AccountStore, DomainChange, FreshDkimKey, RouteScope } from './account-store.ts'
import type { AlertStore } from './alert-store.ts'
import type { DigestStore } from './digest-store.ts'
import type { DomainReportStore } from './domain-report-store.ts'
import type { EmailStore } from './email-store.ts'
import type { EventLog, EventStore } from './event-store.ts'
import type { FollowerStore } from './follower-store.ts'
import type { InboundStore } from './inbound-store.ts'
import type { LiveListStore } from './live-list-store.ts'
import type { MtaStsStore } from './mta-sts-store.ts'
import type { NodeStore } from './node-store.ts'
import type { PeopleStore } from './people-store.ts'
import type {
  RetentionRequest,
  ShorterRetention,
  ShorterRetentionStep,
  StorageUsage,
} from './queue-control.ts'
import type { QueueStore } from './queue-store.ts'
import type { RequestStore } from './request-store.ts'
import type { SearchStore } from './search-store.ts'
import type { SharedPathStore } from './shared-paths.ts'
import type { SiteStateStore } from './site-state.ts'
import type { SuppressionStore } from './suppression-store.ts'
import type { TagStore } from './tag-store.ts'
import type { WebhookStore } from './webhook-store.ts'

export type * from '../email/event-notice.ts'
export type * from '../email/inbound-mail.ts'
export type * from '../email/queued-email.ts'
export type * from '../email/stored-email.ts'
export type * from '../email/suppression.ts'
export type { DueDomain, WarmUpCount, WarmUpPart, WarmUpRequest } from './account-store.ts'
export type { Alert, Announcement, AnnouncementClaim, NewAlert } from './alert-store.ts'
export type { Digest, PlaceList } from './digest.ts'
export type {
  BusiestRequest,
  CountRequest,
  EventCount,
  EventGroups,
  EventSum,
  GroupRequest,
  RankRequest,
  SeenTag,
  SeenTags,
  SeenTagsRequest,
  SumRequest,
  TagOrder,
  TypeSums,
} from './digest-store.ts'
export type * from './domain-report-store.ts'
export type { FollowerStep } from './follower-store.ts'
export type * from './inbound-store.ts'
export type { ChangedEmails, RecipientCounts, RecipientGroup } from './live-list-store.ts'
export type * from './mta-sts-store.ts'
export type * from './node.ts'
export type { AuditFilter, Invitee, PersonChange } from './people-store.ts'
export type * from './queue-control.ts'
export { REPLY_SEARCHED } from './queue-control.ts'
export type * from './request-store.ts'
export {
  type AgreedChange,
  type ClosedPath,
  SHARED_KEPT_MS,
  type SharedPath,
  type SharedState,
} from './shared-paths.ts'
export type * from './site-state.ts'
export type * from './suppression-store.ts'
export type { TagNote } from './tag-store.ts'
export type * from './webhook.ts'
export type {
  AccountReads,
  AccountStore,
  AlertStore,
  DigestStore,
  DomainChange,
  DomainReportStore,
  EmailStore,
  EventLog,
  EventStore,
  FollowerStore,
  FreshDkimKey,
  LiveListStore,
  NodeStore,
  PeopleStore,
  QueueStore,
  RouteScope,
  SearchStore,
  SuppressionStore,
  TagStore,
  WebhookStore,
}

export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable'
}

/**
 * The data that this operation needs is damaged; other operations succeed. The same operation will fail again until the
 * database is repaired, so waiting does not help. (With StoreUnavailable, no write succeeds now, but all may later.)
 */
export class StoreDamaged extends Error {
  override name = 'StoreDamaged'
}

/**
 * The request contradicts the stored data: the name is taken, the id is unknown, and so on. The message is a sentence
 * for the operator.
 */
export class StoreConflict extends Error {
  override name = 'StoreConflict'
}

/**
 * The company has reached the limit on the number of its domains, keys or the like. The message is a sentence for the
 * company.
 */
export class OverLimit extends Error {
  override name = 'OverLimit'
}

/**
 * The kind of a change. Changes by other processes are noticed within half a second.
 * - `accounts`: companies, domains or keys.
 * - `queue`: new work waits, work is due sooner, or work has ended. Frequent changes may be reported late.
 * - `stops`: the reasons to stop mail: a request to cancel an email being sent, an address newly suppressed, a pause
 *   set or ended. A node with leased work that is not begun reads `cancelRequests`, `suppressionsSince` and `pauses`
 *   again.
 * - `webhooks`: one was added, changed, removed, or has an event to send again; or the signing key changed. A node with
 *   webhooks calls `takeWebhooks` again.
 */
export type StoreChange = 'accounts' | 'queue' | 'stops' | 'webhooks'

export interface Store
  extends EmailStore,
    QueueStore,
    EventStore,
    FollowerStore,
    DigestStore,
    DomainReportStore,
    SearchStore,
    SharedPathStore,
    SiteStateStore,
    LiveListStore,
    SuppressionStore,
    AccountStore,
    MtaStsStore,
    AlertStore,
    InboundStore,
    NodeStore,
    PeopleStore,
    RequestStore,
    TagStore,
    WebhookStore {
  /** Whether several nodes may use the database at once. */
  readonly shared: boolean
  /** One small step; returns how many emails were changed or removed, 0 when there is nothing left to do. */
  retain(request: RetentionRequest): Promise<number>
  /** One small step through all emails with content, from the oldest. */
  retainShorter(request: ShorterRetention): Promise<ShorterRetentionStep>
  /**
   * Resolves if the store takes commits now. Commits a tiny write, or one of `room` octets, which it then frees again,
   * because even a nearly full disk has room for a tiny write.
   */
  probe(room?: number): Promise<void>
  /** The size of the database, and the free space beside it. */
  storage(): Promise<StorageUsage>
  /** Calls `onChange` after changes by this or another process. Returns a function that stops the calls. */
  watch(onChange: (change: StoreChange) => void): () => void
  close(): Promise<void>
}
