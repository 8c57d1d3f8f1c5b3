import { CompanyPlaces } from '../../common/company-places.ts'
import { joinedInTurns } from '../../common/octets.ts'
import type { ValueRow } from '../../email/codec.ts'
import type { NoticeFacts } from '../../email/event-notice.ts'
import type { Suppression } from '../../email/suppression.ts'
import type { Serve } from '../../threads/same-thread.ts'
import { COLD_READS, coldMethods, sumOfSteps } from '../cold/operations.ts'
import { noticeFactsOf } from '../email-rows.ts'
import { addRetried, NOTHING_RETRIED } from '../retry-counts.ts'
import type * as types from '../store.ts'
import { StoreDamaged } from '../store.ts'
import { HAND_OVER_FROM } from './bytes.ts'
import { type DatabaseLocation, findDatabase } from './database-location.ts'
import { isLocked, lockExclusively } from './lock.ts'
import { isUpToDate } from './migrate.ts'
import { noticeRow } from './notice-rows.ts'
import { packAccept, packAcceptAll, packRecord, type WriteCall } from './parcels.ts'
import {
  type ChangeFlags,
  kindsOf,
  LARGE_READS,
  type Reads,
  type RetryChunk,
  type RetryPlace,
  type ThreadCall,
  type ThreadMethod,
  WRITER_METHODS,
  type Writes,
} from './protocol.ts'
import { storageOf } from './storage.ts'
import { StoreThread } from './thread.ts'

/** The most operations and the most octets of one transaction. Only the first operation may exceed the octets. */
const MAX_OPERATIONS = 500
const MAX_OCTETS = 16 * 1024 * 1024
/**
 * Milliseconds that results of deliveries may wait to share a commit, counted from the beginning of the previous
 * transaction.
 */
const PATIENCE = 5
/** The most reads that are answered together. */
const MAX_READS = 16
/** Weight of an operation in octets, in addition to its content. */
const BASE_WEIGHT = 1_000

const ANOTHER_SERVICE =
  'another Postroad service. Stop that one first, or give this one a database of its own; the command line may be used ' +
  'beside a running service'

export interface OpenOptions {
  /** True for the service, which a database admits only once; false for the command line beside it. */
  exclusive: boolean
  /**
   * Called once for each damaged thing in the database that was met and worked around, with a StoreDamaged whose
   * message is a sentence for the operator. Nothing else reports the damage.
   */
  onFault?: (error: Error) => void
}

/**
 * The most lists of suppressions that are written at once. One company may write two of them; one place is kept for
 * other companies.
 */
const LISTS = { size: 3, kept: 1, timesFree: 2 }

/**
 * The store in one SQLite file: one thread writes (group commit), and another reads at the same time. Other processes
 * may open the same file at the same time, but only one with `exclusive`.
 */
export interface SqliteStore extends types.Store {
  /** Transactions committed since the store was opened. */
  readonly commits: number
}

export const SqliteStore = {
  /**
   * Opens the file, creates it when missing, and brings its schema up to date. Rejects with StoreUnavailable (the path
   * cannot be used) or StoreConflict (a newer schema, another program's file, a file with several names, or `exclusive`
   * while another service has it).
   */
  async open(path: string, { exclusive, onFault }: OpenOptions): Promise<SqliteStore> {
    const place = findDatabase(path)
    const unlock = exclusive ? lockExclusively(place.path, ANOTHER_SERVICE) : null
    const store = new Threads(place, unlock, onFault ?? (() => {}))
    try {
      return await store.open()
    } catch (error) {
      await store.close()
      throw error
    }
  },
}

/** Loads the reads only when they run in this thread; the service reads in another one. */
async function readsOf(place: DatabaseLocation): Promise<Serve> {
  const { serveReads } = await import('./reads.ts')
  return (port) => serveReads(port, place)
}

