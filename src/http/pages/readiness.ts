import type { HttpDeps } from '../deps.ts'

/** Milliseconds the store may take to say that it takes commits. */
const READY_WITHIN = 5_000

/**
 * Ms for which the store is believed to take commits, unless a request finds otherwise. That it does not is asked again
 * each time: a failed look has written nothing.
 */
const READY_HOLDS = 1_000

/**
 * Anybody may ask, and each look costs a commit; so all who ask at once share one, and for a while after one that went
 * through.
 */
export class Readiness {
  readonly #deps: Pick<HttpDeps, 'ready' | 'log'>
  #asking: Promise<boolean> | null = null
  #until = 0

  constructor(deps: Pick<HttpDeps, 'ready' | 'log'>) {
    this.#deps = deps
  }

  /** True when mail can be accepted now. */
  ask(): true | Promise<boolean> {
    if (performance.now() < this.#until) return true
    this.#asking ??= this.#look().finally(() => {
      this.#asking = null
    })
    return this.#asking
  }

  async #look(): Promise<boolean> {
    const ready = await this.#probe()
    this.#until = ready ? performance.now() + READY_HOLDS : 0
    return ready
  }

  /** Something could not be accepted: the next who asks has a new look taken. */
  doubt(): void {
    this.#until = 0
  }

  async #probe(): Promise<boolean> {
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(
      () => late.reject(new Error(`no answer within ${READY_WITHIN} ms`)),
      READY_WITHIN,
    )
    try {
      await Promise.race([this.#deps.ready(), late.promise])
      return true
    } catch (err) {
      this.#deps.log.warn({ err }, 'not ready')
      return false
    } finally {
      clearTimeout(timer)
    }
  }
}
