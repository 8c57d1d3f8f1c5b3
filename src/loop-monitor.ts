/**
 * How long the main thread holds, and for whom. While it works on one thing nothing else is answered; so every hold is measured, and a
 * long one is told with the name of what was being worked on.
 */
import { Counter, Histogram, type Registry } from 'prom-client'
import type { Logger } from './log.ts'
import { Seldom } from './seldom.ts'

/** Ms between ticks of the stopwatch. A tick that comes late tells how long something held. */
const TICK = 20
/** Ms of a hold that is told. */
const STALL = 50
/** Ms: a hold is told at most once in so many. */
const TOLD_EVERY = 1_000

/** What the log says of something that was worked on: its id, company, octets. Asked only when it is told. */
export type Describe<Subject> = (subject: Subject) => object

interface Work {
  describe: Describe<never> | null
  subject: unknown
  /** Monotonic ms when it was begun. */
  at: number
}

export class LoopMonitor {
  readonly #log: Logger
  readonly #held: Histogram
  readonly #stalls: Counter
  readonly #seldom = new Seldom(TOLD_EVERY)
  /** Filled anew each time: noting what is worked on must cost nothing. */
  #current: Work = { describe: null, subject: null, at: 0 }
  /** What the longest stretch since the last tick was for. */
  #longest: Work = { describe: null, subject: null, at: 0 }
  #stretch = 0
  #tickAt = performance.now()
  #timer: NodeJS.Timeout | undefined

  constructor(registry: Registry, log: Logger) {
    this.#log = log
    this.#held = new Histogram({
      name: 'postroad_main_thread_held_seconds',
      help: 'How long the main thread worked on one thing while others waited, where that was noticeable.',
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
      registers: [registry],
    })
    this.#stalls = new Counter({
      name: 'postroad_main_thread_stalls_total',
      help: `Times the main thread held for more than ${STALL} ms.`,
      registers: [registry],
    })
  }

  start(): void {
    this.#tickAt = performance.now()
    this.#timer = setInterval(() => this.#tick(), TICK)
    this.#timer.unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** From now on the thread works on this, until something else is said or it has nothing to do. */
  on<Subject>(describe: Describe<Subject>, subject: Subject): void {
    const now = performance.now()
    this.#close(now)
    const current = this.#current
    current.describe = describe as Describe<never>
    current.subject = subject
    current.at = now
  }

  /** Keeps what was worked on until now if nothing else took longer. */
  #close(now: number): void {
    const ended = this.#current
    if (ended.describe === null || now - ended.at <= this.#stretch) return
    this.#stretch = now - ended.at
    this.#current = this.#longest
    this.#longest = ended
  }

  #tick(): void {
    const now = performance.now()
    const held = now - this.#tickAt - TICK
    this.#tickAt = now
    if (held > 5) {
      this.#held.observe(held / 1_000)
      if (held > STALL) this.#stalled(held, now)
    }
    // Between two ticks the thread was free: what was begun has ended.
    this.#stretch = 0
    for (const work of [this.#current, this.#longest]) {
      work.describe = null
      work.subject = null
    }
  }

  #stalled(held: number, now: number): void {
    this.#stalls.inc()
    const others = this.#seldom.met()
    if (others === null) return
    this.#close(now)
    const { describe, subject } = this.#longest
    const about = describe === null ? {} : { for: describe(subject as never), of: Math.round(this.#stretch) }
    this.#log.warn({ ms: Math.round(held), ...about, ...(others > 0 && { others }) }, 'the main thread held')
  }
}
