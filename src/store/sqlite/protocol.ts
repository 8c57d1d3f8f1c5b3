/** The messages between the main thread and the threads of the store. Plain data only. */
import type { ValueRow } from '../../email/codec.ts'
import type { RecipientReport } from '../../email/lifecycle.ts'
import type { ColdReads, ColdSteps, ColdWrites } from '../cold/operations.ts'
import type * as store from '../store.ts'
import { OverLimit, StoreConflict, StoreDamaged, StoreUnavailable } from '../store.ts'

/** The position from which a retry goes on: after this recipient of this lane. */
export interface RetryPlace {
  company: number
  domain: string
  dueAt: number
  email: number
  position: number
}

export interface RetryChunk extends store.RetryCounts {
  /** Null when none is left. */
  next: RetryPlace | null
}

/** The position that a release of held recipients has reached: recipients held again behind it are left alone. */
export interface HoldCursor {
  email: number
  position: number
}

export interface HoldReleaseChunk {
  released: number
  /** Null when none is left. */
  next: HoldCursor | null
}

/** The part of a record that the writer reads. */
export type WriterRecord = Omit<store.AttemptRecord, 'recipients'> & {
  recipients: Pick<store.AttemptRecord['recipients'][number], 'position' | 'decision'>[]
}

/** Methods of the store as a thread carries them out: synchronously. */
export type Direct<Names extends keyof store.Store> = {
  [Name in Names]: store.Store[Name] extends (...args: infer Args) => Promise<infer Result>
    ? (...args: Args) => Result
    : never
}

/** Operations that the store passes on unchanged to the writer, beside those of both databases (`COLD_WRITES`). */
export const WRITER_METHODS = [
  'beat',
  'cancel',
  'cancelScheduled',
  'claim',
  'giveUp',
  'leave',
  'quarantine',
  'reschedule',
  'trimDigest',
] as const satisfies (keyof store.Store)[]

/** Operations that the store passes on unchanged to the reader, beside those of both databases (`COLD_READS`). */
export const READER_METHODS = [
  'backlog',
  'changedEmails',
  'countEvents',
  'countRanks',
  'counts',
  'digestAfter',
  'emailAlong',
  'emailsAt',
  'emailsBegunAfter',
  'entriesAfter',
  'eventsAfter',
  'eventsAt',
  'eventsOf',
  'eventsUpTo',
  'groupEvents',
  'heldDomains',
  'lastEventNumber',
  'nextDue',
  'nodes',
  'quarantined',
  'queue',
  'readLists',
  'recipientCounts',
  'repeated',
  'settledEmailPlace',
  'settledEventNumber',
  'sumBusiest',
  'sumEvents',
  'summaries',
  'waitingEmails',
  'walkEmails',
] as const satisfies (keyof store.Store)[]

/**
 * The same for large answers: each comes in a batch of its own, because the main thread takes in a whole batch in one
 * turn of the event loop.
 */
export const LARGE_READER_METHODS = [
  'readContent',
  'readEmail',
  'readHistory',
  'readOutline',
  'readRecipients',
  'readValues',
  'readWork',
] as const satisfies (keyof store.Store)[]

type WriterMethod = (typeof WRITER_METHODS)[number]
type ReaderMethod = (typeof READER_METHODS)[number] | (typeof LARGE_READER_METHODS)[number]

/** Operations of the writer, by name. Each runs inside a transaction that it may share with others. */
export interface Writes
  extends Direct<WriterMethod | ColdWrites | ColdSteps | 'accept' | 'acceptAll' | 'keepDigest'> {
  join(node: store.NodeDescription, alone: boolean): number
  probe(): void
  takeRoom(octets: number): void
  leaveRoom(): void
  record(attempt: WriterRecord): store.RecordResult
  happenedChunk(reports: readonly RecipientReport[]): number
  recoverChunk(request: { now: number; jitterMs: number }): number
  releaseHeldChunk(domainId: string, release: store.HoldRelease, place: HoldCursor | null): HoldReleaseChunk
  releaseQuarantinedChunk(scope: store.QuarantineScope, now: number): number
  retryChunk(request: store.RetryRequest, place: RetryPlace | null): RetryChunk
  retainStep(request: store.RetentionRequest): { touched: number; done: boolean }
}

/** Operations of the reader: each sees the last commit. */
export type Reads = Direct<ReaderMethod | ColdReads> & {
  /** Encoded as in notice-rows.ts. */
  readTold(...args: Parameters<store.Store['readTold']>): ValueRow[]
}

/** The methods of the store that are one call of a thread each. */
export type ThreadMethod = WriterMethod | ReaderMethod | ColdReads | ColdSteps | ColdWrites

/** One call, by name and arguments, as it is sent to a thread. */
export type ThreadCall<Operations> = {
  [Name in keyof Operations]: Operations[Name] extends (...args: infer Args) => unknown
    ? { name: Name; args: Args }
    : never
}[keyof Operations]

const KINDS = { StoreUnavailable, StoreConflict, StoreDamaged, OverLimit, Error }

/** An error as it is sent from a thread. */
export interface ThreadFault {
  kind: keyof typeof KINDS
  message: string
}

export type CallResult = { value: unknown } | { fault: ThreadFault }

/** The changes that watchers are notified of. */
export type ChangeFlags = Record<store.StoreChange, boolean>

/**
 * Sent to a thread. One batch is under way at a time. `watch` switches the writer's watch for other processes' writes.
 */
export type ThreadRequest<OneCall> = { kind: 'batch'; calls: OneCall[] } | { kind: 'watch'; on: boolean }

/**
 * Sent by a thread: `opened` or `refused` once, then `done` for each batch, and `changed` when other processes write.
 * `damage`: sentences about damage that was met and worked around.
 */
export type ThreadReply =
  | { kind: 'opened' }
  | { kind: 'refused'; fault: ThreadFault }
  | { kind: 'done'; outcomes: CallResult[]; changed: ChangeFlags; commits: number; damage?: string[] }
  | { kind: 'changed'; changed: ChangeFlags }

export const UNCHANGED: ChangeFlags = { accounts: false, queue: false, stops: false, webhooks: false }

/** The kinds that have changed. */
export function kindsOf(changed: ChangeFlags): store.StoreChange[] {
  return (Object.keys(UNCHANGED) as store.StoreChange[]).filter((kind) => changed[kind])
}

export function faultOf(error: unknown): ThreadFault {
  const kinds = Object.keys(KINDS) as ThreadFault['kind'][]
  const kind = kinds.find((name) => error instanceof KINDS[name]) ?? 'Error'
  return { kind, message: error instanceof Error ? error.message : String(error) }
}

export function errorOf({ kind, message }: ThreadFault): Error {
  return new KINDS[kind](message)
}
