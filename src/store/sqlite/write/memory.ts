/** Something that is known of the database without asking it. */
export interface Remembered {
  /** It may be wrong from now on. */
  forget(): void
  /** Writes what the database does not have yet. */
  settle?(): void
}

/**
 * All that the writer remembers between two statements: what a transaction has brought goes with it when it is undone.
 */
export class Memory {
  readonly #all: Remembered[] = []

  /** To be called as it is made. Returns what it was given. */
  keep<T extends Remembered>(remembered: T): T {
    this.#all.push(remembered)
    return remembered
  }

  /** To be called before a commit, and before a point to which a transaction may be taken back. */
  settle(): void {
    for (const remembered of this.#all) remembered.settle?.()
  }

  /** A transaction was undone, wholly or in part, or another process wrote. */
  forget(): void {
    for (const remembered of this.#all) remembered.forget()
  }
}
