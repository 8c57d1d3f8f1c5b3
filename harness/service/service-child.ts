/** The service as a child process: its addresses, its output and its end. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** Lines of its output that are kept. */
const LINES = 200

/** The accounts that a first start creates on an empty database. */
export interface FirstStart {
  company: string
  domain: string
  token: string
}

/** The line that says it listens. */
interface Listening {
  url: string
  submissionUrls?: string[]
  bounceUrls?: string[]
  firstStart: FirstStart | null
}

export interface ChildChoice {
  /** Program and arguments. */
  command: string[]
  env: NodeJS.ProcessEnv
  cwd: string
  /** Called with every line that is kept. */
  onLine?: (line: string) => void
}

export class ServiceChild {
  readonly #process: ChildProcess
  readonly #listening = Promise.withResolvers<void>()
  /** The process is gone, and so is its output. */
  readonly #closed: Promise<unknown>
  readonly #onLine: (line: string) => void
  /** Its last lines of standard error and output; that it listens, and what Node.js says of the debugger, is not among them. */
  readonly log: string[] = []
  /** Empty while it does not listen yet. */
  url = ''
  /** The addresses of SMTP submission; empty: it is off. */
  submissionUrls: string[] = []
  /** The addresses for returned mail; empty: there are none. */
  bounceUrls: string[] = []
  /** Address of the debugger; null: there is none. */
  inspector: string | null = null
  /** Null: the database was there already. */
  firstStart: FirstStart | null = null

  constructor({ command, env, cwd, onLine = () => {} }: ChildChoice) {
    const [file, ...args] = command
    this.#onLine = onLine
    this.#process = spawn(file!, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] })
    this.#closed = once(this.#process, 'close').catch((error: unknown) => this.#hear(String(error)))
    createInterface(this.#process.stdout!).on('line', (line) => this.#hear(line))
    createInterface(this.#process.stderr!).on('line', (line) => this.#hear(line))
    const { promise, reject } = this.#listening
    // Not every caller awaits this promise.
    promise.catch(() => {})
    this.#process.once('error', reject)
    this.#process.once('exit', (code, signal) => {
      reject(new Error(`serve ended (${code ?? signal}) before it listened:\n${this.log.join('\n')}`))
    })
  }

  #hear(line: string): void {
    if (line.startsWith('{"url"')) {
      const { url, submissionUrls = [], bounceUrls = [], firstStart } = JSON.parse(line) as Listening
      this.url = url
      this.submissionUrls = submissionUrls
      this.bounceUrls = bounceUrls
      this.firstStart = firstStart
      this.#listening.resolve()
    } else if (line.startsWith('Debugger listening on ')) {
      // Processes that the service starts print this line, too, but later.
      this.inspector ??= line.slice(22)
    } else if (!line.startsWith('Debugger ') && !line.startsWith('For help, see')) {
      this.log.push(line)
      if (this.log.length > LINES) this.log.shift()
      this.#onLine(line)
    }
  }

  get pid(): number {
    return this.#process.pid!
  }

  /** The port of the first address of SMTP submission. */
  get submissionPort(): number {
    return Number(new URL(this.submissionUrls[0]!).port)
  }

  /** The port of the first address for returned mail. */
  get bouncePort(): number {
    return Number(new URL(this.bounceUrls[0]!).port)
  }

  get alive(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null
  }

  get port(): number {
    return Number(new URL(this.url).port)
  }

  /** Exit code, or the name of the signal that ended it. */
  get end(): number | string {
    return this.#process.exitCode ?? this.#process.signalCode ?? 'unknown'
  }

  /** Rejects when the process ends before. */
  async listening(): Promise<void> {
    await this.#listening.promise
  }

  /** Sends the signal without waiting for the end. False: the process has ended already. */
  signal(signal: NodeJS.Signals): boolean {
    return this.#process.kill(signal)
  }

  /** Sends the signal at once; resolves with the exit code (or the signal's name) when the process is gone. */
  async kill(signal: NodeJS.Signals): Promise<number | string> {
    if (this.alive) {
      const gone = once(this.#process, 'exit')
      this.#process.kill(signal)
      await gone
    }
    return this.end
  }

  /** Resolves when the process is gone, whoever ended it. */
  async ended(): Promise<void> {
    if (this.alive) await once(this.#process, 'exit')
  }

  /** Resolves with the last lines of its output, read to the end, when the process is gone. */
  async lastLines(): Promise<string[]> {
    await this.#closed
    return this.log
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill('SIGKILL')
  }
}
