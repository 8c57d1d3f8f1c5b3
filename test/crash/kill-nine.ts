/**
 * Kills the service with SIGKILL at chosen points while it accepts and delivers, starts it again on the same directory, and in the end
 * counts: accepted mail that never arrived (must be none), mail that arrived twice, and whether each double had a reason that no mailer
 * can avoid (its final dot had been received, and the answer to it was not on record when the kill came).
 */

import type { ServiceChild } from '../../harness/service/service-child.ts'
import { Installation } from '../support/installation.ts'
import {
  type Moment,
  type Reaction,
  type Sink,
  type SinkMessage,
  type Step,
  startSink,
} from '../support/sink.ts'
import {
  CRASH_DOMAIN,
  CrashLoad,
  DIALECTS,
  type Dialect,
  numberOfSubject,
  type SentRequest,
} from './crash-load.ts'
import { readStored, type Stored } from './stored.ts'

/** `request`: a random moment after a request was written. The others: exactly at that step of the SMTP dialogue. */
export const KILL_POINTS = ['request', 'connect', 'mail', 'rcpt', 'body', 'dot', 'answered'] as const
export type KillPoint = (typeof KILL_POINTS)[number]

export interface KillOptions {
  /** Points in the order in which they are used. */
  points: KillPoint[]
  /** Senders at once. */
  workers?: number
  /** Numbers from 0 to 1; makes the run repeatable as far as the machine allows. */
  random?: () => number
  onKill?: (kill: number, point: KillPoint) => void
  settings?: Record<string, string>
}

export type DoubleCause =
  /** Killed between the final dot and our 250. */
  | 'dot'
  /** Killed after our 250 and before the service had recorded it. */
  | 'answered'
  /** The service knew that the message was delivered, or was not even killed. A defect. */
  | 'unexplained'

export interface Doubled {
  number: number
  cause: DoubleCause
  /** Ms from the first final dot to the kill: how long an answer can be without a record. NaN without a kill. */
  age: number
}

export interface KillReport {
  kills: Record<KillPoint, number>
  accepted: Record<Dialect, number>
  /** Requests with an idempotency key that had no answer and were sent again. */
  repeated: number
  /** Form requests that had no answer: they may have been accepted or not. */
  unanswered: number
  /** Distinct messages that arrived. */
  arrived: number
  /** Numbers of accepted messages that never arrived. */
  lost: number[]
  doubled: Doubled[]
  /** Requests that the store holds more than once, or holds not at all although they were accepted. */
  storedWrongly: (SentRequest & { times: number })[]
  /** Answers that were neither 200 nor 503. */
  surprises: string[]
}

const STEP_OF_POINT: Partial<Record<Step, KillPoint>> = {
  connect: 'connect',
  mail: 'mail',
  rcpt: 'rcpt',
  body: 'body',
  dot: 'dot',
  answered: 'answered',
}

/** Longest wait for a kill point to come up, and for the last message to arrive, in ms. */
const PATIENCE = 60_000

interface Arrival {
  message: SinkMessage
  /** Which life of the service delivered it, from 0. */
  life: number
}

function numberOfMessage(message: SinkMessage): number {
  const subject = /^Subject: *(.*?)\r$/im.exec(message.raw.toString('latin1', 0, 4096))?.[1] ?? ''
  const number = numberOfSubject(subject)
  if (number === null) throw new Error(`a message that nobody sent: ${subject}`)
  return number
}

