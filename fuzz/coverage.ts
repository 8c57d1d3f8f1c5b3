/** Which pieces of the program an input has reached, as V8 counts them. */
import { type Profiler, Session } from 'node:inspector'

/** Reading the counts takes about a millisecond, so inputs are looked at one by one only where a batch has shown something new. */
export class Coverage {
  readonly #session = new Session()
  readonly #under: string
  readonly #seen = new Set<string>()

  /** `under`: URL of the folder whose files count. */
  constructor(under: string) {
    this.#under = under
    this.#session.connect()
    this.#session.post('Profiler.enable')
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  }

  /** What was reached since the last call and never before; `keep` false leaves it new for the next. */
  fresh(keep: boolean): number {
    let fresh = 0
    for (const place of this.#places()) {
      if (this.#seen.has(place)) continue
      fresh++
      if (keep) this.#seen.add(place)
    }
    return fresh
  }

  get size(): number {
    return this.#seen.size
  }

  *#places(): Generator<string> {
    let taken: Profiler.ScriptCoverage[] = []
    // The session of one's own thread answers before `post` returns.
    this.#session.post('Profiler.takePreciseCoverage', (error, { result }) => {
      if (error) throw error
      taken = result
    })
    for (const { url, functions } of taken) {
      if (!url.startsWith(this.#under)) continue
      for (const { ranges } of functions) {
        for (const { startOffset, endOffset, count } of ranges) {
          // How often, roughly: a loop that runs for the tenth time has told something.
          yield `${url}:${startOffset}-${endOffset}:${Math.ceil(Math.log2(count + 1) / 3)}`
        }
      }
    }
  }
}
