interface BatcherOptions<Item> {
  /** Bounds of one batch: items, and their weight, which only the first item may exceed. */
  maxItems: number
  maxWeight: number
  /** Batches under way at once, each on a connection of its own. */
  maxRunning: number
  /**
   * While batches are under way, another one begins when this many items wait; fewer items wait for the end of a batch.
   */
  worthwhile: number
  weigh(item: Item): number
  /** Never rejects: it answers every item. */
  run(items: Item[]): Promise<void>
}

/** Group commit: items that arrive while batches are under way share the next one. */
export class Batcher<Item> {
  readonly #options: BatcherOptions<Item>
  #waiting: Item[] = []
  #running = 0
  #scheduled = false
  #idle: (() => void)[] = []

  constructor(options: BatcherOptions<Item>) {
    this.#options = options
  }

  add(item: Item): void {
    this.#waiting.push(item)
    if (this.#scheduled || !this.#mayBegin()) return
    this.#scheduled = true
    // Other items of the same turn of the event loop come along.
    setImmediate(() => {
      this.#scheduled = false
      this.#begin()
    })
  }

  /** Resolves when no item is waiting or under way. */
  async idle(): Promise<void> {
    if (this.#running === 0 && this.#waiting.length === 0) return
    await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  #mayBegin(): boolean {
    if (this.#running === 0) return this.#waiting.length > 0
    return this.#running < this.#options.maxRunning && this.#waiting.length >= this.#options.worthwhile
  }

  #begin(): void {
    while (this.#mayBegin()) void this.#run(this.#take())
  }

  #take(): Item[] {
    const { maxItems, maxWeight, weigh } = this.#options
    let weight = 0
    let count = 0
    for (const item of this.#waiting) {
      weight += weigh(item)
      if (count > 0 && weight > maxWeight) break
      count++
      if (count === maxItems) break
    }
    const taken = this.#waiting.slice(0, count)
    this.#waiting = this.#waiting.slice(count)
    return taken
  }

  async #run(items: Item[]): Promise<void> {
    this.#running += 1
    try {
      await this.#options.run(items)
    } finally {
      this.#running -= 1
    }
    this.#begin()
    if (this.#running === 0 && this.#waiting.length === 0) {
      for (const resolve of this.#idle.splice(0)) resolve()
    }
  }
}