/** The methods of the store that are more than one call of a thread. */
class Threads implements Omit<SqliteStore, ThreadMethod> {
  readonly shared = false
  readonly #writer: StoreThread<WriteCall>
  readonly #reader: StoreThread<ThreadCall<Reads>>
  readonly #watchers = new Set<(change: types.StoreChange) => void>()
  readonly #exclusive: boolean
  readonly #path: string
  readonly #lists = new CompanyPlaces(LISTS)
  #unlock: (() => void) | null

  constructor(place: DatabaseLocation, unlock: (() => void) | null, onFault: (error: Error) => void) {
    this.#unlock = unlock
    this.#exclusive = unlock !== null
    this.#path = place.path
    const onChanged = (changed: ChangeFlags) => this.#tell(changed)
    const onDamage = (message: string) => onFault(new StoreDamaged(message))
    this.#writer = new StoreThread({
      module: new URL('./writer.ts', import.meta.url),
      name: 'sqlite-writer',
      ...place,
      maxCalls: MAX_OPERATIONS,
      maxWeight: MAX_OCTETS,
      patience: PATIENCE,
      onChanged,
      onDamage,
      serve: null,
    })
    this.#reader = new StoreThread({
      module: new URL('./reader.ts', import.meta.url),
      name: 'sqlite-reader',
      ...place,
      maxCalls: MAX_READS,
      // A batch holds at most one call that may return much.
      maxWeight: 1,
      patience: 0,
      onChanged,
      onDamage,
      // A command has nothing else to do while it reads.
      serve: this.#exclusive ? null : () => readsOf(place),
    })
  }

  /** Opens the threads. Returns the store with the methods that are one call of a thread each. */
  async open(): Promise<SqliteStore> {
    // A command that only reads needs no writer.
    if (this.#exclusive || !isUpToDate(this.#path)) await this.#writer.open()
    const reads = await this.#reader.open()
    const read = (name: string, args: unknown[]) => {
      const weight = LARGE_READS.includes(name) ? 1 : 0
      return this.#reader.call({ name, args } as ThreadCall<Reads>, { weight })
    }
    const write = (name: string, args: unknown[]) => this.#write(name as keyof Writes, ...(args as never))
    const cold = coldMethods((name, args) => (name in COLD_READS ? read : write)(name, args))
    const passed = [
      ...reads.map((name) => [name, (...args: unknown[]) => read(name, args)] as const),
      ...WRITER_METHODS.map((name) => [name, (...args: unknown[]) => write(name, args)] as const),
      ...Object.entries(cold),
    ].filter(([name]) => !(name in this))
    return Object.assign(this, Object.fromEntries(passed) as Pick<types.Store, ThreadMethod>)
  }

  get commits(): number {
    return this.#writer.commits
  }

  async isServed(): Promise<boolean> {
    return this.#exclusive || isLocked(this.#path)
  }

  join(node: types.NodeDescription): Promise<number> {
    return this.#write('join', node, this.#exclusive)
  }

  accept(email: types.NewEmail, lease: types.Lease | null): Promise<types.AcceptResult> {
    const moved: ArrayBuffer[] = []
    const call = packAccept(email, lease, moved)
    return this.#writer.call(call, { weight: BASE_WEIGHT + email.size, moved }) as Promise<types.AcceptResult>
  }

  acceptAll(together: types.NewEmails, lease: types.Lease | null): Promise<types.AcceptAllResult> {
    const moved: ArrayBuffer[] = []
    const call = packAcceptAll(together, lease, moved)
    const weight = together.emails.reduce((sum, { size }) => sum + BASE_WEIGHT + size, 0)
    return this.#writer.call(call, { weight, moved }) as Promise<types.AcceptAllResult>
  }

  async readNoticeFacts(...args: Parameters<Reads['readNoticeFacts']>): Promise<NoticeFacts[]> {
    const [wanted] = args
    const rows = (await this.#reader.call({ name: 'readNoticeFacts', args })) as ValueRow[]
    return rows.map((row, index) => noticeFactsOf(noticeRow(row), wanted[index]!.recipient))
  }

  async probe(room = 0): Promise<void> {
    await this.#write('probe')
    if (room === 0) return
    await this.#write('takeRoom', room)
    // In a commit of its own: pages that are taken and freed in one commit are never written.
    await this.#write('leaveRoom')
  }

  storage(): Promise<types.StorageUsage> {
    return storageOf(this.#path)
  }

  /** The writer commits all waiting operations together, so a company may add only few lists to a commit. */
  async addSuppressions(list: readonly Suppression[]): Promise<boolean[]> {
    const end = await this.#lists.take(list[0]?.companyId ?? '')
    try {
      return await this.#write('addSuppressions', list)
    } finally {
      end()
    }
  }

  record(attempt: types.AttemptRecord): Promise<types.RecordResult> {
    const { captured } = attempt
    if (captured === null || captured.byteLength < HAND_OVER_FROM) return this.#record(attempt)
    // The octets are transferred, so they are copied first: the caller needs its own for a retry.
    return joinedInTurns([captured]).then((copy) => this.#record({ ...attempt, captured: copy }))
  }

  #record(attempt: types.AttemptRecord): Promise<types.RecordResult> {
    const moved: ArrayBuffer[] = []
    const call = packRecord(attempt, moved)
    const weight = BASE_WEIGHT + (attempt.captured?.byteLength ?? 0)
    // No caller waits for the result, so the call may share a commit with operations of the next few milliseconds.
    return this.#writer.call(call, { weight, patient: true, moved }) as Promise<types.RecordResult>
  }

  keepDigest(advance: types.FollowerStep, digest: types.Digest): Promise<boolean> {
    const call: ThreadCall<Writes> = { name: 'keepDigest', args: [advance, digest] }
    // No caller waits for the result.
    return this.#writer.call(call, { weight: BASE_WEIGHT, patient: true }) as Promise<boolean>
  }

  recover(request: { now: number; jitterMs: number }): Promise<number> {
    return sumOfSteps(() => this.#write('recoverChunk', request))
  }

  async retry(
    request: types.RetryRequest,
    onStep?: (sum: types.RetryCounts) => void,
  ): Promise<types.RetryCounts> {
    let sum = NOTHING_RETRIED
    let place: RetryPlace | null = null
    do {
      const { next, ...chunk }: RetryChunk = await this.#write('retryChunk', request, place)
      sum = addRetried(sum, chunk)
      onStep?.(sum)
      place = next
    } while (place !== null)
    return sum
  }

  async retain(request: types.RetentionRequest): Promise<number> {
    while (true) {
      const { touched, done } = await this.#write('retainStep', request)
      if (touched > 0 || done) return touched
    }
  }

  /**
   * Reports `queue` when waiting work was added or has ended, and when suppressions were removed. Effects of `claim`
   * and `record` are not reported, because the caller knows them. Any write of another process counts as `queue`,
   * `stops` and `webhooks`.
   */
  watch(onChange: (change: types.StoreChange) => void): () => void {
    if (this.#watchers.size === 0) this.#writer.watch(true)
    this.#watchers.add(onChange)
    return () => {
      if (this.#watchers.delete(onChange) && this.#watchers.size === 0) this.#writer.watch(false)
    }
  }

  async close(): Promise<void> {
    this.#watchers.clear()
    await this.#reader.close()
    await this.#writer.close()
    this.#unlock?.()
    this.#unlock = null
  }

  #tell(changed: ChangeFlags): void {
    for (const watcher of this.#watchers) {
      for (const kind of kindsOf(changed)) watcher(kind)
    }
  }

  #write<Name extends keyof Writes>(
    name: Name,
    ...args: Parameters<Writes[Name]>
  ): Promise<ReturnType<Writes[Name]>> {
    const call = { name, args } as unknown as ThreadCall<Writes>
    return this.#writer.call(call, { weight: BASE_WEIGHT }) as Promise<ReturnType<Writes[Name]>>
  }
}
