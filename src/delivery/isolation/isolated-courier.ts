import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { SendingRight } from '../../cluster/sending-right.ts'
import { type Log, writeLine } from '../../common/logging.ts'
import { notAttempted } from '../../email/not-attempted.ts'
import type { DeathCause } from '../../workers/error.ts'
import type { Courier, Crash, Delivery, DeliveryResult, RecipientOutcome } from '../delivery.ts'
import { releasedOutcome, unansweredOutcome } from '../outcome.ts'
import { flatDelivery } from '../thread/flat.ts'
import type { CourierOptions } from '../thread/message.ts'
import type { FromProcess, IsolatedDelivery, ToProcess } from './message.ts'

/** Heap of the process, in MiB. */
const MEMORY = 512
/** Milliseconds that composing and signing one message may take. */
const DEADLINE_MS = 30_000
/** Milliseconds after which a delivery that is tried alone no longer keeps the others from beginning. */
const ALONE_MS = 20_000
/** Milliseconds without work after which the process ends. */
const IDLE_MS = 10_000
/** Milliseconds between two copies of the sending right to the process: a copy holds for some seconds longer. */
const RIGHT_MS = 250
/** Milliseconds between two attempts to start the process, when it cannot be started. */
const RESTART_MS = 2_000

interface IsolatedItem {
  number: number
  delivery: Delivery
  startedAt: number
  resolve: (result: DeliveryResult) => void
}

interface IsolatedCourierOptions {
  process: CourierOptions
  right: SendingRight
  log: Log
  /** Called when the process died of a delivery. */
  onDeath(cause: DeathCause): void
  /** Milliseconds; for tests. */
  deadline?: number
}

/**
 * Delivers suspect mail in a process of its own, which may die of it. Messages are composed there one at a time, so
 * that a death can be blamed on one of them; a composed message is sent while the next one is composed. A delivery that
 * was being sent, not alone, when the process died is tried once more, alone. The process starts when it is needed.
 */
export class IsolatedCourier implements Courier {
  readonly #options: IsolatedCourierOptions
  #waiting: IsolatedItem[] = []
  #preparing: IsolatedItem | null = null
  readonly #sending = new Map<number, IsolatedItem>()
  /** A delivery that was being sent when a process died: for a while it is tried alone. */
  #alone: IsolatedItem | null = null
  #process: ChildProcess | null = null
  #started = false
  /** The reason why the service ends the process. */
  #sentence: DeathCause | null = null
  #number = 0
  #deadline: NodeJS.Timeout | undefined
  #aloneTimer: NodeJS.Timeout | undefined
  #idleTimer: NodeJS.Timeout | undefined
  #rightTimer: NodeJS.Timeout | undefined
  #restartTimer: NodeJS.Timeout | undefined
  #closing: (() => void) | null = null
  #closed = false

  constructor(options: IsolatedCourierOptions) {
    this.#options = options
  }

