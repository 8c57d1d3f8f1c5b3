/**
 * A queue without duplicates: an item that is taken and still needed is added again at the end. All steps take constant
 * time.
 */
export class UniqueQueue {
  #queue: string[] = []
  #head = 0
  readonly #members = new Set<string>()

  get size(): number {
    return this.#members.size
  }

  add(item: string): void {
    if (this.#members.has(item)) return
    this.#members.add(item)
    this.#queue.push(item)
  }

  /** Puts an item that could not use its turn at the front. */
  addFirst(item: string): void {
    if (this.#members.has(item)) return
    this.#members.add(item)
    if (this.#head > 0) this.#queue[--this.#head] = item
    else this.#queue.unshift(item)
  }

  take(): string | undefined {
    while (this.#head < this.#queue.length) {
      const item = this.#queue[this.#head++]!
      if (this.#head > 1_024 && this.#head * 2 > this.#queue.length) {
        this.#queue = this.#queue.slice(this.#head)
        this.#head = 0
      }
      if (this.#members.delete(item)) return item
    }
    this.#queue = []
    this.#head = 0
    return undefined
  }

  remove(item: string): void {
    this.#members.delete(item)
  }
}
