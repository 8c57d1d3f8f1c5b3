/** What changes, for whoever looks on: the log is read once for all who look at the same, and only while they do. */
import type { EmailSummary } from '../email/stored-email.ts'
import type { RecipientCounts, Store } from '../store/store.ts'

/** Ms between two looks for whether something has come, and between two times that the same listener is told. */
const LOOK_MS = 250
const TELL_MS = 1_000
/** Ms between two looks while the store does not answer. */
const OUTAGE_MS = 1_000
/** Emails told at a time, and octets of what is listed of them. */
const MOST_EMAILS = 50
const OCTETS = 256 * 1024

export interface Changes {
  /** Everything up to this number of the log is told herewith. */
  cursor: number
  /** Those that something happened to, as they are now: the latest first. */
  emails: { email: EmailSummary; counts: RecipientCounts | null }[]
  /** Something happened to others as well: whoever shows them asks again. */
  more: boolean
}

export type Listener = (changes: Changes) => void

export interface LiveParts {
  store: Pick<Store, 'changedEmails' | 'settledEventNumber' | 'recipientCounts' | 'summaries'>
  /** The log could not be read; it is tried again, and nothing is missed. */
  onFault: (error: unknown) => void
}

/** All who look at one company, or at all. */
class Scope {
  readonly companyId: string | null
  readonly listeners = new Set<Listener>()
  /** Those that have been told nothing yet, and what they know already. */
  readonly newcomers = new Map<Listener, number | null>()
  /** The listeners know everything up to here. */
  cursor: number | null = null
  /** Monotonic ms. */
  toldAt = Number.NEGATIVE_INFINITY

  constructor(companyId: string | null) {
    this.companyId = companyId
  }
}

export class Live {
  readonly #parts: LiveParts
  readonly #scopes = new Map<string | null, Scope>()
  #running = false
  #wake: () => void = () => {}
  /** How often the log was asked how far it goes, and how often what has changed was read. */
  looks = 0
  reads = 0

  constructor(parts: LiveParts) {
    this.#parts = parts
  }

  /**
   * Tells what changes in the company (null: in all), at most once a second. First, and at once, what has changed
   * behind the number `after`; where that is null, only how far the log goes. Returns a function that ends it.
   */
  watch(companyId: string | null, after: number | null, listener: Listener): () => void {
    let scope = this.#scopes.get(companyId)
    if (scope === undefined) {
      scope = new Scope(companyId)
      this.#scopes.set(companyId, scope)
    }
    const { listeners, newcomers } = scope
    newcomers.set(listener, after)
    this.#wake()
    if (!this.#running) void this.#run()
    return () => {
      listeners.delete(listener)
      newcomers.delete(listener)
      if (listeners.size + newcomers.size > 0 || this.#scopes.get(companyId) !== scope) return
      this.#scopes.delete(companyId)
      this.#wake()
    }
  }

  async #run(): Promise<void> {
    this.#running = true
    while (this.#scopes.size > 0) {
      let pause = LOOK_MS
      try {
        this.looks += 1
        const cursor = await this.#parts.store.settledEventNumber()
        for (const scope of [...this.#scopes.values()]) await this.#tell(scope, cursor)
        pause = this.#untilDue()
      } catch (error) {
        this.#parts.onFault(error)
        pause = OUTAGE_MS
      }
      await this.#rest(pause)
    }
    this.#running = false
  }

  async #tell(scope: Scope, cursor: number): Promise<void> {
    await this.#welcome(scope, cursor)
    const { listeners, companyId } = scope
    const now = performance.now()
    scope.cursor ??= cursor
    if (cursor === scope.cursor || now - scope.toldAt < TELL_MS) return
    const changes = await this.#since(companyId, scope.cursor, cursor)
    scope.cursor = cursor
    if (changes.emails.length === 0 && !changes.more) return
    scope.toldAt = now
    for (const listener of [...listeners]) listener(changes)
  }

  async #welcome({ companyId, listeners, newcomers }: Scope, cursor: number): Promise<void> {
    const told = new Map<number | null, Changes>()
    for (const [listener, after] of [...newcomers]) {
      let changes = told.get(after)
      if (changes === undefined) {
        changes = await this.#since(companyId, after, cursor)
        told.set(after, changes)
      }
      // It may have left meanwhile.
      if (!newcomers.delete(listener)) continue
      listeners.add(listener)
      listener(changes)
    }
  }

  #since(companyId: string | null, after: number | null, cursor: number): Promise<Changes> | Changes {
    if (after === null || after === cursor) return { cursor, emails: [], more: false }
    // What somebody knows who knows more than there is, he knows of another database.
    if (after > cursor) return { cursor, emails: [], more: true }
    return this.#changes(companyId, after, cursor)
  }

  async #changes(companyId: string | null, above: number, upTo: number): Promise<Changes> {
    const { store } = this.#parts
    this.reads += 1
    const changed = await store.changedEmails({ above, upTo, limit: MOST_EMAILS }, companyId)
    const { ids } = changed
    if (ids.length === 0) return { cursor: upTo, emails: [], more: changed.more }
    const [summaries, recipientCounts] = await Promise.all([
      store.summaries(ids, OCTETS),
      store.recipientCounts(ids),
    ])
    const countsOf = new Map(recipientCounts.map((counts) => [counts.id, counts]))
    const emails = summaries.map((email) => ({ email, counts: countsOf.get(email.id) ?? null }))
    return { cursor: upTo, emails, more: changed.more || emails.length < ids.length }
  }

  /** Ms until somebody may be told something again: before that nobody needs to know what has come. */
  #untilDue(): number {
    const scopes = [...this.#scopes.values()]
    if (scopes.length === 0 || scopes.some(({ newcomers }) => newcomers.size > 0)) return 0
    const first = Math.min(...scopes.map(({ toldAt }) => toldAt + TELL_MS))
    return Math.max(LOOK_MS, first - performance.now())
  }

  /** Until so many ms are over, or somebody comes or goes. */
  #rest(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      timer.unref()
      this.#wake = () => {
        clearTimeout(timer)
        this.#wake = () => {}
        resolve()
      }
    })
  }
}
