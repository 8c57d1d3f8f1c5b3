import { Worker as Thread, type Transferable, type WorkerOptions } from 'node:worker_threads'
import { presentWork } from '../common/present-work.ts'

export interface ThreadChoice extends Pick<WorkerOptions, 'env' | 'resourceLimits'> {
  module: URL
  /** What the operating system calls the thread (`top -H` tells who is busy): at most 15 characters. */
  name: string
  workerData: unknown
}

export interface ThreadEvents<To, From> {
  /** `answer` posts to the thread that said it, or nowhere when that has ended meanwhile. */
  message(said: From, answer: (message: To, moved?: Transferable[]) => void): void
  /** It is gone, and not because of `end`. `cause`: what it threw last; null: it only ended. */
  ended(cause: unknown, code: number): void
}

/** One worker thread at a time: it starts with what is posted first, and again with the next after it has ended. */
export class SupervisedThread<To, From> {
  readonly #choice: ThreadChoice
  readonly #events: ThreadEvents<To, From>
  #thread: Thread | null = null

  constructor(choice: ThreadChoice, events: ThreadEvents<To, From>) {
    this.#choice = choice
    this.#events = events
  }

  /** The one that runs now, to be looked at. */
  get running(): Thread | null {
    return this.#thread
  }

  start(): void {
    this.#thread ??= this.#start()
  }

  post(message: To, moved: Transferable[] = []): void {
    this.start()
    this.#thread!.postMessage(message, moved)
  }

  /** From here on it keeps the process alive. */
  ref(): void {
    this.#thread?.ref()
  }

  unref(): void {
    this.#thread?.unref()
  }

  /** Ends it in the midst of its work; `ended` tells of it. */
  async kill(): Promise<void> {
    await this.#thread?.terminate()
  }

  /** From here on it is nobody's: nothing more is heard of it, and what is posted now starts another. */
  async end(): Promise<void> {
    const thread = this.#thread
    this.#thread = null
    await thread?.terminate()
  }

  #start(): Thread {
    const { module, ...options } = this.#choice
    const thread = new Thread(module, options)
    const answer = (message: To, moved: Transferable[] = []) => {
      if (this.#thread === thread) thread.postMessage(message, moved)
    }
    let cause: unknown = null
    thread.on('message', (said: From) => {
      presentWork.on(describeThread, this.#choice)
      if (this.#thread === thread) this.#events.message(said, answer)
    })
    thread.on('messageerror', (error) => {
      cause = error
      void thread.terminate()
    })
    // An error is heard before answers that were given before it; what comes last is the exit.
    thread.on('error', (error) => {
      cause = error
    })
    thread.on('exit', (code) => {
      if (this.#thread !== thread) return
      this.#thread = null
      this.#events.ended(cause, code)
    })
    return thread
  }
}

/** For the log: whose message was worked on. */
function describeThread({ name }: ThreadChoice): object {
  return { thread: name }
}
