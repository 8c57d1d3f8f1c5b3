import { Worker } from 'node:worker_threads'
import { StoreUnavailable } from '../store.ts'
import { type Call, type Changed, errorOf, type Reply, type Request } from './protocol.ts'

interface Pending<Operations> {
  call: Call<Operations>
  moved: ArrayBuffer[]
  /** Octets, about. */
  weight: number
  resolve(value: unknown): void
  reject(error: Error): void
}

export interface ThreadOptions {
  module: URL
  path: string
  /** The file that lies there (`Place`): a replacement of the thread opens no other. */
  file: string
  /** Most calls, and (past the first) most octets, in one batch. */
  maxCalls: number
  maxWeight: number
  onChanged(changed: Changed): void
  /** Damage was met and gone around. */
  onDamage(message: string): void
}

/**
 * Hands calls to a thread of the store: one batch is under way, and what arrives meanwhile makes up the next. For the writer
 * that is the group commit.
 *
 * A thread that ends unexpectedly rejects the batch under way with StoreUnavailable (its outcome is unknown, as after a
 * power cut) and is replaced at the next call.
 */
export class StoreThread<Operations> {
  readonly #options: ThreadOptions
  #worker: Worker | null = null
  #opened = false
  #opening: { promise: Promise<void>; resolve(): void; reject(error: Error): void } | null = null
  #queue: Pending<Operations>[] = []
  #underWay: Pending<Operations>[] = []
  #flushing = false
  #watching = false
  #closed = false
  #drained: (() => void) | null = null
  #commits = 0

  constructor(options: ThreadOptions) {
    this.#options = options
  }

  /** Transactions committed so far. */
  get commits(): number {
    return this.#commits
  }

  /** Resolves when the thread has opened the database. */
  async open(): Promise<void> {
    this.#start()
    await this.#opening?.promise
  }

  call(call: Call<Operations>, weight = 0, moved: ArrayBuffer[] = []): Promise<unknown> {
    if (this.#closed) return Promise.reject(new StoreUnavailable('The store is closed'))
    return new Promise((resolve, reject) => {
      this.#queue.push({ call, weight, moved, resolve, reject })
      if (this.#flushing) return
      this.#flushing = true
      queueMicrotask(() => {
        this.#flushing = false
        this.#flush()
      })
    })
  }

  /** Looks out for what other processes write. */
  watch(on: boolean): void {
    this.#watching = on
    if (this.#opened) this.#post({ kind: 'watch', on })
  }

  /** What was called before is carried out; later calls are refused. */
  async close(): Promise<void> {
    if (this.#closed) return
    while (this.#underWay.length > 0 || this.#queue.length > 0) {
      this.#flush()
      await new Promise<void>((resolve) => {
        this.#drained = resolve
      })
    }
    this.#closed = true
    const worker = this.#worker
    this.#worker = null
    await worker?.terminate()
  }

  #start(): void {
    if (this.#worker !== null) return
    const { path, file } = this.#options
    const worker = new Worker(this.#options.module, { workerData: { path, file } })
    this.#worker = worker
    this.#opening = Promise.withResolvers<void>()
    // Who calls is told through the call; nobody need be waiting for the opening itself.
    this.#opening.promise.catch(() => {})
    worker.on('message', (reply: Reply) => this.#hear(reply))
    worker.on('error', (error) => this.#ended(worker, error))
    worker.on('exit', (code) => this.#ended(worker, new Error(`exit code ${code}`)))
  }

  #hear(reply: Reply): void {
    switch (reply.kind) {
      case 'opened':
        this.#opened = true
        this.#opening?.resolve()
        if (this.#watching) this.#post({ kind: 'watch', on: true })
        this.#flush()
        break
      case 'refused':
        this.#fail(errorOf(reply.fault))
        break
      case 'done':
        this.#commits += reply.commits
        this.#finish(reply)
        for (const message of reply.damage ?? []) this.#options.onDamage(message)
        break
      case 'changed':
        this.#options.onChanged(reply.changed)
    }
  }

  #finish({ outcomes, changed }: Extract<Reply, { kind: 'done' }>): void {
    const finished = this.#underWay
    this.#underWay = []
    this.#flush()
    for (const [index, outcome] of outcomes.entries()) {
      const pending = finished[index]!
      if ('fault' in outcome) pending.reject(errorOf(outcome.fault))
      else pending.resolve(outcome.value)
    }
    if (changed.accounts || changed.queue || changed.stops) this.#options.onChanged(changed)
  }

  #flush(): void {
    if (this.#underWay.length > 0 || this.#closed) return
    if (this.#queue.length === 0) {
      this.#drained?.()
      // An idle store does not keep the process alive.
      if (this.#opened) this.#worker?.unref()
      return
    }
    this.#start()
    this.#worker?.ref()
    if (!this.#opened) return
    let weight = 0
    let count = 0
    for (const pending of this.#queue) {
      weight += pending.weight
      if (count > 0 && (weight > this.#options.maxWeight || count === this.#options.maxCalls)) break
      count++
    }
    this.#underWay = count === this.#queue.length ? this.#queue : this.#queue.slice(0, count)
    this.#queue = count === this.#queue.length ? [] : this.#queue.slice(count)
    const moved = this.#underWay.flatMap((pending) => pending.moved)
    this.#post({ kind: 'batch', calls: this.#underWay.map((pending) => pending.call) }, moved)
  }

  #post(request: Request<Operations>, moved: ArrayBuffer[] = []): void {
    this.#worker?.postMessage(request, moved)
  }

  /** The database cannot be opened: whoever waits for it is told why, and the next call tries again. */
  #fail(error: Error): void {
    const worker = this.#worker
    this.#worker = null
    void worker?.terminate()
    this.#opened = false
    this.#opening?.reject(error)
    const waiting = [...this.#underWay, ...this.#queue]
    this.#underWay = []
    this.#queue = []
    for (const pending of waiting) pending.reject(error)
    this.#drained?.()
  }

  #ended(worker: Worker, reason: Error): void {
    if (this.#worker !== worker) return
    const error = new StoreUnavailable(
      `The thread of the database ${this.#options.path} ended unexpectedly (${reason.message}); it is started again`,
      { cause: reason },
    )
    if (!this.#opened) {
      this.#fail(error)
      return
    }
    this.#worker = null
    this.#opened = false
    const lost = this.#underWay
    this.#underWay = []
    for (const pending of lost) pending.reject(error)
    this.#flush()
  }
}
