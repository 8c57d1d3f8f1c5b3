/**
 * Gathers what is to be said in one turn of the event loop and says it together: a message between threads costs far
 * more than what it carries.
 */
export class Gathered<T> {
  readonly #say: (items: T[]) => void
  #items: T[] = []

  constructor(say: (items: T[]) => void) {
    this.#say = say
  }

  add(item: T): void {
    if (this.#items.length === 0) setImmediate(this.flush)
    this.#items.push(item)
  }

  /** Takes back what has not been said. */
  clear(): void {
    this.#items = []
  }

  /** Says at once what has been gathered so far. */
  readonly flush = (): void => {
    if (this.#items.length === 0) return
    const items = this.#items
    this.#items = []
    this.#say(items)
  }
}
