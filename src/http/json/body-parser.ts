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

  /** Throws what `readSubmission` throws. `bytes` must not be used afterwards. */
  parse(bytes: Buffer): Submission | Promise<Submission> {
    return bytes.length < LARGE ? readSubmission(bytes) : this.#parseElsewhere(bytes)
  }

  async close(): Promise<void> {
    await this.#threads?.close()
    this.#threads = null
  }

  async #parseElsewhere(bytes: Buffer): Promise<Submission> {
    this.#threads ??= new Piscina<Uint8Array, Parsed>({
      filename: new URL('./parse-thread.ts', import.meta.url).href,
      minThreads: 0,
      maxThreads: 2,
      idleTimeout: 30_000,
    })
    const { buffer } = bytes
    const transferList =
      buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength ? [buffer] : []
    const parsed = await this.#threads.run(bytes, { transferList })
    if ('refusal' in parsed) throw new Refusal(parsed.refusal)
    if ('fault' in parsed) throw new Fault(parsed.fault)
    return parsed.submission
  }
}
