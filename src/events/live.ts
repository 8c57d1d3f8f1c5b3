/**
 * Live updates for the console. The log is read once for all listeners of the same company, and only while there are
 * any.
 */
import type { EmailSummary } from '../email/stored-email.ts'
import type { LiveListStore, RecipientCounts, SearchStore } from '../store/store.ts'
import { LogReader, POLL_MS } from './log-reader.ts'

/** Ms between two updates to the same listener. */
const UPDATE_MS = 1_000
/** Emails in one update, and octets of their summaries. */
const MAX_EMAILS = 50
const OCTETS = 256 * 1024

export interface Changes {
  /** The update covers the log up to this number. */
  cursor: number
  /** The emails with new events, in their present state, latest first. */
  emails: { email: EmailSummary; counts: RecipientCounts | null }[]
  /** Whether other emails changed as well: a listener that shows them must reload. */
  more: boolean
}

export type ChangeListener = (changes: Changes) => void

interface LiveParts {
  store: LiveListStore & Pick<SearchStore, 'settledEventNumber'>
  /** The log could not be read. The read is tried again, and nothing is missed. */
  onFault: (error: unknown) => void
}

/** The listeners of one company, or of all companies. */
class ListenerGroup {
  readonly companyId: string | null
  readonly listeners = new Set<ChangeListener>()
  /** Listeners that have had no update yet, with the number up to which each knows the log. */
  readonly newcomers = new Map<ChangeListener, number | null>()
  /** The listeners have everything up to this number. */
  cursor: number | null = null
  /** Monotonic ms. */
  updatedAt = Number.NEGATIVE_INFINITY

  constructor(companyId: string | null) {
    this.companyId = companyId
  }
}

export class Live {
  readonly #parts: LiveParts
  readonly #scopes = new Map<string | null, ListenerGroup>()
  readonly #reader: LogReader
  #running = false
  /** How often the end of the log and the changes were read. */
  looks = 0
  reads = 0

  constructor(parts: LiveParts) {
    this.#parts = parts
    const { signal } = new AbortController()
    this.#reader = new LogReader({ read: () => this.#look(), onFault: parts.onFault, signal, ref: false })
  }

  /**
   * Calls the listener with changes in the company (null: in all), at most once a second. The first call comes at once,
   * with the changes behind the number `after`; if that is null, with the end of the log alone. Returns a function that
   * stops the updates.
   */
  watch(companyId: string | null, after: number | null, listener: ChangeListener): () => void {
    let scope = this.#scopes.get(companyId)
    if (scope === undefined) {
      scope = new ListenerGroup(companyId)
      this.#scopes.set(companyId, scope)
    }
    const { listeners, newcomers } = scope
    newcomers.set(listener, after)
    this.#reader.wake()
    if (!this.#running) void this.#run()
    return () => {
      listeners.delete(listener)
      newcomers.delete(listener)
      if (listeners.size + newcomers.size > 0 || this.#scopes.get(companyId) !== scope) return
      this.#scopes.delete(companyId)
      this.#reader.wake()
    }
  }

  async #run(): Promise<void> {
    this.#running = true
    while (this.#scopes.size > 0) await this.#reader.next()
    this.#running = false
  }

  async #look(): Promise<number> {
    // The last listener left during the rest.
    if (this.#scopes.size === 0) return 0
    this.looks += 1
    const cursor = await this.#parts.store.settledEventNumber()
    for (const scope of [...this.#scopes.values()]) await this.#tell(scope, cursor)
    return this.#untilDue()
  }

  async #tell(scope: ListenerGroup, cursor: number): Promise<void> {
    await this.#welcome(scope, cursor)
    const { listeners, companyId } = scope
    const now = performance.now()
    scope.cursor ??= cursor
    if (cursor === scope.cursor || now - scope.updatedAt < UPDATE_MS) return
    const changes = await this.#since(companyId, scope.cursor, cursor)
    scope.cursor = cursor
    if (changes.emails.length === 0 && !changes.more) return
    scope.updatedAt = now
    for (const listener of [...listeners]) listener(changes)
  }

  async #welcome({ companyId, listeners, newcomers }: ListenerGroup, cursor: number): Promise<void> {
    const changesAfter = new Map<number | null, Changes>()
    for (const [listener, after] of [...newcomers]) {
      let changes = changesAfter.get(after)
      if (changes === undefined) {
        changes = await this.#since(companyId, after, cursor)
        changesAfter.set(after, changes)
      }
      // The listener may have left meanwhile.
      if (!newcomers.delete(listener)) continue
      listeners.add(listener)
      listener(changes)
    }
  }

  #since(companyId: string | null, after: number | null, cursor: number): Promise<Changes> | Changes {
    if (after === null || after === cursor) return { cursor, emails: [], more: false }
    // A number beyond the end of the log comes from another database: the listener has to reload.
    if (after > cursor) return { cursor, emails: [], more: true }
    return this.#changes(companyId, after, cursor)
  }

  async #changes(companyId: string | null, above: number, upTo: number): Promise<Changes> {
    const { store } = this.#parts
    this.reads += 1
    const changed = await store.changedEmails({ above, upTo, limit: MAX_EMAILS }, companyId)
    const { ids } = changed
    if (ids.length === 0) return { cursor: upTo, emails: [], more: changed.more }
    const [summaries, recipientCounts] = await Promise.all([
      store.summaries(ids, OCTETS),
      store.recipientCounts(ids, Date.now()),
    ])
    const countsOf = new Map(recipientCounts.map((counts) => [counts.id, counts]))
    const emails = summaries.map((email) => ({ email, counts: countsOf.get(email.id) ?? null }))
    return { cursor: upTo, emails, more: changed.more || emails.length < ids.length }
  }

  /** Ms until the next update is due. The log need not be read before. */
  #untilDue(): number {
    const first = Math.min(...[...this.#scopes.values()].map(({ updatedAt }) => updatedAt + UPDATE_MS))
    return Math.max(POLL_MS, first - performance.now())
  }
}
