/** Text from HTML away from the thread that serves requests. */
import { Piscina } from 'piscina'
import { textFromHtml } from './text-from-html.ts'

/** Characters up to which HTML is read on the spot: that keeps this thread no longer than handing it to another would. */
const INLINE_LIMIT = 2048
/** Characters up to which documents travel to the thread together: none of them keeps it for more than some milliseconds. */
const SMALL = 16_384
/** Small documents in one message to the thread. */
const MOST_TOGETHER = 64
/** Requests that may wait for the thread; with the input limit this bounds what they hold. */
const WAITING_LIMIT = 1000

/** A small document on its way to the thread. */
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
 * way go together: a message between threads costs as much as reading one.
 */
export class TextThread {
  readonly #options: Required<TextThreadOptions>
  readonly #small: Waiting[] = []
  #sending: Promise<void> | undefined
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
    if (html.length > SMALL) return (await this.#run([html], until))[0]!
    if (this.#small.length >= WAITING_LIMIT) throw new Error('Too many documents wait for their text.')
    return await new Promise((resolve, reject) => {
      this.#small.push({ html, until, resolve, reject })
      this.#sending ??= this.#sendSmall()
    })
  }

  /** Ends the thread when what it was given is done. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#sending
    await this.#pool?.close()
  }

  async #sendSmall(): Promise<void> {
    while (this.#small.length > 0) {
      const together = this.#small.splice(0, MOST_TOGETHER)
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
    this.#sending = undefined
  }

  async #run(htmls: string[], until: number): Promise<string[]> {
    this.#pool ??= this.#start()
    const left = Math.max(0, Math.ceil(until - performance.now()))
    return await this.#pool.run(htmls, { signal: AbortSignal.timeout(left) })
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
