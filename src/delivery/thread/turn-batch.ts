/**
 * Gathers the items of one turn of the event loop and posts them together: a message between threads costs far more
 * than its content.
 */
export class TurnBatch<T> {
  readonly #say: (items: T[]) => void
  #items: T[] = []

  constructor(say: (items: T[]) => void) {
    this.#say = say
  }

  add(item: T): void {
    if (this.#items.length === 0) setImmediate(this.flush)
    this.#items.push(item)
  }

  /** Drops the items that have not been posted. */
  clear(): void {
    this.#items = []
  }

  /** Posts at once the items gathered so far. */
  readonly flush = (): void => {
    if (this.#items.length === 0) return
    const items = this.#items
    this.#items = []
    this.#say(items)
  }
}
