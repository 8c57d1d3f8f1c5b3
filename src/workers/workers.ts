import { availableParallelism } from 'node:os'
import { presentWork } from '../common/present-work.ts'
import { type DeathCause, WorkersBusy } from './error.ts'
import type { Job } from './job.ts'
import type { Task } from './task.ts'
import { TaskTurns } from './task-turns.ts'
import { Worker } from './worker.ts'

/** The most octets of work of a small task, which takes some milliseconds. */
export const SMALL = 256 * 1024
/**
 * The most small tasks in one message, and the total weight that fills a message. Small tasks share a message, because
 * a message between threads may cost as much as a small task.
 */
const MAX_TOGETHER = 64
const WEIGHT_TOGETHER = SMALL
/** The most tasks of one company that may wait, for each size of task. */
const MAX_SMALL = 1_000
const MAX_LARGE = 100
/** The most worker threads: parsing and composing in these threads is seldom the bottleneck. */
const MAX_THREADS = 4
/** Milliseconds of processor time that a small task may take at most, because many companies' tasks wait behind it. */
const SMALL_DEADLINE = 3_000

export interface WorkersOptions {
  /** At least two: one of them does only small tasks. */
  threads?: number
  /** MiB of heap for each thread. */
  memory?: number
  /** Milliseconds of processor time that a task may take; a small one may take three seconds at most. */
  deadline?: number
  /** Milliseconds that a task may wait for its turn. */
  patience?: number
  /** Milliseconds without work after which a thread ends; the one for small tasks stays. */
  idle?: number
  /** Called when a worker died, whether or not a task was to blame. */
  onDeath?(cause: DeathCause, detail: string): void
}

export interface TaskOptions {
  /** The company whose turn the task takes. */
  company: string
  /**
   * Where the input came from, if the company stands for many strangers: parties take its turns by turns, and none of
   * them may fill its places. Absent: the company is one party.
   */
  party?: string
  /** Octets of work, roughly: more than 256 KiB make a large task. */
  weight: number
  /** Buffers of the input to transfer instead of copying: the caller loses them. */
  transfer?: ArrayBuffer[]
  /**
   * The task waits for as long as necessary, however many tasks wait. The number of such tasks must be bounded
   * elsewhere.
   */
  patient?: boolean
}

/**
 * A few threads for large work on strangers' input, where a failure costs only one task. Each thread has a heap of its
 * own with a limit, and each task has a deadline. Companies take turns. One thread is kept for small tasks, so that
 * small tasks never wait for a large task. With large tasks, one company may occupy all but one of the other threads,
 * but at least one.
 */
export class Workers {
  readonly #small = new TaskTurns(MAX_SMALL)
  readonly #large = new TaskTurns(MAX_LARGE)
  readonly #workers: Worker[]
  readonly #patience: number
  readonly #deadline: number
  readonly #onDeath: NonNullable<WorkersOptions['onDeath']>
  /** Workers that a company may occupy with large tasks at once. */
  readonly #share: number
  #closed = false
  #done: (() => void) | undefined

  constructor(options: WorkersOptions = {}) {
    const { memory = 384, deadline = 10_000, patience = 30_000, idle = 30_000 } = options
    const threads = Math.max(2, options.threads ?? Math.min(MAX_THREADS, availableParallelism()))
    this.#patience = patience
    this.#deadline = deadline
    this.#onDeath = options.onDeath ?? (() => {})
    this.#share = Math.max(1, threads - 2)
    const events = {
      onFree: () => this.#dispatch(),
      onDeath: (cause: DeathCause, detail: string, lost: Task[]) => {
        this.#onDeath(cause, detail)
        for (const task of lost.toReversed()) this.#laneOf(task).unshift(task)
        this.#dispatch()
      },
    }
    this.#workers = Array.from({ length: threads }, (_, index) => {
      const forSmall = index === 0
      return new Worker({ memory, niceness: forSmall ? 0 : 5, idle: forSmall ? null : idle }, events)
    })
  }

  /** Tasks that wait for their turn. */
  get waiting(): number {
    return this.#small.length + this.#large.length
  }

  /**
   * Does the job in a worker. Rejects with the job's error (only the message of the error crosses threads), with
   * WorkerDied, or with WorkersBusy if the job was not begun.
   */
  run<Input, Output>(
    job: Job<Input, Output>,
    input: Input,
    { company, party, weight, transfer = [], patient = false }: TaskOptions,
  ): Promise<Output> {
    if (this.#closed) return Promise.reject(new WorkersBusy('The service is stopping.'))
    const lane = this.#laneOf({ weight })
    const owner = { company, party: party ?? null }
    if (!patient && !lane.hasRoom(owner)) {
      return Promise.reject(new WorkersBusy('Too many jobs of this company are waiting.'))
    }
    const until = patient ? Number.POSITIVE_INFINITY : performance.now() + this.#patience
    const done = new Promise<Output>((resolve, reject) => {
      const answer = { resolve: resolve as (output: unknown) => void, reject }
      const deadline = lane === this.#small ? Math.min(SMALL_DEADLINE, this.#deadline) : this.#deadline
      const task = { ...owner, weight, url: job.url, input, transfer, deadline, until, lost: false }
      lane.push({ ...task, ...answer })
      this.#dispatch()
    })
    return presentWork.answer(done)
  }

  /** Does the remaining tasks, and ends the threads. */
  async close(): Promise<void> {
    this.#closed = true
    if (!this.#idle) {
      await new Promise<void>((resolve) => {
        this.#done = resolve
      })
    }
    await Promise.all(this.#workers.map((worker) => worker.terminate()))
  }

  get #idle(): boolean {
    return this.waiting === 0 && !this.#workers.some(({ busy }) => busy)
  }

  #laneOf({ weight }: Pick<Task, 'weight'>): TaskTurns {
    return weight <= SMALL ? this.#small : this.#large
  }

  #dispatch(): void {
    const [forSmall, ...others] = this.#workers as [Worker, ...Worker[]]
    if (!forSmall.busy) forSmall.give(this.#takeSmall())
    for (const worker of others) {
      if (worker.busy) continue
      const task = this.#next(this.#large, (company) => this.#occupiedBy(company) < this.#share)
      if (task !== null) worker.give([task])
      // No thread is started for a few small tasks, because a running thread will finish them sooner.
      else if (worker.started || this.#small.length > MAX_TOGETHER) worker.give(this.#takeSmall())
    }
    if (this.#idle) this.#done?.()
  }

  /** Takes the small tasks for one message. Companies take turns. */
  #takeSmall(): Task[] {
    const tasks: Task[] = []
    let weight = 0
    while (tasks.length < MAX_TOGETHER && weight < WEIGHT_TOGETHER) {
      const task = this.#next(this.#small)
      if (task === null) break
      tasks.push(task)
      weight += task.weight
    }
    return tasks
  }

  #next(lane: TaskTurns, mayHaveOne?: (company: string) => boolean): Task | null {
    for (let task = lane.take(mayHaveOne); task !== null; task = lane.take(mayHaveOne)) {
      if (performance.now() <= task.until) return task
      task.reject(new WorkersBusy('The job waited too long for its turn.'))
    }
    return null
  }

  /** The number of workers, other than the one kept for small tasks, that have a task of the company. */
  #occupiedBy(company: string): number {
    return this.#workers.filter((worker, index) => index > 0 && worker.works(company)).length
  }
}
