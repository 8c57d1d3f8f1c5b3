/** A first-in, first-out queue in constant time per step; an array alone shifts in linear time. */
export class Fifo<T> {
  #items: (T | undefined)[] = []
  #head = 0

  get length(): number {
    return this.#items.length - this.#head
  }

  get first(): T | undefined {
    return this.#items[this.#head]
  }

  push(item: T): void {
    this.#items.push(item)
  }

  /** From first to last. */
  *[Symbol.iterator](): Generator<T> {
    for (let at = this.#head; at < this.#items.length; at++) yield this.#items[at]!
  }

  /** Takes time that is linear in the length. */
  remove(item: T): void {
    this.#items = this.#items.slice(this.#head).filter((other) => other !== item)
    this.#head = 0
  }

  shift(): T | undefined {
    if (this.#head === this.#items.length) return undefined
    const item = this.#items[this.#head]
    this.#items[this.#head++] = undefined
    if (this.#head > 1_024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head)
      this.#head = 0
    }
    return item
  }
}
