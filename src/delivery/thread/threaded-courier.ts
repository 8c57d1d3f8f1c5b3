import { UnrecordedMessages } from '../../cluster/unrecorded-messages.ts'
import { type Log, writeLine } from '../../common/logging.ts'
import { SupervisedThread } from '../../threads/supervised-thread.ts'
import { WorkerDied, WorkersBusy } from '../../workers/error.ts'
import { buffersBeneath } from '../../workers/job.ts'
import type {
  Courier,
  Delivery,
  DeliveryOwed,
  DeliveryResult,
  OwedQuestion,
  SessionSharing,
} from '../delivery.ts'
import { unansweredOutcome } from '../outcome.ts'
import { sourcePolicyId } from '../path/path.ts'
import type { PreparedMessage } from '../prepare.ts'
import type { OutgoingMessage } from '../smtp/transaction.ts'
import { type FlatDelivery, type FlatSharing, flatDelivery, resultOf } from './flat.ts'
import type {
  ComposeResult,
  DeliveryThreadData,
  DeliveryThreadOptions,
  FromThread,
  ToThread,
} from './message.ts'
import { TurnBatch } from './turn-batch.ts'

type PostToThread = (message: ToThread, moved?: ArrayBuffer[]) => void

/** Prepares a large message; null for one that the delivery thread prepares. */
type PrepareLarge = (delivery: Delivery) => PreparedMessage | null

/** Keys and policies sent to a thread before it forgets them all: every change of a route or key adds another one. */
const MAX_SENT = 10_000

/** Milliseconds in which a thread has to answer a question; a person waits for it. */
const ANSWER_MS = 1_000

interface PostedDelivery {
  delivery: Delivery
  /** Set for a large message. */
  prepared: PreparedMessage | null
  sharing: SessionSharing | null
  /** Called when it cannot be cut short because it waits for the answer to its final dot. */
  atDot?: () => void
  startedAt: number
  resolve: (result: DeliveryResult) => void
}

/**
 * One delivery thread with its deliveries under way. It starts with its first delivery, and again after it has died.
 */
class DeliveryThread {
  /** From 1. */
  readonly #number: number
  readonly #unrecorded: UnrecordedMessages
  readonly #log: Log
  readonly #elsewhere: PrepareLarge
  readonly #underWay = new Map<number, PostedDelivery>()
  /** The numbers of deliveries that wait for the answer to their final dot. */
  readonly #atDot = new Map<Delivery, number>()
  /** Ids of the keys and policies that were sent to it. */
  readonly #sent = new Set<string>()
  readonly #gathered = new TurnBatch<FlatDelivery>((deliveries) => this.#say({ kind: 'deliver', deliveries }))
  readonly #thread: SupervisedThread<ToThread, FromThread>
  /** Questions to the thread, by number. */
  readonly #questions = new Map<number, (owed: DeliveryOwed[]) => void>()
  #deliveries = 0
  #asked = 0
  #closing: (() => void) | null = null

