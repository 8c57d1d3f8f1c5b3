/** Group commit: what arrives during a commit shares the next one, so a flood of reports costs few commits. */
import { setImmediate as nextTurn } from 'node:timers/promises'

interface Queued<Item, Result> {
  item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

/** Items of one commit. */
const MOST = 64

export class GroupCommit<Item, Result> {
  readonly #commit: (items: Item[]) => Promise<Result[]>
  #waiting: Queued<Item, Result>[] = []
  #running = false

  /** `commit` returns the results in the order of the items. */
  constructor(commit: (items: Item[]) => Promise<Result[]>) {
    this.#commit = commit
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      void this.#run()
    })
  }

  async #run(): Promise<void> {
    if (this.#running) return
    this.#running = true
    // Mails that were looked up together come one after the other.
    await nextTurn()
    while (this.#waiting.length > 0) {
      const all = this.#waiting.splice(0, MOST)
      try {
        const results = await this.#commit(all.map(({ item }) => item))
        for (const [index, { resolve }] of all.entries()) resolve(results[index]!)
      } catch (error) {
        for (const { reject } of all) reject(error)
      }
    }
    this.#running = false
  }
}
