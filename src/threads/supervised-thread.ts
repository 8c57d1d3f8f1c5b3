import { Worker as Thread, type Transferable, type WorkerOptions } from 'node:worker_threads'
import { presentWork } from '../common/present-work.ts'

interface ThreadChoice extends Pick<WorkerOptions, 'env' | 'resourceLimits'> {
  module: URL
  /** The thread's name in the operating system (`top -H` shows it): at most 15 characters. */
  name: string
  workerData: unknown
}

export interface ThreadEvents<To, From> {
  /** `answer` posts to the thread that sent the message, or nowhere if that has ended meanwhile. */
  message(said: From, answer: (message: To, moved?: Transferable[]) => void): void
  /** The thread has ended, not because of `end`. `cause`: the last error that it threw; null: it simply ended. */
  ended(cause: unknown, code: number): void
}

/**
 * One worker thread at a time: it starts with the first message posted to it, and again with the next one after it has
 * ended.
 */
export class SupervisedThread<To, From> {
  readonly #choice: ThreadChoice
  readonly #events: ThreadEvents<To, From>
  #thread: Thread | null = null

  constructor(choice: ThreadChoice, events: ThreadEvents<To, From>) {
    this.#choice = choice
    this.#events = events
  }

  /** The thread that runs now, for inspection. */
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

  /** From here on the thread keeps the process alive. */
  ref(): void {
    this.#thread?.ref()
  }

  unref(): void {
    this.#thread?.unref()
  }

  /** Ends the thread in the midst of its work; `ended` reports it. */
  async kill(): Promise<void> {
    await this.#thread?.terminate()
  }

  /** Gives the thread up: nothing more is received from it, and the next message starts another. */
  async terminate(): Promise<void> {
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
    // An error arrives before answers that were posted before it; the exit comes last.
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

/** Describes the thread whose message was worked on, for the log. */
function describeThread({ name }: ThreadChoice): object {
  return { thread: name }
}
