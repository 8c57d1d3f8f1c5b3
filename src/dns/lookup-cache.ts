import type { Lookup } from './lookup.ts'

/** A look-up's value and how many seconds it may be used again. */
export interface Fresh<T> {
  lookup: Lookup<T>
  seconds: number
}

interface Entry<T> {
  lookup: Lookup<T>
  /** Its records, or one for the answer that there are none. */
  places: number
  /** Milliseconds of the cache's clock. */
  until: number
}

/**
 * Remembers look-ups of one record type for as long as they may be used, and lets everyone who asks for the same name at
 * the same time share one query. Holds at most `capacity` records, for any zone can give a name thousands; the name that was least
 * recently used goes first.
 */
export class LookupCache<T> {
  readonly #entries = new Map<string, Entry<T>>()
  readonly #underWay = new Map<string, Promise<Lookup<T>>>()
  readonly #capacity: number
  #places = 0
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
      if (entry.until > this.#now()) {
        // Last in order.
        this.#entries.delete(name)
        this.#entries.set(name, entry)
        return Promise.resolve(entry.lookup)
      }
      this.#forget(name, entry)
    }
    const shared = this.#underWay.get(name)
    if (shared !== undefined) return shared
    const started = query().then(({ lookup, seconds }) => {
      this.#underWay.delete(name)
      const places = lookup.kind === 'found' ? lookup.records.length : 1
      if (seconds > 0) this.#keep(name, { lookup, places, until: this.#now() + seconds * 1000 })
      return lookup
    })
    this.#underWay.set(name, started)
    return started
  }

  #keep(name: string, entry: Entry<T>): void {
    if (entry.places > this.#capacity) return
    this.#entries.set(name, entry)
    this.#places += entry.places
    for (const [oldest, { places }] of this.#entries) {
      if (this.#places <= this.#capacity) return
      this.#forget(oldest, { places })
    }
  }

  #forget(name: string, { places }: Pick<Entry<T>, 'places'>): void {
    this.#entries.delete(name)
    this.#places -= places
  }
}
