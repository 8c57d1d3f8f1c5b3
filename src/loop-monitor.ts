/**
 * Measures how long the main thread is busy, and with which work. During one turn of the event loop nothing else is
 * answered, so each turn is measured in processor time and in wall-clock time, and a long one is logged with the name
 * of the work. Processor time is the cost of the work; wall-clock time is longer when other processes use the machine.
 */
import { Counter, Histogram, type Registry } from 'prom-client'
import { LogThrottle } from './common/log-throttle.ts'
import type { Log } from './common/logging.ts'
import { type Describe, presentWork } from './common/present-work.ts'

/** Ms: shorter turns are normal. */
const NOTICEABLE = 5
/** Ms of a turn that counts as a stall and is logged. */
const LONG = 50
/**
 * Ms between two readings of the processor time in short turns: one in each took 0.6% of the thread while it accepted
 * mail.
 */
const READ_EVERY = 4
/** Ms between two logged stalls, at least. */
const LOGGED_EVERY = 1_000

export class LoopMonitor {
  readonly #log: Pick<Log, 'warn'>
  readonly #seconds: Histogram
  readonly #cpuSeconds: Histogram
  readonly #stalls: Counter
  readonly #throttle = new LogThrottle(LOGGED_EVERY)
  readonly #idle = performance.nodeTiming
  /** At the end of the last turn, in ms: the clock, and the thread's idle time. */
  #at = 0
  #idleAt = 0
  /** The last reading of the thread's processor time, and the clock at that moment, in ms. */
  #cpu = 0
  #cpuAt = 0
  #turn: NodeJS.Immediate | undefined

  constructor(registry: Registry, log: Pick<Log, 'warn'>) {
    this.#log = log
    this.#seconds = new Histogram({
      name: 'postroad_main_thread_stall_seconds',
      help: 'Duration of noticeable turns of the main thread, during which nothing else is answered.',
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
      registers: [registry],
    })
    this.#cpuSeconds = new Histogram({
      name: 'postroad_main_thread_stall_cpu_seconds',
      help: 'Processor time of the same turns, independent of the load of the machine.',
      buckets: [0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5],
      registers: [registry],
    })
    this.#stalls = new Counter({
      name: 'postroad_main_thread_stalls_total',
      help: `Turns of the main thread of more than ${LONG} ms.`,
      registers: [registry],
    })
  }

  start(): void {
    this.#at = performance.now()
    this.#idleAt = this.#idle.idleTime
    this.#cpu = processorTime()
    this.#cpuAt = this.#at
    this.#watch()
  }

  stop(): void {
    clearImmediate(this.#turn)
  }

  /** Notes the work that the thread does from now on, until other work is noted or the thread is idle. */
  on<Subject>(describe: Describe<Subject>, subject: Subject): void {
    presentWork.on(describe, subject)
  }

  /** An unref'd immediate runs once in each turn of the event loop, and does not cause turns of its own. */
  #watch(): void {
    this.#turn = setImmediate(() => {
      this.#ended()
      this.#watch()
    }).unref()
  }

  #ended(): void {
    const now = performance.now()
    const idle = this.#idle.idleTime
    const wall = now - this.#at - (idle - this.#idleAt)
    this.#at = now
    this.#idleAt = idle
    if (wall > NOTICEABLE || now - this.#cpuAt > READ_EVERY) {
      const cpu = processorTime()
      // The kernel counts processor time in ticks of up to 4 ms, so it may add time of an earlier turn.
      const worked = Math.min(cpu - this.#cpu, wall)
      this.#cpu = cpu
      this.#cpuAt = now
      if (wall > NOTICEABLE) this.#observe(wall, worked)
    }
    presentWork.endTurn()
  }

  #observe(wall: number, worked: number): void {
    this.#seconds.observe(wall / 1_000)
    if (worked > NOTICEABLE) this.#cpuSeconds.observe(worked / 1_000)
    if (wall > LONG) this.#tell(wall, worked)
  }

  #tell(wall: number, worked: number): void {
    this.#stalls.inc()
    const others = this.#throttle.due()
    if (others === null) return
    const longest = presentWork.longest()
    this.#log.warn(
      {
        ms: Math.round(wall),
        cpu: Math.round(worked),
        ...(longest !== null && { for: longest.work, of: Math.round(longest.ms) }),
        ...(others > 0 && { others }),
      },
      'the main thread stalled',
    )
  }
}

/** Processor time of this thread in ms. */
function processorTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