  /** Never rejects. */
  deliver(delivery: Delivery): Promise<DeliveryResult> {
    const { promise, resolve } = Promise.withResolvers<DeliveryResult>()
    const item = { number: this.#number++, delivery, startedAt: Date.now(), resolve }
    if (this.#closed) giveBack(item)
    else {
      this.#waiting.push(item)
      this.#pump()
    }
    return promise
  }

  async close(ms: number): Promise<void> {
    this.#closed = true
    clearTimeout(this.#restartTimer)
    for (const item of this.#waiting.splice(0)) giveBack(item)
    if (this.#process === null) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#closing = resolve
    if (this.#started) this.#say({ kind: 'close', ms })
    else this.#process.kill('SIGKILL')
    // A process that is composing a message does not receive the request to close.
    const patience = setTimeout(() => this.#process?.kill('SIGKILL'), ms + 1_000)
    await promise
    clearTimeout(patience)
  }

  #pump(): void {
    const next = this.#waiting[0]
    if (next === undefined || this.#preparing !== null || this.#alone !== null || this.#closed) return
    const alone = next.delivery.suspicion === 2
    if (alone && this.#sending.size > 0) return
    clearTimeout(this.#idleTimer)
    if (this.#process === null) this.#start()
    if (!this.#started) return
    this.#waiting.shift()
    this.#preparing = next
    if (alone) this.#keepAlone(next)
    this.#copyRight()
    this.#deadline = setTimeout(() => this.#condemn('time'), this.#options.deadline ?? DEADLINE_MS)
    this.#say({ kind: 'deliver', ...isolatedDelivery(next) })
  }

  #keepAlone(item: IsolatedItem): void {
    this.#alone = item
    this.#aloneTimer = setTimeout(() => this.#noLongerAlone(), ALONE_MS)
  }

  #noLongerAlone(): void {
    clearTimeout(this.#aloneTimer)
    this.#alone = null
    this.#pump()
  }

  #start(): void {
    if (this.#restartTimer !== undefined) return
    // The process gets no setting that it does not need.
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !name.startsWith('POSTROAD_')),
    )
    const child = fork(fileURLToPath(new URL('./isolated-process.ts', import.meta.url)), {
      // The initial size is that of our threads (src/main.ts): V8 accepts compiled code only under the flags of its
      // compilation.
      execArgv: [...process.execArgv, '--initial-old-space-size=16', `--max-old-space-size=${MEMORY}`],
      serialization: 'advanced',
      env,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    this.#process = child
    this.#started = false
    this.#sentence = null
    child.on('message', (message: FromProcess) => this.#hear(message))
    // A message that cannot be sent to the process is explained by the process's end.
    child.on('error', () => {})
    let gone = false
    const died = (code: number | null, signal: NodeJS.Signals | null) => {
      if (gone) return
      gone = true
      this.#died(code, signal)
    }
    child.once('exit', died)
    if (child.pid === undefined) queueMicrotask(() => died(null, null))
    this.#say({ kind: 'start', options: this.#options.process, parent: process.pid })
    this.#copyRight()
    this.#rightTimer = setInterval(() => this.#copyRight(), RIGHT_MS)
  }

  #say(message: ToProcess): void {
    this.#process?.send(message, () => {})
  }

  #copyRight(): void {
    this.#say({ kind: 'right', values: [...new BigInt64Array(this.#options.right.shared)] })
  }

  #hear(message: FromProcess): void {
    switch (message.kind) {
      case 'started':
        this.#started = true
        this.#pump()
        return
      case 'prepared':
        this.#prepared(message.number)
        return
      case 'result': {
        const item = this.#sending.get(message.number)
        this.#sending.delete(message.number)
        item?.resolve(message.result)
        if (item === this.#alone) this.#noLongerAlone()
        this.#pump()
        this.#rest()
        return
      }
      case 'log':
        writeLine(this.#options.log, message.line)
        return
      case 'closed':
        return
    }
  }

  #prepared(number: number): void {
    const item = this.#preparing
    if (item === null || item.number !== number) return
    clearTimeout(this.#deadline)
    this.#preparing = null
    this.#sending.set(number, item)
    this.#pump()
  }

  #rest(): void {
    const idle = this.#waiting.length === 0 && this.#preparing === null && this.#sending.size === 0
    if (!idle || this.#process === null) return
    clearTimeout(this.#idleTimer)
    this.#idleTimer = setTimeout(() => {
      if (this.#started) this.#say({ kind: 'close', ms: 1_000 })
      // From here on no delivery belongs to this process: the next one starts another process.
      this.#forget()
    }, IDLE_MS).unref()
  }

  #condemn(cause: DeathCause): void {
    this.#sentence = cause
    this.#process?.kill('SIGKILL')
  }

  #forget(): void {
    clearInterval(this.#rightTimer)
    clearTimeout(this.#deadline)
    clearTimeout(this.#idleTimer)
    clearTimeout(this.#aloneTimer)
    this.#process?.removeAllListeners('message')
    this.#process?.removeAllListeners('exit')
    this.#process = null
    this.#alone = null
  }

  #died(code: number | null, signal: NodeJS.Signals | null): void {
    const sentence = this.#sentence
    const wasStarted = this.#started
    const preparing = this.#preparing
    const sending = [...this.#sending.values()]
    this.#preparing = null
    this.#sending.clear()
    this.#forget()
    if (this.#closing !== null) {
      for (const item of preparing === null ? [] : [preparing]) giveBack(item)
      for (const item of sending) uncertain(item, 0)
      this.#closing()
      return
    }
    const how = signal ?? `code ${code}`
    if (!wasStarted) {
      this.#failedToStart(how)
      return
    }
    this.#blame(preparing, sending, { how, sentence, foreign: sentence === null && signal === 'SIGKILL' })
    this.#pump()
  }

  /**
   * `foreign`: the process was ended from outside, perhaps by the system for want of memory. That may happen to any
   * delivery once.
   */
  #blame(
    preparing: IsolatedItem | null,
    sending: IsolatedItem[],
    { how, sentence, foreign }: { how: string; sentence: DeathCause | null; foreign: boolean },
  ): void {
    if (preparing === null && sending.length === 0) return
    const cause = sentence ?? (foreign ? 'memory' : 'crash')
    this.#options.onDeath(cause)
    const suspect = preparing ?? (sending.length === 1 ? sending[0]! : null)
    const sure = suspect !== null && (!foreign || suspect.delivery.suspicion === 2)
    for (const item of sending) if (item !== suspect) uncertain(item, preparing === null ? 2 : 1)
    if (suspect === null) return
    const during = suspect === preparing ? 'composing' : 'sending'
    if (sure) condemn(suspect, { during, cause, how })
    else if (suspect === preparing) giveBack(suspect, 2)
    else uncertain(suspect, 2)
  }

  /** No delivery is to blame; the mail waits. */
  #failedToStart(how: string): void {
    this.#options.log.error({ how }, 'Could not start the isolated process for suspect mail; retrying')
    this.#restartTimer = setTimeout(() => {
      this.#restartTimer = undefined
      this.#pump()
    }, RESTART_MS).unref()
  }
}

function isolatedDelivery({ number, delivery }: IsolatedItem): IsolatedDelivery {
  const { policy, source } = delivery.path
  const keys = delivery.signing.map(({ privateKey, ...key }) => {
    return { ...key, privateKey: privateKey.export({ format: 'der', type: 'pkcs8' }) }
  })
  return { delivery: flatDelivery(number, delivery), keys, policy, source }
}

function resolveWith(
  { delivery, startedAt, resolve }: IsolatedItem,
  outcome: (position: number) => RecipientOutcome,
  more: Pick<DeliveryResult, 'condemned'> = {},
): void {
  resolve({ ...unansweredOutcome(delivery, startedAt, outcome), ...more })
}

function giveBack(item: IsolatedItem, suspicion: 0 | 2 = 0): void {
  const why =
    suspicion === 0
      ? 'the service is stopping'
      : 'its isolated process was killed from outside; it will be attempted again'
  const message = notAttempted(why)
  resolveWith(item, (position) => ({ ...releasedOutcome(position, message), suspicion }))
}

/** The final dot may have been sent. */
function uncertain(item: IsolatedItem, suspicion: 0 | 1 | 2): void {
  const message =
    'The process that was delivering this message ended; whether the server accepted the message is unknown'
  resolveWith(item, (position) => ({ position, verdict: 'uncertain', message, suspicion }))
}

function condemn(item: IsolatedItem, { during, cause, how }: Omit<Crash, 'message'> & { how: string }): void {
  const why = cause === 'time' ? 'took longer than allowed' : `crashed the process (${how})`
  const message =
    `In quarantine: ${during} it ${why}, again when attempted alone. ` +
    'Release it with `postroad queue release`, or cancel it with `postroad email cancel`'
  resolveWith(item, (position) => releasedOutcome(position, message), {
    condemned: { during, cause, message },
  })
}
