/**
 * The one rule by which companies share what there is of something (requests under way, connections, octets, sessions):
 * each may take more only while what it has is less than a multiple of what is free. So one alone gets nearly all, the
 * more press the less each may hold, and something is left for one that has nothing yet. (Dynamic thresholds, as
 * switches share their buffers: Choudhury and Hahne, 1998.)
 */

export interface PoolShape {
  /** All there is. */
  size: number
  /** This much of it goes to those alone that have nothing yet. */
  kept: number
  /** One may have up to this many times what is free: with 1 half of all, with 3 three quarters. */
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

  /** Nothing is left, not even for those that have nothing. */
  get exhausted(): boolean {
    return this.#taken >= this.#shape.size
  }

  /** May one that has `held` take more? */
  allows(held: number): boolean {
    if (held === 0) return this.#taken < this.#shape.size
    return held < this.#shape.timesFree * (this.#shape.size - this.#shape.kept - this.#taken)
  }

  /** Is there room for `amount` in one piece? What is more than all there is has room when nothing is taken. */
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