  constructor(number: number, options: DeliveryThreadOptions, log: Log, elsewhere: PrepareLarge) {
    this.#number = number
    this.#unrecorded = new UnrecordedMessages(options.unrecorded)
    this.#log = log
    this.#elsewhere = elsewhere
    const module = new URL('./delivery-thread.ts', import.meta.url)
    this.#thread = new SupervisedThread(
      { module, name: 'delivery', workerData: { ...options, thread: number } satisfies DeliveryThreadData },
      {
        message: (said, answer) => this.#hear(said, answer),
        ended: (cause) => this.#died(cause === null ? 'it ended' : String(cause)),
      },
    )
  }

  get load(): number {
    return this.#underWay.size
  }

  /** The number of a delivery that waits for the answer to its final dot. */
  numberAtDot(delivery: Delivery): number | undefined {
    return this.#atDot.get(delivery)
  }

  deliver(delivery: Delivery, sharing: SessionSharing | null): Promise<DeliveryResult> {
    if (this.#sent.size >= MAX_SENT) this.#forget()
    for (const key of delivery.signing) if (this.#isNew(key.id)) this.#say({ kind: 'key', key })
    const { policy, source } = delivery.path
    const id = sourcePolicyId(delivery.path)
    if (this.#isNew(id)) this.#say({ kind: 'policy', id, policy, source })
    const number = this.#deliveries++
    const { promise, resolve } = Promise.withResolvers<DeliveryResult>()
    const prepared = this.#elsewhere(delivery)
    this.#underWay.set(number, { delivery, prepared, sharing, startedAt: Date.now(), resolve })
    const behind = (sharing?.behind && this.#atDot.get(sharing.behind)) ?? null
    this.#gathered.add(flatDelivery(number, delivery, prepared !== null, behind))
    return promise
  }

  /** False when it has no such delivery. */
  cutShort(delivery: Delivery, atDot: () => void): boolean {
    for (const [number, posted] of this.#underWay) {
      if (posted.delivery !== delivery) continue
      posted.atDot = atDot
      this.#say({ kind: 'cut-short', delivery: number })
      return true
    }
    return false
  }

  /** Empty also if the thread is too busy to answer in time. */
  async owed(question: OwedQuestion): Promise<DeliveryOwed[]> {
    if (!this.#has(question.emailId)) return []
    const request = this.#asked++
    const { promise, resolve } = Promise.withResolvers<DeliveryOwed[]>()
    this.#questions.set(request, resolve)
    const patience = setTimeout(resolve, ANSWER_MS, [])
    this.#say({ kind: 'owed', request, question })
    const owed = await promise
    clearTimeout(patience)
    this.#questions.delete(request)
    return owed
  }

  #has(emailId: string): boolean {
    for (const { delivery } of this.#underWay.values()) if (delivery.email.id === emailId) return true
    return false
  }

  #isNew(id: string): boolean {
    if (this.#sent.has(id)) return false
    this.#sent.add(id)
    return true
  }

  /** Keys and policies sent before are sent again with the deliveries that need them. */
  #forget(): void {
    this.#gathered.flush()
    this.#sent.clear()
    this.#say({ kind: 'forget' })
  }

  close(ms: number): Promise<void> {
    this.#gathered.flush()
    if (this.#thread.running === null) return Promise.resolve()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#closing = resolve
    this.#say({ kind: 'close', ms })
    return promise
  }

  #say(message: ToThread): void {
    this.#thread.post(message)
  }

  #hear(message: FromThread, answer: PostToThread): void {
    switch (message.kind) {
      case 'results':
        for (const [number, what] of message.results) {
          if (typeof what === 'string') this.#shares(number, what)
          else this.#ended(number, resultOf([number, what]))
        }
        return
      case 'log':
        writeLine(this.#log, message.line)
        return
      case 'compose':
        void this.#compose(answer, message)
        return
      case 'owed':
        this.#questions.get(message.request)?.(message.owed)
        return
      case 'closed':
        this.#closing?.()
    }
  }

  #shares(number: number, what: FlatSharing[1]): void {
    const underWay = this.#underWay.get(number)
    if (underWay === undefined) return
    if (what === 'dot') {
      this.#atDot.set(underWay.delivery, number)
      underWay.sharing?.onDot()
    } else if (what === 'apart') underWay.sharing?.onApart()
    else underWay.atDot?.()
  }

  #ended(number: number, result: DeliveryResult): void {
    const underWay = this.#underWay.get(number)
    if (underWay === undefined) return
    this.#underWay.delete(number)
    this.#atDot.delete(underWay.delivery)
    if (result.handedOver) this.#unrecorded.received(this.#number)
    underWay.resolve(result)
  }

  /** The answer goes to the thread that asked, or nowhere if that thread has died meanwhile. */
  async #compose(
    answer: PostToThread,
    { request, delivery, capabilities }: Extract<FromThread, { kind: 'compose' }>,
  ): Promise<void> {
    const prepared = this.#underWay.get(delivery)?.prepared
    if (!prepared) return
    const composed = await prepared(capabilities).then(
      (message): ComposeResult => ({ message }),
      composeFailure,
    )
    const buffers = 'message' in composed ? octetsOf(composed.message) : []
    answer({ kind: 'composed', request, composed }, buffers)
  }

  /** The state of its deliveries is unknown: their final dot may have been sent. */
  #died(cause: string): void {
    const lost = [...this.#underWay.values()]
    this.#underWay.clear()
    this.#atDot.clear()
    this.#gathered.clear()
    this.#sent.clear()
    this.#unrecorded.lost(this.#number, lost.length)
    if (this.#closing === null) {
      const facts = { cause, deliveries: lost.length }
      this.#log.error(facts, 'A delivery thread crashed; a new thread replaces it')
    }
    for (const { delivery, startedAt, resolve } of lost) resolve(uncertain(delivery, startedAt, cause))
    this.#closing?.()
  }
}

/** Spreads deliveries over threads; each has its own sessions. */
export class ThreadedCourier implements Courier {
  readonly #threads: DeliveryThread[]

  constructor(
    threads: number,
    options: DeliveryThreadOptions,
    log: Log,
    elsewhere: PrepareLarge = () => null,
  ) {
    this.#threads = Array.from(
      { length: threads },
      (_, index) => new DeliveryThread(index + 1, options, log, elsewhere),
    )
  }

  deliver(delivery: Delivery, sharing: SessionSharing | null = null): Promise<DeliveryResult> {
    const before = sharing?.behind
    const same = before && this.#threads.find((thread) => thread.numberAtDot(before) !== undefined)
    const thread = same ?? this.#threads.reduce((least, each) => (each.load < least.load ? each : least))
    return thread.deliver(delivery, sharing)
  }

  cutShort(delivery: Delivery, atDot: () => void): void {
    this.#threads.some((thread) => thread.cutShort(delivery, atDot))
  }

  async owed(question: OwedQuestion): Promise<DeliveryOwed[]> {
    return (await Promise.all(this.#threads.map((thread) => thread.owed(question)))).flat()
  }

  async close(ms: number): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close(ms)))
  }
}

function composeFailure(error: unknown): ComposeResult {
  if (error instanceof WorkerDied) return { died: error.cause, detail: error.detail }
  const message = error instanceof Error ? error.message : String(error)
  return error instanceof WorkersBusy ? { busy: message } : { error: message }
}

/** A message is composed for one thread, which keeps it, so its buffers are transferred. */
function octetsOf({ chunks, stuffed }: OutgoingMessage): ArrayBuffer[] {
  return [...new Set(buffersBeneath([...chunks, ...(stuffed?.blocks ?? [])]))]
}

function uncertain(delivery: Delivery, startedAt: number, cause: string): DeliveryResult {
  const message = `The thread that was delivering this message crashed (${cause}); whether the server accepted the message is unknown`
  // One of these deliveries may be the one that the thread died of.
  const result = unansweredOutcome(delivery, startedAt, (position) => {
    return { position, verdict: 'uncertain', message, suspicion: 1 }
  })
  return { ...result, handedOver: true }
}
