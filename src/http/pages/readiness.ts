import { Gauge, type Registry } from 'prom-client'
import type { HttpDeps } from '../deps.ts'

/** Milliseconds the store may take to say that it takes commits. */
const READY_WITHIN = 5_000

/**
 * Ms for which the store is believed to take commits, unless a request finds otherwise. That it does not is asked again
 * each time: a failed look has written nothing.
 */
const READY_HOLDS = 1_000

/**
 * Octets that there has to be room for once something was refused: on a disk that is full for mail, something tiny can
 * be written for hours.
 */
const ROOM = 1024 * 1024

/**
 * Anybody may ask, and each look costs a commit; so all who ask at once share one, and for a while after one that went
 * through.
 */
export class Readiness {
  readonly #deps: Pick<HttpDeps, 'ready' | 'log'>
  #asking: Promise<boolean> | null = null
  #until = 0
  /** How often something was refused, or a look failed, since the last one that went through. */
  #doubts = 0
  /** What the log was told last. */
  #told = true

  constructor(deps: Pick<HttpDeps, 'ready' | 'log'>) {
    this.#deps = deps
  }

  measure(registry: Registry): void {
    const gauge: Gauge = new Gauge({
      name: 'postroad_ready',
      help: '1 while mail can be accepted, as /ready says; 0 from the first request on that could not be, until a look at the database went through again.',
      registers: [registry],
      collect: () => {
        gauge.set(this.#doubts > 0 ? 0 : 1)
        // Who scrapes is not kept waiting: what is found out now, the next page shows.
        void this.ask()
      },
    })
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
    const doubts = this.#doubts
    const error = await this.#probe()
    const ready = error === null
    if (!ready) this.doubt()
    else if (this.#doubts === doubts) {
      this.#doubts = 0
      this.#until = performance.now() + READY_HOLDS
    }
    this.#tell(error)
    return ready
  }

  /** Something could not be accepted: the next who asks has a new look taken. */
  doubt(): void {
    this.#doubts++
    this.#until = 0
  }

  /** What the store says, or null when it takes commits. */
  async #probe(): Promise<unknown> {
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(
      () => late.reject(new Error(`no answer within ${READY_WITHIN} ms`)),
      READY_WITHIN,
    )
    try {
      await Promise.race([this.#deps.ready(this.#doubts > 0 ? ROOM : 0), late.promise])
      return null
    } catch (error) {
      return error
    } finally {
      clearTimeout(timer)
    }
  }

  /** Once for each time that it changes: balancers ask every few seconds. */
  #tell(error: unknown): void {
    const ready = error === null
    if (ready === this.#told) return
    this.#told = ready
    if (ready) this.#deps.log.info('ready again: mail can be accepted')
    else this.#deps.log.warn({ err: error }, 'not ready: mail cannot be accepted now')
  }
}
