import { LRUCache } from 'lru-cache'

type CacheOptions<Value extends object | string | number | boolean> = Omit<
  LRUCache.Options<string, Value, unknown>,
  'max' | 'maxSize' | 'sizeCalculation'
>

/**
 * A cache that drops the entry unused for longest when it holds `most`. It takes memory for the entries that it holds:
 * `max` of lru-cache would allocate its arrays for all of them at once, which was 5 MB for a service that had sent
 * nothing.
 */
export class RecentEntries<Value extends object | string | number | boolean> extends LRUCache<string, Value> {
  constructor(most: number, options: CacheOptions<Value> = {}) {
    super({ ...options, maxSize: most, sizeCalculation: () => 1 })
  }
}

/**
 * The same for entries of different sizes: at most `room` together, and at most `most` of them, because a small entry
 * counts for an equal share of the room.
 */
export class SizedEntries<Value extends object> extends LRUCache<string, Value> {
  readonly #share: number

  constructor(most: number, room: number, options: CacheOptions<Value> = {}) {
    super({ ...options, maxSize: room })
    this.#share = Math.max(1, Math.floor(room / most))
  }

  /** `size`: of the entry, in the unit of `room`. */
  put(key: string, value: Value, size: number): void {
    this.set(key, value, { size: Math.max(this.#share, size) })
  }
}
