/** A memory of the database's state, which saves reading it. */
export interface StateCache {
  /** The memory may be wrong from now on. */
  forget(): void
  /** Writes the part that the database does not have yet. */
  settle?(): void
}

/**
 * Everything that the writer remembers of the database. When a transaction is rolled back, its effects must be
 * forgotten.
 */
export class StateCaches {
  readonly #all: StateCache[] = []

  /** Must be called when a memory is made. Returns its argument. */
  keep<T extends StateCache>(remembered: T): T {
    this.#all.push(remembered)
    return remembered
  }

  /** Must be called before a commit, and before a savepoint. */
  settle(): void {
    for (const remembered of this.#all) remembered.settle?.()
  }

  /** A transaction was rolled back, wholly or in part, or another process wrote. */
  forget(): void {
    for (const remembered of this.#all) remembered.forget()
  }
}
