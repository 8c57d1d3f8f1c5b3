/** The messages between the main thread and the threads of the store. Plain data only. */
import type { ValueRow } from '../../email/codec.ts'
import type { ColdSteps, ColdWalks, ColdWrites } from '../cold/operations.ts'
import type { WalkStep } from '../cold/port.ts'
import type * as store from '../store.ts'
import { OverLimit, StoreConflict, StoreDamaged, StoreUnavailable } from '../store.ts'

/** The position from which the next step of a retry continues: after this recipient of this lane. */
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

/** Operations that the store passes on unchanged to the writer, in addition to the shared ones (`COLD_WRITES`). */
export const WRITER_METHODS = [
  'claim',
  'removeEmails',
  'retainShorter',
  'trimDigest',
] as const satisfies (keyof store.Store)[]

/**
 * Reads with large answers. Each has a batch of its own, because the main thread receives a whole batch in one turn of
 * the event loop.
 */
export const LARGE_READS: readonly string[] = [
  'readAddresses',
  'readBeginnings',
  'readContent',
  'readEmail',
  'readHistory',
  'readOutline',
  'readRecipients',
  'readReplies',
  'readValues',
  'readWork',
] satisfies (keyof store.Store)[]

/** Methods of the store that are more than one call of a thread. */
type ComposedMethod =
  | 'accept'
  | 'acceptAll'
  | 'addSuppressions'
  | 'close'
  | 'isServed'
  | 'join'
  | 'keepDigest'
  | 'probe'
  | 'readNoticeFacts'
  | 'record'
  | 'recover'
  | 'retain'
  | 'retry'
  | 'shared'
  | 'storage'
  | 'watch'

type WriterMethod = (typeof WRITER_METHODS)[number] | ColdWrites | ColdSteps

/** The methods of the store that are one call of a thread, or the steps of one. */
export type ThreadMethod = Exclude<keyof store.Store, ComposedMethod>

/** Operations of the writer, by name. Each runs inside a transaction that it may share with others. */
export interface Writes extends Direct<WriterMethod | 'accept' | 'acceptAll' | 'keepDigest'>, Walks {
  join(node: store.NodeDescription, alone?: boolean): number
  probe(): void
  takeRoom(octets: number): void
  leaveRoom(): void
  record(attempt: WriterRecord): store.RecordResult
  recoverChunk(request: { now: number; jitterMs: number }): number
  retryChunk(request: store.RetryRequest, place: RetryPlace | null): RetryChunk
  retainStep(request: store.RetentionRequest): { touched: number; done: boolean }
}

/** The walks of the store. Each call runs one step. */
type Walks = {
  [Name in ColdWalks]: (place: unknown, ...args: Parameters<store.Store[Name]>) => WalkStep
}

/** Operations of the reader: all methods that do not belong to another thread. Each sees the last commit. */
export type Reads = Direct<Exclude<ThreadMethod, WriterMethod | ColdWalks>> & {
  /** Encoded as in notice-rows.ts. */
  readNoticeFacts(...args: Parameters<store.Store['readNoticeFacts']>): ValueRow[]
}

/** A call as it is sent to a thread: the name of an operation and its arguments. */
export type ThreadCall<Operations> = {
  [Name in keyof Operations]: Operations[Name] extends (...args: infer Args) => unknown
    ? { name: Name; args: Args }
    : never
}[keyof Operations]

const KINDS = { StoreUnavailable, StoreConflict, StoreDamaged, OverLimit, Error }

/** An error as it is sent from a thread. */
interface ThreadFault {
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
 * `operations`: the names of the thread's operations, for the reader. `damage`: sentences about damage that was met and
 * worked around.
 */
export type ThreadReply =
  | { kind: 'opened'; operations?: string[] }
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
