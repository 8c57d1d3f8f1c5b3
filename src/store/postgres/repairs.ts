/** Milliseconds between two attempts. */
const PAUSE_MS = 500

/** What has to be put right once the database can be reached again. Tried until it succeeds, in the order it came. */
export class Repairs {
  readonly #left: (() => Promise<void>)[] = []
  #running: Promise<void> | null = null
  #timer: NodeJS.Timeout | null = null

  add(repair: () => Promise<void>): void {
    this.#left.push(repair)
    this.#wait()
  }

  /** Tries once more what is left. */
  async close(): Promise<void> {
    await this.#running
    if (this.#timer !== null) clearTimeout(this.#timer)
    await this.#run()
    if (this.#timer !== null) clearTimeout(this.#timer)
  }

  #wait(): void {
    if (this.#timer !== null || this.#running !== null || this.#left.length === 0) return
    this.#timer = setTimeout(() => {
      this.#timer = null
      this.#running = this.#run().finally(() => {
        this.#running = null
        this.#wait()
      })
    }, PAUSE_MS)
  }

  async #run(): Promise<void> {
    try {
      for (let next = this.#left[0]; next !== undefined; next = this.#left[0]) {
        await next()
        this.#left.shift()
      }
    } catch {
      // Still away, or away again.
    }
  }
}
