import { SHARE_ENV } from 'node:worker_threads'
import { SupervisedThread } from '../threads/supervised-thread.ts'
import { type DeathCause, WorkerDied } from './error.ts'
import { type Answers, AT, clock, type Posted, PROGRESS_OCTETS, SINCE, type Task } from './task.ts'
import type { ThreadData } from './thread.ts'

export interface WorkerOptions {
  /**
   * MiB of heap a task may take. Octets (`ArrayBuffer`) and large texts made of them lie outside of it: who posts them
   * counts them.
   */
  memory: number
  /** Milliseconds of a processor that one task may take. */
  deadline: number
  niceness: number
  /** Milliseconds without work after which the thread ends; null: never. */
  idle: number | null
}

export interface WorkerEvents {
  /** It has nothing to do any more. */
  onFree(): void
  /** `lost`: tasks it was given and had not begun, which others may do. */
  onDeath(cause: DeathCause, detail: string, lost: Task[]): void
}

/**
 * MiB that the heap may have beyond `memory`. V8 ends a thread whose heap grows over its limit, but the whole process
 * where one single allocation is too large for what is left of it. So the limit of V8 lies far above ours, which is
 * held by looking at the heap.
 */
const HEADROOM = 512
/** Milliseconds between looks at the heap of a worker that has something to do. */
const LOOK = 50

/** Times its deadline that a task may take by the clock: a busy machine lets it wait, and what hangs does not work. */
const STARVED = 6

/** A thread that has not begun the first of its tasks after so many milliseconds has failed to start. */
const START_WITHIN = 30_000

/** One worker thread under supervision: it starts with its first task, and again after it has died or was idle. */
export class Worker {
  readonly #options: WorkerOptions
  readonly #events: WorkerEvents
  readonly #progress = new Int32Array(new SharedArrayBuffer(PROGRESS_OCTETS))
  readonly #thread: SupervisedThread<Posted, Answers>
  #tasks: Task[] = []
  #look: NodeJS.Timeout | undefined
  #givenAt = 0
  /** The first look at the task at hand: when that began, and what the thread had worked by then. */
  #first: { since: number; worked: number } | null = null
  #rest: NodeJS.Timeout | undefined
  /** Why we end it. */
  #sentence: DeathCause | null = null

  constructor(options: WorkerOptions, events: WorkerEvents) {
    this.#options = options
    this.#events = events
    const { memory, niceness } = options
    const workerData: ThreadData = { progress: this.#progress.buffer, niceness }
    this.#thread = new SupervisedThread(
      {
        module: new URL('./thread.ts', import.meta.url),
        name: 'worker',
        env: SHARE_ENV,
        workerData,
        resourceLimits: { maxOldGenerationSizeMb: memory + HEADROOM, maxYoungGenerationSizeMb: 16 },
      },
      {
        message: (answers) => this.#answered(answers),
        ended: (cause) => this.#died(cause),
      },
    )
  }

  get busy(): boolean {
    return this.#tasks.length > 0
  }

  get started(): boolean {
    return this.#thread.running !== null
  }

  /** Companies of the tasks at hand. */
  works(company: string): boolean {
    return this.#tasks.some((task) => task.company === company)
  }

  /** Expects a worker that is not busy; of no tasks it hears nothing. */
  give(tasks: Task[]): void {
    if (tasks.length === 0) return
    clearTimeout(this.#rest)
    const posted = tasks.map(({ url, input }) => ({ url, input }))
    Atomics.store(this.#progress, AT, -1)
    try {
      this.#thread.post(
        posted,
        tasks.flatMap(({ transfer }) => transfer),
      )
    } catch (error) {
      this.#thread.unref()
      for (const task of tasks) task.reject(error)
      queueMicrotask(() => this.#events.onFree())
      return
    }
    this.#tasks = tasks
    this.#thread.ref()
    this.#givenAt = performance.now()
    this.#watch()
  }

  async end(): Promise<void> {
    clearTimeout(this.#rest)
    await this.#thread.kill()
  }

  #answered(answers: Answers): void {
    clearTimeout(this.#look)
    const tasks = this.#tasks
    this.#tasks = []
    this.#thread.unref()
    for (const [index, task] of tasks.entries()) {
      const answer = answers[index]!
      if ('error' in answer) task.reject(answer.error)
      else task.resolve(answer.output)
    }
    const { idle } = this.#options
    if (idle !== null) this.#rest = setTimeout(() => void this.#thread.end(), idle).unref()
    this.#events.onFree()
  }

  /**
   * Ends the thread when the task at hand is over its time or memory; what comes behind it in the same message counts
   * from its own beginning.
   */
  #watch(): void {
    const { deadline } = this.#options
    const begun = Atomics.load(this.#progress, AT) >= 0
    const since = begun
      ? (clock() - Atomics.load(this.#progress, SINCE)) | 0
      : performance.now() - this.#givenAt
    const left = (begun ? deadline * STARVED : START_WITHIN) - since
    if (left <= 0) this.#condemn(begun ? 'time' : 'crash')
    else {
      this.#look = setTimeout(() => this.#watch(), Math.min(left, deadline, LOOK))
      if (begun) void this.#weigh()
    }
  }

  /** Looks at what the task at hand has taken so far. */
  async #weigh(): Promise<void> {
    const thread = this.#thread.running!
    const since = Atomics.load(this.#progress, SINCE)
    // They reject when the thread has ended meanwhile.
    const looked = await Promise.all([thread.getHeapStatistics(), thread.cpuUsage()]).catch(() => null)
    if (looked === null || thread !== this.#thread.running || !this.busy) return
    const [heap, { user, system }] = looked
    const worked = (user + system) / 1_000
    // Time on a processor is that of the thread: what it had before the task began is known from the first look at it.
    if (this.#first?.since !== since) this.#first = { since, worked }
    if (heap.used_heap_size > this.#options.memory * 1_048_576) this.#condemn('memory')
    else if (worked - this.#first.worked > this.#options.deadline) this.#condemn('time')
  }

  #condemn(cause: DeathCause): void {
    this.#sentence = cause
    void this.#thread.kill()
  }

  #died(thrown: unknown): void {
    const outOfMemory = (thrown as NodeJS.ErrnoException | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY'
    const cause = this.#sentence ?? (outOfMemory ? 'memory' : 'crash')
    const detail = thrown === null || outOfMemory ? '' : String(thrown)
    this.#sentence = null
    clearTimeout(this.#look)
    const tasks = this.#tasks
    this.#tasks = []
    if (tasks.length === 0) return
    const at = Atomics.load(this.#progress, AT)
    const lost: Task[] = []
    for (const [index, task] of tasks.entries()) {
      // Handed over, its input is gone with the thread. A thread that began nothing, twice, will not begin it.
      const gone = index === at || task.transfer.length > 0 || (at < 0 && task.lost)
      if (gone) task.reject(new WorkerDied(cause, detail))
      else {
        task.lost ||= at < 0
        lost.push(task)
      }
    }
    this.#events.onDeath(cause, detail, lost)
  }
}
