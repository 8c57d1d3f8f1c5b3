/** Text from HTML away from the thread that serves requests. */
import { Piscina } from 'piscina'
import { textFromHtml } from './text-from-html.ts'

/** Characters up to which HTML is read on the spot: that keeps this thread no longer than handing it to another would. */
const INLINE_LIMIT = 2048
/** Requests that may wait for the thread; with the input limit this bounds what they hold. */
const WAITING_LIMIT = 1000

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
 * request it had at hand is rejected and those that wait get a new thread.
 */
export class TextThread {
  readonly #options: Required<TextThreadOptions>
  #pool: Piscina<string, string> | undefined
  #closed = false

  constructor({ inlineLimit = INLINE_LIMIT, memory = 192, deadline = 10_000 }: TextThreadOptions = {}) {
    this.#options = { inlineLimit, memory, deadline }
  }

  /** The text of the HTML; see `textFromHtml`. Rejects when the thread died of it, is overrun, or was closed. */
  async derive(html: string): Promise<string> {
    if (html.length <= this.#options.inlineLimit) return textFromHtml(html)
    if (this.#closed) throw new Error('No text is derived any more: the service is stopping.')
    this.#pool ??= this.#start()
    return await this.#pool.run(html, { signal: AbortSignal.timeout(this.#options.deadline) })
  }

  /** Ends the thread when what it was given is done. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#pool?.close()
  }

  #start(): Piscina<string, string> {
    return new Piscina<string, string>({
      filename: new URL('./text-thread-worker.ts', import.meta.url).href,
      // A minimum of none would leave waiting requests without a thread when the one there was has died.
      minThreads: 1,
      maxThreads: 1,
      maxQueue: WAITING_LIMIT,
      resourceLimits: { maxOldGenerationSizeMb: this.#options.memory, maxYoungGenerationSizeMb: 16 },
    })
  }
}
