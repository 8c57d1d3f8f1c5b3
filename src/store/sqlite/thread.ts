import { presentWork } from '../../common/present-work.ts'
import { SameThread, type Serve } from '../../threads/same-thread.ts'
import { SupervisedThread, type ThreadEvents } from '../../threads/supervised-thread.ts'
import { StoreUnavailable } from '../store.ts'
import { type BatchEntry, type BatchLimits, BatchQueue } from './batch-queue.ts'
import { type ChangeFlags, errorOf, kindsOf, type ThreadReply, type ThreadRequest } from './protocol.ts'

interface PendingCall<OneCall> extends BatchEntry {
  call: OneCall
  moved: ArrayBuffer[]
  resolve(value: unknown): void
  reject(error: Error): void
}

/** Details of a call: its weight in octets, whether no caller waits for it, and buffers that move to the thread. */
interface CallDetail {
  weight?: number
  patient?: boolean
  moved?: ArrayBuffer[]
}

interface StoreThreadOptions extends BatchLimits {
  module: URL
  /** The thread's name in the operating system: at most 15 characters. */
  name: string
  path: string
  /** The identity of the file (`DatabaseLocation`): a replacement of the thread opens no other file. */
  file: string
  onChanged(changed: ChangeFlags): void
  /** Called when damage was met and worked around. */
  onDamage(message: string): void
  /** Loads the code that serves the calls in the calling thread; null: a separate thread serves them. */
  serve: (() => Promise<Serve>) | null
}

/**
 * Passes calls to a thread of the store: one batch is under way, and calls that arrive meanwhile make up the next one.
 * For the writer that is the group commit.
 *
 * A thread that ends unexpectedly rejects the batch under way with StoreUnavailable (its outcome is unknown, as after a
 * power cut) and is replaced at the next call.
 */
export class StoreThread<OneCall> {
  readonly #options: StoreThreadOptions
  readonly #thread:
    | SupervisedThread<ThreadRequest<OneCall>, ThreadReply>
    | SameThread<ThreadRequest<OneCall>, ThreadReply>
  #opened = false
  #opening: PromiseWithResolvers<readonly string[]> | null = null
  readonly #queue: BatchQueue<PendingCall<OneCall>>
  #underWay: PendingCall<OneCall>[] = []
  #flushing = false
  /** Set while only patient calls wait. */
  #pause: NodeJS.Timeout | undefined
  #watching = false
  #closing = false
  #closed = false
  #drained: (() => void) | null = null
  #commits = 0

  constructor(options: StoreThreadOptions) {
    this.#options = options
    this.#queue = new BatchQueue(options)
    const { module, name, path, file, serve } = options
    const events: ThreadEvents<ThreadRequest<OneCall>, ThreadReply> = {
      // Replies of a replaced thread must not settle calls of its successor.
      message: (reply) => this.#hear(reply),
      ended: (cause, code) => this.#ended(cause ?? new Error(`exit code ${code}`)),
    }
    this.#thread =
      serve === null
        ? new SupervisedThread({ module, name, workerData: { path, file } }, events)
        : new SameThread(serve, events)
  }

  /** Transactions committed so far. */
  get commits(): number {
    return this.#commits
  }

  /** Resolves when the thread has opened the database, with the names of its operations if the thread reports them. */
  async open(): Promise<readonly string[]> {
    this.#start()
    return (await this.#opening?.promise) ?? []
  }

  call(call: OneCall, { weight = 0, patient = false, moved = [] }: CallDetail = {}): Promise<unknown> {
    if (this.#closed) return Promise.reject(new StoreUnavailable('The store is closed'))
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#queue.push({ call, weight, patient, moved, resolve, reject })
      if (this.#flushing || this.#underWay.length > 0) return
      this.#flushing = true
      queueMicrotask(() => {
        this.#flushing = false
        this.#flush()
      })
    })
    return presentWork.answer(answer)
  }

  /** Watches for other processes' writes. */
  watch(on: boolean): void {
    this.#watching = on
    if (on) this.#start()
    if (this.#opened) this.#thread.post({ kind: 'watch', on })
  }

  /** Carries out the earlier calls; later ones are refused. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closing = true
    while (this.#underWay.length > 0 || this.#queue.size > 0) {
      this.#flush()
      await new Promise<void>((resolve) => {
        this.#drained = resolve
      })
    }
    this.#closed = true
    await this.#thread.terminate()
  }

  #start(): void {
    if (this.#thread.running !== null) return
    this.#thread.start()
    this.#opening = Promise.withResolvers()
    // Callers get the error through their calls. Often no caller waits for the opening itself.
    this.#opening.promise.catch(() => {})
  }

  #hear(reply: ThreadReply): void {
    switch (reply.kind) {
      case 'opened':
        this.#opened = true
        this.#opening?.resolve(reply.operations ?? [])
        if (this.#watching) this.#watchAnew()
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

  /** The thread has just begun to watch, so everything may have changed since the call of `watch`. */
  #watchAnew(): void {
    this.#thread.post({ kind: 'watch', on: true })
    this.#options.onChanged({ accounts: true, queue: true, stops: true, webhooks: true })
  }

  #finish({ outcomes, changed }: Extract<ThreadReply, { kind: 'done' }>): void {
    const finished = this.#underWay
    this.#underWay = []
    this.#flush()
    for (const [index, outcome] of outcomes.entries()) {
      const pending = finished[index]!
      if ('fault' in outcome) pending.reject(errorOf(outcome.fault))
      else pending.resolve(outcome.value)
    }
    if (kindsOf(changed).length > 0) this.#options.onChanged(changed)
  }

  #flush(): void {
    if (this.#underWay.length > 0 || this.#closed) return
    if (this.#queue.size === 0) {
      this.#drained?.()
      // An idle store does not keep the process alive.
      if (this.#opened) this.#thread.unref()
      return
    }
    this.#start()
    this.#thread.ref()
    if (!this.#opened) return
    const wait = this.#closing ? 0 : this.#queue.wait()
    if (wait > 0) {
      this.#pause ??= setTimeout(() => {
        this.#pause = undefined
        this.#flush()
      }, wait)
      return
    }
    clearTimeout(this.#pause)
    this.#pause = undefined
    this.#underWay = this.#queue.take()
    const moved = this.#underWay.flatMap((pending) => pending.moved)
    this.#thread.post({ kind: 'batch', calls: this.#underWay.map((pending) => pending.call) }, moved)
  }

  /** The database cannot be opened: all waiting calls reject with the reason, and the next call tries again. */
  #fail(error: Error): void {
    void this.#thread.terminate()
    this.#opened = false
    this.#opening?.reject(error)
    clearTimeout(this.#pause)
    this.#pause = undefined
    const waiting = [...this.#underWay, ...this.#queue.clear()]
    this.#underWay = []
    for (const pending of waiting) pending.reject(error)
    this.#drained?.()
  }

  #ended(cause: unknown): void {
    const reason = cause instanceof Error ? cause : new Error(String(cause))
    const error = new StoreUnavailable(
      `The thread of the database ${this.#options.path} ended unexpectedly (${reason.message}); it is started again`,
      { cause: reason },
    )
    if (!this.#opened) {
      this.#fail(error)
      return
    }
    this.#opened = false
    const lost = this.#underWay
    this.#underWay = []
    for (const pending of lost) pending.reject(error)
    this.#flush()
  }
}
