/** What the main thread and the threads of the store say to each other. Plain data only. */
import type { AccountsSnapshot, ApiKey, Company, Route, SendingDomain } from '../../accounts/account.ts'
import type { EventFilter, EventPage } from '../../email/event.ts'
import type { Happened } from '../../email/lifecycle.ts'
import type * as store from '../store.ts'
import { StoreConflict, StoreDamaged, StoreUnavailable } from '../store.ts'

/** Where a retry goes on: behind this recipient of this lane. */
export interface RetryPlace {
  company: number
  domain: string
  dueAt: number
  email: number
  position: number
}

export interface RetryChunk extends store.Retried {
  /** Null when nothing is left. */
  next: RetryPlace | null
}

/** How far through the held recipients of a domain a release has come: those held again behind it are left alone. */
export interface HeldPlace {
  email: number
  position: number
}

export interface HeldChunk {
  released: number
  /** Null when nothing is left. */
  next: HeldPlace | null
}

/** Of a record, what the writer reads. */
export type Recording = Omit<store.AttemptRecord, 'recipients'> & {
  recipients: Pick<store.AttemptRecord['recipients'][number], 'position' | 'decision'>[]
}

/** Operations of the writer, by name. Each runs inside a transaction it may share with others. */
export interface Writes {
  join(node: store.NodeDescription, alone: boolean): number
  beat(token: number, machine: string | null): store.NodeBeat[] | null
  giveUp(token: number, beats: number): boolean
  leave(token: number): void
  accept(email: store.NewEmail, lease: store.Lease | null): store.Accepted
  claim(request: store.ClaimRequest): store.ClaimedEmail[]
  record(attempt: Recording): store.Recorded
  happenedChunk(reports: readonly Happened[]): number
  recoverChunk(request: { now: number; jitterMs: number }): number
  cancel(emailId: string, at: number): store.Canceled
  releaseHeldChunk(domainId: string, release: store.HeldRelease, place: HeldPlace | null): HeldChunk
  quarantine(request: store.QuarantineRequest): number
  releaseQuarantinedChunk(scope: store.QuarantineScope, now: number): number
  retryChunk(request: store.RetryRequest, place: RetryPlace | null): RetryChunk
  addSuppression(companyId: string, address: string, reason: string, at: number): boolean
  removeSuppression(companyId: string, address: string): boolean
  pause(pause: store.Pause): void
  resume(scope: store.PauseScope): boolean
  retainStep(request: store.RetentionRequest): { touched: number; done: boolean }
  probe(): void
  addCompany(company: Company): void
  addDomain(domain: SendingDomain): void
  updateDomain(id: string, change: Parameters<store.AccountStore['updateDomain']>[1]): void
  addKey(key: ApiKey): void
  revokeKey(id: string, at: number): boolean
  setRoute(route: Route): void
  removeRoute(scope: store.RouteScope): boolean
}

/** Operations of the reader: each sees the last commit. */
export interface Reads {
  nextDue(): number | null
  nodes(): store.NodeBeat[]
  emailOrigin(id: string): store.StoredOrigin | null
  readEmail(id: string): store.StoredEmail | null
  readHistory(id: string): store.EmailHistory | null
  readWork(id: string): store.ClaimedEmail | null
  readCaptured(id: string): { recipients: number[]; raw: Uint8Array }[]
  cancelRequests(): string[]
  heldDomains(): string[]
  listEmails(filter: store.EmailFilter): store.EmailSummary[]
  eventsAfter(cursor: number, filter: EventFilter, limit: number): EventPage
  lastEventNumber(): number
  queue(companyId?: string): store.QueueLane[]
  quarantined(filter: { companyId?: string; limit: number }): store.QuarantinedEmail[]
  counts(now: number): store.StoreCounts
  listSuppressions(filter: { companyId?: string; address?: string; limit: number }): store.Suppression[]
  suppressionsSince(cursor: string | null): store.NewSuppressions
  pauses(): store.Pause[]
  accounts(): AccountsSnapshot
  accountsVersion(): number
}

/** One call by name with its arguments, as it crosses to a thread. */
export type Call<Operations> = {
  [Name in keyof Operations]: Operations[Name] extends (...args: infer Args) => unknown
    ? { name: Name; args: Args }
    : never
}[keyof Operations]

/** An error as it crosses from a thread. */
export interface Fault {
  kind: 'StoreUnavailable' | 'StoreConflict' | 'StoreDamaged' | 'Error'
  message: string
}

export type Outcome = { value: unknown } | { fault: Fault }

export interface Changed {
  accounts: boolean
  queue: boolean
  stops: boolean
}

/** To a thread. One batch is under way at a time. `watch` switches the writer's look-out for other processes. */
export type Request<OneCall> = { kind: 'batch'; calls: OneCall[] } | { kind: 'watch'; on: boolean }

/**
 * From a thread: `opened` or `refused` once, then `done` for each batch, and `changed` as other processes write.
 * `damage`: sentences about damage that was met and gone around.
 */
export type Reply =
  | { kind: 'opened' }
  | { kind: 'refused'; fault: Fault }
  | { kind: 'done'; outcomes: Outcome[]; changed: Changed; commits: number; damage?: string[] }
  | { kind: 'changed'; changed: Changed }

export const UNCHANGED: Changed = { accounts: false, queue: false, stops: false }

export function faultOf(error: unknown): Fault {
  if (error instanceof StoreUnavailable) return { kind: 'StoreUnavailable', message: error.message }
  if (error instanceof StoreConflict) return { kind: 'StoreConflict', message: error.message }
  if (error instanceof StoreDamaged) return { kind: 'StoreDamaged', message: error.message }
  return { kind: 'Error', message: error instanceof Error ? error.message : String(error) }
}

export function errorOf({ kind, message }: Fault): Error {
  if (kind === 'StoreUnavailable') return new StoreUnavailable(message)
  if (kind === 'StoreConflict') return new StoreConflict(message)
  if (kind === 'StoreDamaged') return new StoreDamaged(message)
  return new Error(message)
}
