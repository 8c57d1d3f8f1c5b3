/**
 * Resources that the webhooks of a node share, such as requests under way and octets in memory: shared fairly between
 * companies, and within a company between its webhooks.
 */
import { type PoolShape, SharedPool } from '../../common/shared-pool.ts'
import { Tally } from '../../common/tally.ts'

/** A company may take this many times its share for a webhook that has nothing yet. */
const NEWCOMERS = 3

export class Shares {
  readonly #pool: SharedPool
  readonly #companies = new Tally()

  constructor(shape: PoolShape) {
    this.#pool = new SharedPool(shape)
  }

  get taken(): number {
    return this.#pool.taken
  }

  get exhausted(): boolean {
    return this.#pool.exhausted
  }

  /** The share of one webhook. */
  shareOf(companyId: string): QueueShare {
    return new QueueShare(this, companyId)
  }

  /**
   * Whether a webhook that holds `held` may take more. This amount counts twice: for its company, and for the webhook
   * itself.
   */
  allows(companyId: string, held: number): boolean {
    const ofCompany = this.#companies.of(companyId)
    return this.#pool.allows(held === 0 ? ofCompany / NEWCOMERS : ofCompany + held)
  }

  take(companyId: string, amount: number): void {
    this.#pool.take(amount)
    this.#companies.add(companyId, amount)
  }
}

export class QueueShare {
  readonly #shares: Shares
  readonly #companyId: string
  #held = 0

  constructor(shares: Shares, companyId: string) {
    this.#shares = shares
    this.#companyId = companyId
  }

  get held(): number {
    return this.#held
  }

  get mayTake(): boolean {
    return this.#shares.allows(this.#companyId, this.#held)
  }

  take(amount: number): void {
    this.#held += amount
    this.#shares.take(this.#companyId, amount)
  }

  give(amount: number): void {
    this.take(-amount)
  }
}
