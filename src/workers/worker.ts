import { SHARE_ENV } from 'node:worker_threads'
import { SupervisedThread } from '../threads/supervised-thread.ts'
import { type DeathCause, WorkerDied, WorkersBusy } from './error.ts'
import { AT, clock, PROGRESS_OCTETS, SINCE, type Task, type TaskAnswers, type TaskBatch } from './task.ts'
import type { WorkerThreadData } from './thread.ts'

export interface WorkerOptions {
  /**
   * MiB of heap that a task may take. Octets (`ArrayBuffer`) and large texts made of them lie outside the heap: the
   * caller that posts them has to count them.
   */
  memory: number
  niceness: number
  /** Milliseconds without work after which the thread ends; null: never. */
  idle: number | null
}

interface WorkerEvents {
  /** The worker has finished its tasks. */
  onFree(): void
  /** `lost`: tasks that the worker had not begun, and that other workers may do. */
  onDeath(cause: DeathCause, detail: string, lost: Task[]): void
}

/**
 * MiB that the heap may have beyond `memory`. V8 ends a thread whose heap grows over its limit, but it ends the whole
 * process when a single allocation is too large for the rest of the heap. So V8's limit lies far above `memory`, which
 * is enforced by checking the heap.
 */
const HEADROOM = 512
/** Milliseconds between checks of the heap of a busy worker. */
const LOOK = 50

/**
 * A task may take this multiple of its deadline by the clock. A hanging task uses no processor time, so the clock
 * limits it as well; the multiple allows for a busy machine, on which tasks wait.
 */
const STARVED = 6

/** A thread that has not begun its first task after this many milliseconds has failed to start. */
const START_WITHIN = 30_000

/** One worker thread under supervision: it starts with its first task, and again after it has died or was idle. */
export class Worker {
  readonly #options: WorkerOptions
  readonly #events: WorkerEvents
  readonly #progress = new Int32Array(new SharedArrayBuffer(PROGRESS_OCTETS))
  readonly #thread: SupervisedThread<TaskBatch, TaskAnswers>
  #tasks: Task[] = []
  /** Tasks of the current message that are answered already. */
  #answeredTasks = 0
  #look: NodeJS.Timeout | undefined
  /** When the tasks were given, or some of them were last answered: the next one begins soon after. */
  #givenAt = 0
  /** The first check of the current task: its start, and the thread's processor time by then. */
  #first: { since: number; worked: number } | null = null
  #rest: NodeJS.Timeout | undefined
  /**
   * The reason why the thread is being ended, and the index in the message of the task to blame; null: none had begun.
   * By the time of its death the thread may have gone on to the next task.
   */
  #sentence: { cause: DeathCause; of: number | null } | null = null

  constructor(options: WorkerOptions, events: WorkerEvents) {
    this.#options = options
    this.#events = events
    const { memory, niceness } = options
    const workerData: WorkerThreadData = { progress: this.#progress.buffer, niceness }
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

  /** It has tasks, or its thread is about to end. */
  get busy(): boolean {
    return this.#tasks.length > 0 || this.#sentence !== null
  }

  get started(): boolean {
    return this.#thread.running !== null
  }

  /** True when one of the current tasks is this company's. */
  works(company: string): boolean {
    return this.#tasks.some((task) => task.company === company)
  }

  /** The worker must not be busy; an empty list has no effect. */
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
    this.#answeredTasks = 0
    this.#thread.ref()
    this.#givenAt = performance.now()
    this.#watch()
  }

  async terminate(): Promise<void> {
    clearTimeout(this.#rest)
    await this.#thread.kill()
  }

  #answered(answers: TaskAnswers): void {
    const tasks = this.#tasks.splice(0, answers.length)
    this.#answeredTasks += tasks.length
    this.#givenAt = performance.now()
    for (const [index, task] of tasks.entries()) {
      const answer = answers[index]!
      if ('error' in answer) task.reject(answer.error)
      else task.resolve(answer.output)
    }
    if (this.busy) return
    clearTimeout(this.#look)
    this.#thread.unref()
    const { idle } = this.#options
    if (idle !== null) this.#rest = setTimeout(() => void this.#thread.terminate(), idle).unref()
    this.#events.onFree()
  }

  /**
   * Ends the thread when the current task exceeds its time or memory; a later task of the same message counts from its
   * own start.
   */
  #watch(): void {
    const at = this.#at
    const begun = at >= 0
    const { deadline } = this.#tasks[Math.max(at, 0)]!
    const since = begun
      ? (clock() - Atomics.load(this.#progress, SINCE)) | 0
      : performance.now() - this.#givenAt
    const left = (begun ? deadline * STARVED : START_WITHIN) - since
    if (left <= 0) this.#condemn(begun ? 'time' : 'crash', begun ? at + this.#answeredTasks : null)
    else {
      this.#look = setTimeout(() => this.#watch(), Math.min(left, deadline, LOOK))
      if (begun) void this.#weigh(deadline, at + this.#answeredTasks)
    }
  }

  /** The current task's index among those without an answer; negative when none has begun. */
  get #at(): number {
    return Atomics.load(this.#progress, AT) - this.#answeredTasks
  }

  /** Checks how much memory and processor time the task with the index `of` has taken so far. */
  async #weigh(deadline: number, of: number): Promise<void> {
    const thread = this.#thread.running!
    const tasks = this.#tasks
    const since = Atomics.load(this.#progress, SINCE)
    // The calls reject when the thread has ended meanwhile.
    const looked = await Promise.all([thread.getHeapStatistics(), thread.cpuUsage()]).catch(() => null)
    if (looked === null || thread !== this.#thread.running) return
    if (tasks !== this.#tasks || tasks.length === 0) return
    const [heap, { user, system }] = looked
    const worked = (user + system) / 1_000
    // Processor time is counted for the whole thread, so the time at the first check of the task is subtracted.
    if (this.#first?.since !== since) this.#first = { since, worked }
    if (heap.used_heap_size > this.#options.memory * 1_048_576) this.#condemn('memory', of)
    else if (worked - this.#first.worked > deadline) this.#condemn('time', of)
  }

  #condemn(cause: DeathCause, of: number | null): void {
    if (this.#sentence !== null) return
    clearTimeout(this.#look)
    this.#sentence = { cause, of }
    void this.#thread.kill()
  }

  #died(thrown: unknown): void {
    const outOfMemory = (thrown as NodeJS.ErrnoException | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY'
    const sentence = this.#sentence
    const { cause, of } = sentence ?? {
      cause: outOfMemory ? 'memory' : 'crash',
      of: this.#at >= 0 ? this.#at + this.#answeredTasks : null,
    }
    const detail = thrown === null || outOfMemory ? '' : String(thrown)
    this.#sentence = null
    clearTimeout(this.#look)
    const tasks = this.#tasks
    // Negative: the task to blame has been answered, so none of the others is.
    const at = of === null ? null : of - this.#answeredTasks
    this.#tasks = []
    if (tasks.length === 0) {
      if (sentence !== null) this.#events.onFree()
      return
    }
    const lost: Task[] = []
    for (const [index, task] of tasks.entries()) {
      // A task is given up when two threads have died before they began it.
      if (index === at || (at === null && task.lost)) task.reject(new WorkerDied(cause, detail))
      // Transferred input is lost with the thread.
      else if (task.transfer.length > 0) task.reject(new WorkersBusy('The worker died of another job.'))
      else {
        task.lost ||= at === null
        lost.push(task)
      }
    }
    this.#events.onDeath(cause, detail, lost)
  }
}
