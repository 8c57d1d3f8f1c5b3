import type { StoreChange } from '../store.ts'
import type { Database } from './database.ts'

/** The channel of LISTEN and NOTIFY; its payload is the name of a StoreChange. */
export const CHANNEL = 'postroad'
/** Milliseconds between two notices of the same change from one node, so that a flood of mail does not become one of notices. */
const SPACING = 20

/**
 * Tells all nodes that something has changed, after it was committed. A notice goes by itself: commits that carry notices
 * wait for each other in PostgreSQL. One that is lost costs no more than the time until the others look by themselves.
 */
export class Notices {
  readonly #database: Database
  readonly #pending = new Set<StoreChange>()
  #timer: NodeJS.Timeout | null = null
  #sending: Promise<void> = Promise.resolve()
  #closed = false

  constructor(database: Database) {
    this.#database = database
  }

  tell(change: StoreChange): void {
    if (this.#closed) return
    this.#pending.add(change)
    if (this.#timer !== null) return
    this.#send()
    this.#timer = setTimeout(() => {
      this.#timer = null
      if (this.#pending.size > 0) this.tell([...this.#pending][0]!)
    }, SPACING)
    this.#timer.unref()
  }

  /** Sends what is left to tell. */
  async close(): Promise<void> {
    this.#closed = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#send()
    await this.#sending
  }

  #send(): void {
    const changes = [...this.#pending]
    this.#pending.clear()
    if (changes.length === 0) return
    const sent = Promise.all(changes.map((change) => this.#notify(change)))
    this.#sending = Promise.all([this.#sending, sent]).then(() => {})
  }

  async #notify(change: StoreChange): Promise<void> {
    try {
      await this.#database.read({ name: 'notify', text: 'SELECT pg_notify($1, $2)::text' }, [CHANNEL, change])
    } catch {
      // The database is away: whoever it matters to finds out when it is back.
    }
  }
}
