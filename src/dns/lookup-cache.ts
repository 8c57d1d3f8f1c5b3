import type { Lookup } from './lookup.ts'

/** A look-up's value and how many seconds it may be used again. */
export interface Fresh<T> {
  lookup: Lookup<T>
  seconds: number
}

interface Entry<T> {
  lookup: Lookup<T>
  /** Milliseconds of the cache's clock. */
  until: number
}

/**
 * Remembers look-ups of one record type for as long as they may be used, and lets everyone who asks for the same name at
 * the same time share one query. Holds at most `capacity` names; the least recently used goes first.
 */
export class LookupCache<T> {
  readonly #entries = new Map<string, Entry<T>>()
  readonly #underWay = new Map<string, Promise<Lookup<T>>>()
  readonly #capacity: number
  readonly #now: () => number

  /** `now`: a monotonic clock in milliseconds. */
  constructor(capacity: number, now: () => number) {
    this.#capacity = capacity
    this.#now = now
  }

  /** `query` must not reject. */
  get(name: string, query: () => Promise<Fresh<T>>): Promise<Lookup<T>> {
    const entry = this.#entries.get(name)
    if (entry !== undefined) {
      this.#entries.delete(name)
      if (entry.until > this.#now()) {
        this.#entries.set(name, entry)
        return Promise.resolve(entry.lookup)
      }
    }
    const shared = this.#underWay.get(name)
    if (shared !== undefined) return shared
    const started = query().then(({ lookup, seconds }) => {
      this.#underWay.delete(name)
      if (seconds > 0) this.#keep(name, { lookup, until: this.#now() + seconds * 1000 })
      return lookup
    })
    this.#underWay.set(name, started)
    return started
  }

  #keep(name: string, entry: Entry<T>): void {
    this.#entries.set(name, entry)
    if (this.#entries.size <= this.#capacity) return
    const oldest = this.#entries.keys().next()
    if (!oldest.done) this.#entries.delete(oldest.value)
  }
}
