import { LRUCache } from 'lru-cache'
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
 * Remembers look-ups of one record type for as long as they may be used, and lets everyone who asks for the same name
 * at the same time share one query. Holds at most `capacity` records, for any zone can give a name thousands; the name
 * that was least recently used goes first. With a capacity of 0 only queries under way are shared.
 */
export class LookupCache<T> {
  /** Null where nothing is remembered. */
  readonly #entries: LRUCache<string, Entry<T>> | null
  readonly #underWay = new Map<string, Promise<Lookup<T>>>()
  readonly #now: () => number

  /** `now`: a monotonic clock in milliseconds. */
  constructor(capacity: number, now: () => number) {
    // Also the answer that there are none takes a place.
    const sizeCalculation = ({ lookup }: Entry<T>) => (lookup.kind === 'found' ? lookup.records.length : 1)
    this.#entries = capacity === 0 ? null : new LRUCache({ maxSize: capacity, sizeCalculation })
    this.#now = now
  }

  /** `query` must not reject. */
  get(name: string, query: () => Promise<Fresh<T>>): Promise<Lookup<T>> {
    const entry = this.#entries?.get(name)
    if (entry !== undefined && entry.until > this.#now()) return Promise.resolve(entry.lookup)
    const shared = this.#underWay.get(name)
    if (shared !== undefined) return shared
    const started = query().then(({ lookup, seconds }) => {
      this.#underWay.delete(name)
      if (seconds > 0) this.#entries?.set(name, { lookup, until: this.#now() + seconds * 1000 })
      return lookup
    })
    this.#underWay.set(name, started)
    return started
  }
}
