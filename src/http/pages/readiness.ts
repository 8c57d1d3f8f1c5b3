import { Gauge, type Registry } from 'prom-client'
import type { HttpDeps } from '../deps.ts'

/** Milliseconds that the store has to confirm that it accepts commits. */
const READY_WITHIN = 5_000

/**
 * Ms for which a successful check counts, unless a request finds otherwise. After a failed check, every question causes
 * a new one: it writes nothing.
 */
const READY_HOLDS = 1_000

/** Octets that must be free after a refusal: a disk that is full for mail may still take tiny writes for hours. */
const ROOM = 1024 * 1024

/**
 * Anyone may ask, and each check costs a commit; so simultaneous questions share one, and a successful one counts for a
 * while.
 */
export class Readiness {
  readonly #deps: Pick<HttpDeps, 'ready' | 'log'>
  #asking: Promise<boolean> | null = null
  #until = 0
  /** Refusals and failed checks since the last successful one. */
  #doubts = 0
  /** The state last logged. */
  #reported = true

  constructor(deps: Pick<HttpDeps, 'ready' | 'log'>) {
    this.#deps = deps
  }

  measure(registry: Registry): void {
    const gauge: Gauge = new Gauge({
      name: 'postroad_ready',
      help: '1 while mail can be accepted, as /ready reports; 0 from the first failed request until a database check succeeds again.',
      registers: [registry],
      collect: () => {
        gauge.set(this.#doubts > 0 ? 0 : 1)
        // A scrape does not wait: the next one shows the result.
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

  /** Mail could not be accepted: the next question causes a new check. */
  doubt(): void {
    this.#doubts++
    this.#until = 0
  }

  /** The store's error, or null when it accepts commits. */
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

  /** Logged once for each change: load balancers ask every few seconds. */
  #tell(error: unknown): void {
    const ready = error === null
    if (ready === this.#reported) return
    this.#reported = ready
    if (ready) this.#deps.log.info('ready again: mail can be accepted')
    else this.#deps.log.warn({ err: error }, 'not ready: mail cannot be accepted now')
  }
}
