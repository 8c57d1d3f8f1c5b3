/**
 * Shares calls: items that arrive during one call share the next, so a flood of reports costs few look-ups and commits.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'

interface Queued<Item, Result> {
  item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

/** The most items of one call. */
const MAX = 64

export class SharedCalls<Item, Result> {
  readonly #call: (items: Item[]) => Promise<Result[]>
  #waiting: Queued<Item, Result>[] = []
  #running = false

  /** `call` returns the results in the order of the items. */
  constructor(call: (items: Item[]) => Promise<Result[]>) {
    this.#call = call
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
      const all = this.#waiting.splice(0, MAX)
      try {
        const results = await this.#call(all.map(({ item }) => item))
        for (const [index, { resolve }] of all.entries()) resolve(results[index]!)
      } catch (error) {
        for (const { reject } of all) reject(error)
      }
    }
    this.#running = false
  }
}
