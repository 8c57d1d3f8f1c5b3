import { SharedPool } from '../common/shared-pool.ts'
import type { ReadyDelivery } from './deliveries.ts'

export interface HoldingLimits {
  /**
   * Limits of memory: deliveries that wait, and octets of messages (those under way included). Companies that hold
   * nothing yet may go beyond them, by octets up to twice as far.
   */
  maxDeliveries: number
  maxBytes: number
}

/** The holding of one company. */
interface Holding {
  /** Deliveries that wait in memory. */
  waiting: number
  underWay: number
  /** Octets of its deliveries, waiting and under way. */
  bytes: number
}

/**
 * Each company's share of the memory. A company may add work only while it holds less than what is free: the more
 * companies there are, the less each may hold, and some memory is left for a company that holds nothing yet. Such a
 * company gets a place whatever the limits say.
 */
export class Holdings {
  readonly #maxDeliveries: number
  readonly #companies = new Map<string, Holding>()
  readonly #places: SharedPool
  readonly #octets: SharedPool

  constructor({ maxDeliveries, maxBytes }: HoldingLimits) {
    this.#maxDeliveries = maxDeliveries
    this.#places = new SharedPool({ size: maxDeliveries, kept: 0, timesFree: 1 })
    // As much again is kept for companies that hold nothing yet.
    this.#octets = new SharedPool({ size: 2 * maxBytes, kept: maxBytes, timesFree: 1 })
  }

  /** Deliveries that wait. */
  get waiting(): number {
    return this.#places.taken
  }

  get bytes(): number {
    return this.#octets.taken
  }

  /** Places left for deliveries of any company. */
  get room(): number {
    return Math.max(0, this.#maxDeliveries - this.#places.taken)
  }

  /**
   * True when even companies that hold nothing must wait: their first messages together would be too much for the
   * memory.
   */
  get overfull(): boolean {
    return this.#octets.exhausted
  }

  /** True when the company may add work. `times`: counts its present work this many times. */
  allow(companyId: string, times = 1): boolean {
    const holding = this.#companies.get(companyId)
    if (holding === undefined) return !this.overfull
    return this.#places.allows(holding.waiting * times) && this.#octets.allows(holding.bytes * times)
  }

  /** Companies that may not add work. */
  full(): string[] {
    return [...this.#companies.keys()].filter((id) => !this.allow(id))
  }

  /** The delivery waits from now on. */
  add({ email, size }: ReadyDelivery): void {
    let holding = this.#companies.get(email.companyId)
    if (holding === undefined) {
      holding = { waiting: 0, underWay: 0, bytes: 0 }
      this.#companies.set(email.companyId, holding)
    }
    holding.waiting++
    holding.bytes += size
    this.#places.take(1)
    this.#octets.take(size)
  }

  /** The delivery goes from waiting to under way. */
  begin({ email }: ReadyDelivery): void {
    const holding = this.#companies.get(email.companyId)!
    holding.waiting--
    holding.underWay++
    this.#places.give(1)
  }

  /** The delivery was under way, and has ended. */
  finish({ email, size }: ReadyDelivery): void {
    const { companyId } = email
    const holding = this.#companies.get(companyId)!
    holding.underWay--
    holding.bytes -= size
    this.#octets.give(size)
    if (holding.waiting === 0 && holding.underWay === 0) this.#companies.delete(companyId)
  }

  /** Removes a waiting delivery as if it had never been added. */
  remove(ready: ReadyDelivery): void {
    this.begin(ready)
    this.finish(ready)
  }
}
