/**
 * How long the main thread stalls, and for whom. While it works on one thing nothing else is answered; so every stall
 * is measured, and a long one is told to the log with the name of what was being worked on.
 */
import { Counter, Histogram, type Registry } from 'prom-client'
import { LogThrottle } from './common/log-throttle.ts'
import type { Log } from './common/logging.ts'

/** Ms between ticks of the stopwatch. A tick that comes late tells how long something kept the thread. */
const TICK = 20
/** Ms: shorter stalls are the usual work of a turn of the event loop. */
const NOTICEABLE = 5
/** Ms of a stall that is counted and told. */
const LONG = 50
/** Ms: a stall is told at most once in so many. */
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
  readonly #log: Pick<Log, 'warn'>
  readonly #seconds: Histogram
  readonly #stalls: Counter
  readonly #throttle = new LogThrottle(TOLD_EVERY)
  /** Filled anew each time: noting what is worked on must cost nothing. */
  #current: Work = { describe: null, subject: null, at: 0 }
  /** What the longest stretch since the last tick was for. */
  #longest: Work = { describe: null, subject: null, at: 0 }
  #stretch = 0
  #tickAt = performance.now()
  #timer: NodeJS.Timeout | undefined

  constructor(registry: Registry, log: Pick<Log, 'warn'>) {
    this.#log = log
    this.#seconds = new Histogram({
      name: 'postroad_main_thread_stall_seconds',
      help: 'How long the main thread worked on one thing while others waited, where that was noticeable.',
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
      registers: [registry],
    })
    this.#stalls = new Counter({
      name: 'postroad_main_thread_stalls_total',
      help: `Stalls of the main thread of more than ${LONG} ms.`,
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
    const stall = now - this.#tickAt - TICK
    this.#tickAt = now
    if (stall > NOTICEABLE) {
      this.#seconds.observe(stall / 1_000)
      if (stall > LONG) this.#tell(stall, now)
    }
    // Between two ticks the thread was free: what was begun has ended.
    this.#stretch = 0
    for (const work of [this.#current, this.#longest]) {
      work.describe = null
      work.subject = null
    }
  }

  #tell(stall: number, now: number): void {
    this.#stalls.inc()
    const others = this.#throttle.due()
    if (others === null) return
    this.#close(now)
    const { describe, subject } = this.#longest
    const about = describe === null ? {} : { for: describe(subject as never), of: Math.round(this.#stretch) }
    this.#log.warn(
      { ms: Math.round(stall), ...about, ...(others > 0 && { others }) },
      'the main thread stalled',
    )
  }
}
