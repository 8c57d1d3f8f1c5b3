/** Text from HTML away from the thread that serves requests. */
import { Piscina } from 'piscina'
import { textFromHtml } from './text-from-html.ts'

/** Characters up to which HTML is read on the spot: that keeps this thread no longer than handing it to another would. */
const INLINE_LIMIT = 2048
/** Characters up to which documents travel to the thread together: none of them keeps it for more than some milliseconds. */
const SMALL = 16_384
/** Small documents in one message to the thread. */
const MOST_TOGETHER = 64
/** Requests of either size that may wait for the thread; with the input limit this bounds what they hold. */
const WAITING_LIMIT = 1000

/** A document on its way to the thread. */
interface Waiting {
  html: string
  /** Monotonic milliseconds by which it is given up. */
  until: number
  resolve(text: string): void
  reject(error: unknown): void
}

export interface TextThreadOptions {
  /** Characters up to which nothing is handed to the thread. */
  inlineLimit?: number
  /** Memory of the thread in MiB. The largest document accepted needs about a third of the default. */
  memory?: number
  /** Milliseconds, waiting included, after which a request is given up. The costliest document takes about a second. */
  deadline?: number
}

/**
 * Derives text in one worker thread, which starts with the first document that needs it. Should the thread die, the
 * request it had at hand is rejected and those that wait get a new thread. Small documents that come while others are under
 * way go together: a message between threads costs as much as reading one. They take turns with the large ones, for nobody's
 * small message should wait for all that others have to say.
 */
export class TextThread {
  readonly #options: Required<TextThreadOptions>
  readonly #small: Waiting[] = []
  readonly #large: Waiting[] = []
  #working: Promise<void> | undefined
  #pool: Piscina<string[], string[]> | undefined
  #closed = false

  constructor({ inlineLimit = INLINE_LIMIT, memory = 192, deadline = 10_000 }: TextThreadOptions = {}) {
    this.#options = { inlineLimit, memory, deadline }
  }

  /** The text of the HTML; see `textFromHtml`. Rejects when the thread died of it, is overrun, or was closed. */
  async derive(html: string): Promise<string> {
    if (html.length <= this.#options.inlineLimit) return textFromHtml(html)
    if (this.#closed) throw new Error('No text is derived any more: the service is stopping.')
    const until = performance.now() + this.#options.deadline
    const queue = html.length > SMALL ? this.#large : this.#small
    if (queue.length >= WAITING_LIMIT) throw new Error('Too many documents wait for their text.')
    return await new Promise((resolve, reject) => {
      queue.push({ html, until, resolve, reject })
      this.#working ??= this.#work()
    })
  }

  /** Ends the thread when what it was given is done. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#working
    await this.#pool?.close()
  }

  async #work(): Promise<void> {
    while (this.#small.length > 0 || this.#large.length > 0) {
      if (this.#small.length > 0) await this.#answer(this.#small.splice(0, MOST_TOGETHER))
      if (this.#large.length > 0) await this.#answer(this.#large.splice(0, 1))
    }
    this.#working = undefined
  }

  async #answer(together: Waiting[]): Promise<void> {
    try {
      const texts = await this.#run(
        together.map(({ html }) => html),
        together[0]!.until,
      )
      for (const [index, { resolve }] of together.entries()) resolve(texts[index]!)
    } catch (error) {
      for (const { reject } of together) reject(error)
    }
  }

  async #run(htmls: string[], until: number): Promise<string[]> {
    const left = Math.ceil(until - performance.now())
    // Handed over all the same, it would end the thread that has hardly begun with it.
    if (left <= 0) throw new DOMException('The text was not derived in time.', 'AbortError')
    this.#pool ??= this.#start()
    const pool = this.#pool
    const late = AbortSignal.timeout(left)
    try {
      return await pool.run(htmls, { signal: late })
    } catch (error) {
      // A thread that dies while it starts is never replaced by its pool, which then answers nothing any more.
      if (late.aborted) {
        this.#pool = undefined
        void pool.destroy().catch(() => {})
      }
      throw error
    }
  }

  #start(): Piscina<string[], string[]> {
    const pool = new Piscina<string[], string[]>({
      filename: new URL('./text-thread-worker.ts', import.meta.url).href,
      // A minimum of none would leave waiting requests without a thread when the one there was has died.
      minThreads: 1,
      maxThreads: 1,
      maxQueue: WAITING_LIMIT,
      resourceLimits: { maxOldGenerationSizeMb: this.#options.memory, maxYoungGenerationSizeMb: 16 },
    })
    // A thread that dies with nothing to do is missed by nobody; unheard, its error would end the process.
    pool.on('error', () => {})
    return pool
  }
}
