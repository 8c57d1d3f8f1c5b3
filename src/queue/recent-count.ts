/**
 * Counts what happened in the last minute or hour, in slots: what is older than all slots is forgotten slot by slot.
 */
export class RecentCount {
  readonly #slots: Uint32Array
  readonly #slotMs: number
  /** Number of the newest slot since the beginning of the clock. */
  #newest = Number.NEGATIVE_INFINITY
  #total = 0

  constructor(slots: number, slotMs: number) {
    this.#slots = new Uint32Array(slots)
    this.#slotMs = slotMs
  }

  add(now: number): void {
    this.#advance(now)
    this.#slots[this.#newest % this.#slots.length]! += 1
    this.#total += 1
  }

  total(now: number): number {
    this.#advance(now)
    return this.#total
  }

  #advance(now: number): void {
    const slot = Math.floor(now / this.#slotMs)
    if (slot <= this.#newest) return
    const { length } = this.#slots
    if (slot - this.#newest >= length) {
      this.#slots.fill(0)
      this.#total = 0
    } else {
      for (let at = this.#newest + 1; at <= slot; at++) {
        this.#total -= this.#slots[at % length]!
        this.#slots[at % length] = 0
      }
    }
    this.#newest = slot
  }
}