class KillRun {
  readonly #options: KillOptions
  readonly #random: () => number
  readonly #sink: Sink
  readonly #installation: Installation
  readonly #load: CrashLoad
  /** By session number of the sink. */
  readonly #lifeOfSession = new Map<number, number>()
  /** For each life that was killed: what its store held afterwards. */
  readonly #recorded: Map<number, Stored>[] = []
  /** Unix ms, for each life that was killed. */
  readonly #killedAt: number[] = []
  readonly #kills: Record<KillPoint, number> = Object.fromEntries(
    KILL_POINTS.map((point) => [point, 0]),
  ) as Record<KillPoint, number>
  #life = 0
  #child: ServiceChild | undefined
  #armed: KillPoint | null = null
  #fired = Promise.withResolvers<void>()

  constructor(options: KillOptions, sink: Sink, installation: Installation, token: string) {
    this.#options = options
    this.#random = options.random ?? Math.random
    this.#sink = sink
    this.#installation = installation
    this.#load = new CrashLoad(token)
    sink.script = (moment) => this.#atStep(moment)
  }

  async run(): Promise<KillReport> {
    this.#load.start(this.#options.workers ?? 9)
    for (const [index, point] of this.#options.points.entries()) {
      await this.#liveAndDie(point)
      this.#options.onKill?.(index + 1, point)
    }
    await this.#start()
    this.#load.up(this.#child!)
    await this.#load.finish()
    const awaited = this.#load.requests.filter(({ accepted }) => accepted).map(({ number }) => number)
    await this.#drained(awaited)
    return this.#count(awaited)
  }

  /** One life of the service: it works for a while, and is killed at `point`. */
  async #liveAndDie(point: KillPoint): Promise<void> {
    this.#fired = Promise.withResolvers<void>()
    // A session is opened only at the start of a life, so that this point is armed before anything is accepted.
    if (point === 'connect') this.#armed = point
    await this.#start()
    this.#load.up(this.#child!)
    if (point !== 'connect') {
      await this.#acceptedMore(5 + Math.floor(this.#random() * 60))
      this.#armed = point
      if (point === 'request') this.#load.onWritten = () => this.#soon()
    }
    const timer = setTimeout(
      () =>
        this.#fired.reject(
          new Error(`${point} did not come up; the service said:\n${this.#child!.log.join('\n')}`),
        ),
      PATIENCE,
    )
    await this.#fired.promise.finally(() => clearTimeout(timer))
    this.#load.down()
    await this.#child!.kill('SIGKILL')
    this.#kills[point]++
    this.#recorded.push(await readStored(await this.#installation.databaseUrl()))
    this.#life++
  }

  async #start(): Promise<void> {
    this.#child = await this.#installation.serve()
  }

  #acceptedMore(count: number): Promise<void> {
    return new Promise((resolve) => {
      let left = count
      this.#load.onAccepted = () => {
        if (--left <= 0) resolve()
      }
    })
  }

  #soon(): void {
    if (this.#armed !== 'request') return
    this.#armed = null
    setTimeout(() => this.#fire(), this.#random() * 4)
  }

  #fire(): void {
    process.kill(this.#child!.pid, 'SIGKILL')
    this.#killedAt.push(Date.now())
    this.#fired.resolve()
  }

  #atStep({ step, session }: Moment): Reaction | undefined {
    if (step === 'connect') this.#lifeOfSession.set(session, this.#life)
    if (this.#armed === null || STEP_OF_POINT[step] !== this.#armed) return undefined
    this.#armed = null
    this.#fire()
    return { close: true }
  }

  #arrivals(): Map<number, Arrival[]> {
    const arrivals = new Map<number, Arrival[]>()
    for (const message of this.#sink.messages) {
      const number = numberOfMessage(message)
      const arrival = { message, life: this.#lifeOfSession.get(message.session)! }
      arrivals.set(number, [...(arrivals.get(number) ?? []), arrival])
    }
    return arrivals
  }

  /** Waits until every awaited message arrived, and then until nothing is left to be delivered. */
  async #drained(awaited: number[]): Promise<void> {
    const missing = new Set(awaited)
    let looked = 0
    const ready = () => {
      for (; looked < this.#sink.messages.length; looked++)
        missing.delete(numberOfMessage(this.#sink.messages[looked]!))
      return missing.size === 0
    }
    // What is missing at the end is reported as lost, not as a failure of the waiting.
    await this.#sink.when(ready, 'every accepted message').catch(() => {})
    const deadline = Date.now() + PATIENCE
    while ((await this.#installation.command<unknown[]>('queue')).length > 0 && Date.now() < deadline);
    await this.#child!.kill('SIGTERM')
  }

  /** Why a message that had arrived was sent once more. */
  #explain({ message, life }: Arrival, later: Arrival, number: number): Doubled {
    const afterKill = this.#recorded[life]
    const age = (this.#killedAt[life] ?? Number.NaN) - message.at
    const avoidable =
      later.life === life || afterKill === undefined || afterKill.get(number)?.delivered === true
    return { number, cause: avoidable ? 'unexplained' : message.answer === null ? 'dot' : 'answered', age }
  }

  async #count(awaited: number[]): Promise<KillReport> {
    const arrivals = this.#arrivals()
    const { requests, surprises } = this.#load
    const doubled = [...arrivals].flatMap(([number, list]) =>
      list.slice(1).map((later, index) => this.#explain(list[index]!, later, number)),
    )
    const stored = await readStored(await this.#installation.databaseUrl())
    return {
      kills: this.#kills,
      accepted: Object.fromEntries(
        DIALECTS.map((name) => [
          name,
          requests.filter(({ accepted, dialect }) => accepted && dialect === name).length,
        ]),
      ) as Record<Dialect, number>,
      repeated: requests.filter(({ tries, dialect }) => tries.length > 1 && dialect !== 'form').length,
      unanswered: requests.filter(({ accepted }) => !accepted).length,
      arrived: arrivals.size,
      lost: awaited.filter((number) => !arrivals.has(number)),
      doubled,
      storedWrongly: requests
        .map((request) => ({ ...request, times: stored.get(request.number)?.times ?? 0 }))
        .filter(({ accepted, times }) => times > 1 || (accepted && times === 0)),
      surprises,
    }
  }
}

export async function runKills(options: KillOptions): Promise<KillReport> {
  await using sink = await startSink()
  await using installation = new Installation({
    POSTROAD_DELIVERY: `smtp://127.0.0.1:${sink.port}?tls=off`,
    POSTROAD_RETRY_SCHEDULE: '1s,1s,1s,1s,2s,2s,2s,5s,5s,5s',
    POSTROAD_SUBMISSION_LISTEN: 'smtp://127.0.0.1:0',
    ...options.settings,
  })
  const { token } = await installation.addTenant(CRASH_DOMAIN)
  return await new KillRun(options, sink, installation, token).run()
}
