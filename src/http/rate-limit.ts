/** A token bucket for each API key: `limit` requests a second, and as many at once after a pause. */

import { Fault } from './fault.ts'

interface Bucket {
  tokens: number
  /** Monotonic milliseconds of the last refill. */
  at: number
}

/** Buckets are dropped once there are more than this many and they are full again. */
const SWEEP_AT = 10_000

export class RateLimiter {
  readonly limit: number
  readonly #buckets = new Map<string, Bucket>()
  #sweepAt = SWEEP_AT

  /** `limit`: requests per second and key; may be a fraction. */
  constructor(limit: number) {
    this.limit = limit
  }

  /** Takes one request out of the key's bucket. 0 when it may pass, else whole seconds until the next one may. */
  take(keyId: string, now: number = performance.now()): number {
    const capacity = Math.max(1, this.limit)
    const bucket = this.#buckets.get(keyId)
    if (!bucket) {
      if (this.#buckets.size >= this.#sweepAt) this.#sweep(now, capacity)
      this.#buckets.set(keyId, { tokens: capacity - 1, at: now })
      return 0
    }
    bucket.tokens = Math.min(capacity, bucket.tokens + ((now - bucket.at) / 1000) * this.limit)
    bucket.at = now
    if (bucket.tokens >= 1) {
      bucket.tokens -= 1
      return 0
    }
    return Math.max(1, Math.ceil((1 - bucket.tokens) / this.limit))
  }

  /** Throws a Fault when the key has used up what it may ask for now. */
  check(keyId: string): void {
    const retryAfter = this.take(keyId)
    if (retryAfter > 0) throw new Fault({ code: 'rate_limited', limit: this.limit, retryAfter })
  }

  #sweep(now: number, capacity: number): void {
    for (const [keyId, bucket] of this.#buckets) {
      if (bucket.tokens + ((now - bucket.at) / 1000) * this.limit >= capacity) this.#buckets.delete(keyId)
    }
    this.#sweepAt = Math.max(SWEEP_AT, this.#buckets.size * 2)
  }
}
