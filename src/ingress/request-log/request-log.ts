/**
 * Writes the log of API requests in batches, after the answers, and at most a fixed number a second. Successes have
 * fewer places than refusals, so they are dropped first. A metric counts dropped entries.
 */
import { randomUUIDv7 } from 'node:crypto'
import { Counter, type Registry } from 'prom-client'
import type { ApiRequest, RequestStore } from '../../store/store.ts'

/** Ms between two batches. */
const EVERY = 1_000
/** The most requests of a batch. */
const MAX_SUCCESSES = 100
const MAX_REFUSALS = 500
/** The most refusals of one company in a batch, so that its flood does not push out those of others. */
const MAX_OF_COMPANY = 100
/** Batches after which the requests beyond the kept number are removed. */
const TRIM_AFTER = 60

type NewRequest = Omit<ApiRequest, 'id' | 'at' | 'refused'>

interface RequestLogParts {
  store: Pick<RequestStore, 'addApiRequests' | 'trimApiRequests'>
  registry: Registry
  onFault(error: unknown): void
}

export class RequestLog {
  readonly #parts: RequestLogParts
  readonly #dropped: Counter<'result'>
  #successes: ApiRequest[] = []
  #refusals: ApiRequest[] = []
  readonly #refusedOf = new Map<string | null, number>()
  readonly #grown = new Set<string | null>()
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> | null = null
  #batches = 0
  #stopped = false

  constructor(parts: RequestLogParts) {
    this.#parts = parts
    this.#dropped = new Counter({
      name: 'postroad_api_log_dropped_total',
      help: 'API requests that are missing in the log of requests, by their result: succeeded, refused.',
      labelNames: ['result'],
      registers: [parts.registry],
    })
  }

  /** Whether there is room for the request. If not, it is counted as dropped. */
  hasRoom(companyId: string | null, refused: boolean): boolean {
    const has = refused
      ? this.#refusals.length < MAX_REFUSALS && (this.#refusedOf.get(companyId) ?? 0) < MAX_OF_COMPANY
      : this.#successes.length < MAX_SUCCESSES
    if (!has) this.#dropped.inc({ result: refused ? 'refused' : 'succeeded' })
    return has
  }

  /** Does not wait for the store. The caller has checked `hasRoom`. */
  add(request: NewRequest, refused: boolean): void {
    if (this.#stopped) return
    const { companyId } = request
    const logged = { ...request, id: randomUUIDv7(), at: Date.now(), refused }
    if (refused) {
      this.#refusals.push(logged)
      this.#refusedOf.set(companyId, (this.#refusedOf.get(companyId) ?? 0) + 1)
    } else {
      this.#successes.push(logged)
    }
    this.#grown.add(companyId)
    this.#plan()
  }

  #plan(): void {
    this.#timer ??= setTimeout(() => this.#flush(), EVERY).unref()
  }

  /** Resolves when everything is written. */
  async stop(): Promise<void> {
    this.#stopped = true
    await this.#writing
    this.#flush()
    await this.#writing
  }

  #flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    // While the database does not answer, no more than one batch waits.
    if (this.#writing !== null) return
    const batch = [...this.#refusals, ...this.#successes]
    if (batch.length === 0) return
    this.#successes = []
    this.#refusals = []
    this.#refusedOf.clear()
    this.#writing = this.#write(batch).finally(() => {
      this.#writing = null
      if (!this.#stopped && this.#refusals.length + this.#successes.length > 0) this.#plan()
    })
  }

  async #write(batch: readonly ApiRequest[]): Promise<void> {
    const { store, onFault } = this.#parts
    try {
      await store.addApiRequests(batch)
      if (++this.#batches % TRIM_AFTER !== 0) return
      const grown = [...this.#grown]
      this.#grown.clear()
      for (const companyId of grown) await store.trimApiRequests(companyId)
    } catch (error) {
      for (const { refused } of batch) this.#dropped.inc({ result: refused ? 'refused' : 'succeeded' })
      onFault(error)
    }
  }
}
