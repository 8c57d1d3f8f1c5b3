/** Requests a second of an API key, and of a company with all of its keys. */
import type { Principal } from '../accounts/account.ts'
import type { Visitor } from './admission/visit.ts'
import { Fault } from './fault.ts'

/** Gets `limit` tokens a second, and holds at most those of one second. */
interface Bucket {
  limit: number
  tokens: number
  /** Monotonic milliseconds of the last refill. */
  at: number
}

/** Above this number, buckets that are full again are dropped. */
const SWEEP_AT = 10_000

const capacityOf = (limit: number) => Math.max(1, limit)

/** Token buckets by id. */
export class Buckets {
  readonly #buckets = new Map<string, Bucket>()
  #sweepAt = SWEEP_AT

  /** The bucket, refilled up to `now`. `limit`: requests a second; may be a fraction, and may change between calls. */
  filled(id: string, limit: number, now: number): Bucket {
    const capacity = capacityOf(limit)
    const bucket = this.#buckets.get(id)
    if (bucket === undefined) {
      if (this.#buckets.size >= this.#sweepAt) this.#sweep(now)
      const full = { limit, tokens: capacity, at: now }
      this.#buckets.set(id, full)
      return full
    }
    bucket.tokens = Math.min(capacity, bucket.tokens + ((now - bucket.at) / 1000) * limit)
    bucket.limit = limit
    bucket.at = now
    return bucket
  }

  #sweep(now: number): void {
    for (const [id, { limit, tokens, at }] of this.#buckets) {
      if (tokens + ((now - at) / 1000) * limit >= capacityOf(limit)) this.#buckets.delete(id)
    }
    this.#sweepAt = Math.max(SWEEP_AT, this.#buckets.size * 2)
  }
}

/** Takes one request out of the bucket. Returns 0 when it may pass, otherwise whole seconds until the next one may. */
export function take(bucket: Bucket): number {
  if (bucket.tokens >= 1) {
    bucket.tokens -= 1
    return 0
  }
  return Math.max(1, Math.ceil((1 - bucket.tokens) / bucket.limit))
}

const ALLOWANCE = Symbol('rate limit')

interface CountedVisitor extends Visitor {
  [ALLOWANCE]?: string[]
}

export class RateLimits {
  readonly #perKey: number | null
  readonly #perCompany: (companyId: string) => number | null
  readonly #keys = new Buckets()
  readonly #companies = new Buckets()

  /** Requests a second; null: no limit. */
  constructor(perKey: number | null, perCompany: (companyId: string) => number | null) {
    this.#perKey = perKey
    this.#perCompany = perCompany
  }

  /** Counts a request. Throws a Fault when its key or company has used up its allowance. */
  check(visitor: Visitor, { keyId, companyId }: Principal): void {
    const perCompany = this.#perCompany(companyId)
    if (this.#perKey === null && perCompany === null) return
    const now = performance.now()
    const key = this.#perKey === null ? null : this.#keys.filled(keyId, this.#perKey, now)
    const company = perCompany === null ? null : this.#companies.filled(companyId, perCompany, now)
    // The company first: a request over the company's limit must not count towards its key.
    for (const [of, bucket] of [
      ['company', company],
      ['key', key],
    ] as const) {
      if (bucket === null || bucket.tokens >= 1) continue
      tell(visitor, bucket)
      throw new Fault({ code: 'rate_limited', of, limit: bucket.limit, retryAfter: take(bucket) })
    }
    if (key !== null) take(key)
    if (company !== null) take(company)
    // The client is told the smaller remainder.
    const tighter = key === null || (company !== null && company.tokens < key.tokens) ? company : key
    tell(visitor, tighter!)
  }

  /**
   * The header fields of an answer about the limit: plain integers, as clients expect them on every answer when there
   * is a limit. A request that was refused before its key was known has used up nothing.
   */
  fields(visitor: Visitor, status: number): readonly string[] | undefined {
    const allowance = (visitor as CountedVisitor)[ALLOWANCE]
    if (allowance !== undefined || this.#perKey === null || status < 400) return allowance
    return fieldsOf(this.#perKey, Math.floor(capacityOf(this.#perKey)), 1)
  }
}

function tell(visitor: Visitor, { limit, tokens }: Bucket): void {
  const reset = Math.max(1, Math.ceil((capacityOf(limit) - tokens) / limit))
  ;(visitor as CountedVisitor)[ALLOWANCE] = fieldsOf(limit, Math.floor(tokens), reset)
}

/** draft-ietf-httpapi-ratelimit-headers-06 4. `reset`: seconds until the full quota is available. */
function fieldsOf(limit: number, remaining: number, reset: number): string[] {
  const quota = String(Math.floor(capacityOf(limit)))
  return [
    'ratelimit-limit',
    quota,
    'ratelimit-policy',
    `${quota};w=1`,
    'ratelimit-remaining',
    String(remaining),
    'ratelimit-reset',
    String(reset),
  ]
}
