/**
 * The one rule by which companies share a resource (requests under way, connections, octets, sessions): each may take
 * more only while it holds less than a multiple of what is free. So one company alone gets nearly all, the more
 * companies there are the less each may hold, and something is left for one that has nothing yet. (Dynamic thresholds,
 * as in the buffers of switches: Choudhury and Hahne, 1998.)
 */

export interface PoolShape {
  /** The whole resource. */
  size: number
  /** This much of it is kept for companies that hold nothing yet. */
  kept: number
  /** A company may hold up to this many times what is free: with 1 half of all, with 3 three quarters. */
  timesFree: number
}

export class SharedPool {
  readonly #shape: PoolShape
  #taken = 0

  constructor(shape: PoolShape) {
    this.#shape = shape
  }

  get taken(): number {
    return this.#taken
  }

  get size(): number {
    return this.#shape.size
  }

  /** True when nothing is left, not even for those that hold nothing. */
  get exhausted(): boolean {
    return this.#taken >= this.#shape.size
  }

  /** Tells whether a company that holds `held` may take more. */
  allows(held: number): boolean {
    if (held === 0) return this.#taken < this.#shape.size
    return held < this.#shape.timesFree * (this.#shape.size - this.#shape.kept - this.#taken)
  }

  /** The most that a company that holds `held` may hold at once, if the others keep what they have. */
  shareOf(held: number): number {
    const { size, kept, timesFree } = this.#shape
    return (timesFree * (size - kept - (this.#taken - held))) / (1 + timesFree)
  }

  /**
   * Tells whether there is room for `amount` in one piece. An amount beyond the whole has room when nothing is taken.
   */
  fits(amount: number): boolean {
    return this.#taken === 0 || this.#taken + amount <= this.#shape.size
  }

  take(amount: number): void {
    this.#taken += amount
  }

  give(amount: number): void {
    this.#taken -= amount
  }
}
