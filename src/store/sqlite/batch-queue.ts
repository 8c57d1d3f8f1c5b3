export interface BatchLimits {
  /** Most calls, and (past the first) most octets, in one batch. */
  maxCalls: number
  maxWeight: number
  /** A batch of patient calls alone begins so many milliseconds after the one before. */
  patience: number
}

export interface Entry {
  /** Octets, about. */
  weight: number
  /** Nobody is kept waiting by this one: it goes along with others when they come soon. */
  patient: boolean
}

/**
 * What is to go into the next batch, and when that is to begin: at once, unless nobody waits for any of it. A commit
 * costs as much as what several emails write, so what can wait shares one.
 */
export class BatchQueue<T extends Entry> {
  readonly #limits: BatchLimits
  #entries: T[] = []
  #weight = 0
  #urgent = 0
  #begun = Number.NEGATIVE_INFINITY

  constructor(limits: BatchLimits) {
    this.#limits = limits
  }

  get size(): number {
    return this.#entries.length
  }

  push(entry: T): void {
    this.#entries.push(entry)
    this.#weight += entry.weight
    if (!entry.patient) this.#urgent++
  }

  /** Milliseconds until the next batch is to begin; 0: now. */
  wait(): number {
    const { maxCalls, maxWeight, patience } = this.#limits
    if (this.#urgent > 0 || this.#entries.length >= maxCalls || this.#weight >= maxWeight) return 0
    return Math.max(0, this.#begun + patience - performance.now())
  }

  /** The next batch, which begins now. */
  take(): T[] {
    const { maxCalls, maxWeight } = this.#limits
    let weight = 0
    let count = 0
    let urgent = 0
    for (const entry of this.#entries) {
      if (count > 0 && (weight + entry.weight > maxWeight || count === maxCalls)) break
      weight += entry.weight
      if (!entry.patient) urgent++
      count++
    }
    const batch = count === this.#entries.length ? this.#entries : this.#entries.slice(0, count)
    this.#entries = count === this.#entries.length ? [] : this.#entries.slice(count)
    this.#weight -= weight
    this.#urgent -= urgent
    this.#begun = performance.now()
    return batch
  }

  /** All of it, given up. */
  clear(): T[] {
    const entries = this.#entries
    this.#entries = []
    this.#weight = 0
    this.#urgent = 0
    return entries
  }
}
