import { LRUCache } from 'lru-cache'
import type { Lookup } from './lookup.ts'

/** The result of a look-up, and for how many seconds it may be used again. */
export interface CacheableLookup<T> {
  lookup: Lookup<T>
  seconds: number
}

interface CacheEntry<T> {
  lookup: Lookup<T>
  /** Milliseconds of the cache's clock. */
  until: number
}

/** Octets for which a record takes one more place: a TXT or TLSA record may have 64 KiB. */
const PLACE_OCTETS = 512

function places(record: unknown): number {
  const { data } = record as { data?: Buffer }
  const length = typeof record === 'string' ? record.length : (data?.length ?? 0)
  return 1 + Math.floor(length / PLACE_OCTETS)
}

/**
 * Remembers look-ups of one record type for as long as they may be used, and lets all concurrent callers for a name
 * share one query. Holds at most `capacity` records, because any zone can give a name thousands, and a long record
 * counts as several; the least recently used name goes first. With a capacity of 0 only queries under way are shared.
 */
export class LookupCache<T> {
  /** Null when nothing is remembered. */
  readonly #entries: LRUCache<string, CacheEntry<T>> | null
  readonly #underWay = new Map<string, Promise<Lookup<T>>>()
  readonly #now: () => number

  /** `now`: a monotonic clock in milliseconds. */
  constructor(capacity: number, now: () => number) {
    // An answer without records takes a place as well.
    const sizeCalculation = ({ lookup }: CacheEntry<T>) =>
      lookup.kind === 'found'
        ? Math.max(
            1,
            lookup.records.reduce((size, record) => size + places(record), 0),
          )
        : 1
    this.#entries = capacity === 0 ? null : new LRUCache({ maxSize: capacity, sizeCalculation })
    this.#now = now
  }

  /** `query` must not reject. */
  get(name: string, query: () => Promise<CacheableLookup<T>>): Promise<Lookup<T>> {
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
