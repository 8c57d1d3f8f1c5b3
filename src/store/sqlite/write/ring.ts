/**
 * A queue without duplicates: what is taken and still wanted is added again at the end. All steps take constant time.
 */
export class Ring {
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

  /** It did not get what its turn was for: it comes first again. */
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
