/**
 * What the webhooks of a node share, such as requests under way and octets in memory: companies share it, and the
 * webhooks of a company what is the company's.
 */
import { type PoolShape, SharedPool } from '../../common/shared-pool.ts'

/** For a webhook that has nothing yet its company may have this many times as much as for the others. */
const NEWCOMERS = 3

export class Shares {
  readonly #pool: SharedPool
  readonly #companies = new Map<string, number>()

  constructor(shape: PoolShape) {
    this.#pool = new SharedPool(shape)
  }

  get taken(): number {
    return this.#pool.taken
  }

  get exhausted(): boolean {
    return this.#pool.exhausted
  }

  /** Of one webhook. */
  of(companyId: string): Share {
    return new Share(this, companyId)
  }

  /** May one that has `held` take more? That counts as its company's, and once more as its own. */
  allows(companyId: string, held: number): boolean {
    const ofCompany = this.#companies.get(companyId) ?? 0
    return this.#pool.allows(held === 0 ? ofCompany / NEWCOMERS : ofCompany + held)
  }

  take(companyId: string, amount: number): void {
    this.#pool.take(amount)
    const held = (this.#companies.get(companyId) ?? 0) + amount
    if (held === 0) this.#companies.delete(companyId)
    else this.#companies.set(companyId, held)
  }
}

export class Share {
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
