import { Piscina } from 'piscina'
import { Refusal } from '../../intake/refusal.ts'
import type { Submission } from '../../intake/submission.ts'
import { Fault } from '../fault.ts'
import type { Parsed } from './parse-thread.ts'
import { readSubmission } from './submission.ts'

/** From this many octets on a body is read in another thread: 1 MiB of JSON and base64 takes some milliseconds. */
const LARGE = 1_048_576

/** Reads bodies of `POST /emails`: small ones at once, large ones where they keep nobody waiting. */
export class BodyParser {
  #threads: Piscina<Uint8Array, Parsed> | null = null

  /** Throws what `readSubmission` throws. */
  parse(bytes: Buffer): Submission | Promise<Submission> {
    return bytes.length < LARGE ? readSubmission(bytes) : this.#parseElsewhere(bytes)
  }

  async close(): Promise<void> {
    await this.#threads?.close()
    this.#threads = null
  }

  async #parseElsewhere(bytes: Buffer): Promise<Submission> {
    this.#threads ??= this.#start()
    const threads = this.#threads
    // A thread that died had nothing to do with the body, or dies of it again: the octets are kept here for a second try.
    const parsed = await threads.run(bytes).catch(() => threads.run(bytes))
    if ('refusal' in parsed) throw new Refusal(parsed.refusal)
    if ('fault' in parsed) throw new Fault(parsed.fault)
    return parsed.submission
  }

  #start(): Piscina<Uint8Array, Parsed> {
    const threads = new Piscina<Uint8Array, Parsed>({
      filename: new URL('./parse-thread.ts', import.meta.url).href,
      minThreads: 0,
      maxThreads: 2,
      idleTimeout: 30_000,
    })
    // A thread that dies with nothing to do is missed by nobody; unheard, its error would end the process.
    threads.on('error', () => {})
    return threads
  }
}
