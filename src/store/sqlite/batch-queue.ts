export interface BatchLimits {
  /** Bounds of one batch: calls, and octets, which only the first call may exceed. */
  maxCalls: number
  maxWeight: number
  /**
   * A batch of only patient calls begins no sooner than this many milliseconds after the beginning of the last batch.
   */
  patience: number
}

export interface BatchEntry {
  /** Octets, roughly. */
  weight: number
  /** No caller waits for this call: it may wait for others and share their batch. */
  patient: boolean
}

/**
 * Collects the calls of the next batch, and decides when that begins: at once, unless all of its calls are patient. A
 * commit costs as much as the writes of several emails, so calls that can wait share one.
 */
export class BatchQueue<T extends BatchEntry> {
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

  /** Milliseconds until the next batch begins; 0: now. */
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

  /** Removes and returns all calls. */
  clear(): T[] {
    const entries = this.#entries
    this.#entries = []
    this.#weight = 0
    this.#urgent = 0
    return entries
  }
}
