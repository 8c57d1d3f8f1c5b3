import { Worker } from 'node:worker_threads'
import type { Courier } from '../courier.ts'
import type { Delivery, DeliveryResult } from '../delivery.ts'
import type { RouteLog } from '../route/route.ts'
import { type FlatDelivery, flatDelivery, resultOf } from './flat.ts'
import { Gathered } from './gathered.ts'
import type { FromThread, ThreadOptions, ToThread } from './message.ts'

interface UnderWay {
  delivery: Delivery
  startedAt: number
  resolve: (result: DeliveryResult) => void
}

/** One delivery thread with what it has under way. It starts with its first delivery, and again after it has died. */
class DeliveryThread {
  readonly #options: ThreadOptions
  readonly #log: RouteLog
  readonly #underWay = new Map<number, UnderWay>()
  readonly #knownKeys = new Set<string>()
  readonly #gathered = new Gathered<FlatDelivery>((deliveries) => this.#say({ kind: 'deliver', deliveries }))
  #worker: Worker | null = null
  #number = 0
  #closing: (() => void) | null = null

  constructor(options: ThreadOptions, log: RouteLog) {
    this.#options = options
    this.#log = log
  }

  get load(): number {
    return this.#underWay.size
  }

  deliver(delivery: Delivery): Promise<DeliveryResult> {
    for (const key of delivery.signing) {
      if (this.#knownKeys.has(key.id)) continue
      this.#knownKeys.add(key.id)
      this.#say({ kind: 'key', key })
    }
    const number = this.#number++
    const { promise, resolve } = Promise.withResolvers<DeliveryResult>()
    this.#underWay.set(number, { delivery, startedAt: Date.now(), resolve })
    this.#gathered.add(flatDelivery(number, delivery))
    return promise
  }

  close(ms: number): Promise<void> {
    this.#gathered.flush()
    if (this.#worker === null) return Promise.resolve()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#closing = resolve
    this.#say({ kind: 'close', ms })
    return promise
  }

  #say(message: ToThread): void {
    this.#worker ??= this.#start()
    this.#worker.postMessage(message)
  }

  #start(): Worker {
    // The operating system shows the name: `top -H` tells who is busy.
    const worker = new Worker(new URL('./delivery-thread.ts', import.meta.url), {
      name: 'delivery',
      workerData: this.#options,
    })
    worker.on('message', (message: FromThread) => {
      switch (message.kind) {
        case 'results':
          for (const flat of message.results) {
            const [number] = flat
            const underWay = this.#underWay.get(number)
            this.#underWay.delete(number)
            underWay?.resolve(resultOf(flat, underWay.delivery.emailId))
          }
          return
        case 'log':
          this.#log(message.level, message.message, message.detail)
          return
        case 'closed':
          this.#closing?.()
      }
    })
    let cause = 'it ended'
    worker.on('error', (error) => {
      cause = String(error)
    })
    worker.on('exit', () => this.#died(cause))
    return worker
  }

  /** Nobody knows how far its deliveries had come: their final dot may have been sent. */
  #died(cause: string): void {
    const lost = [...this.#underWay.values()]
    this.#underWay.clear()
    this.#gathered.clear()
    this.#knownKeys.clear()
    this.#worker = null
    if (this.#closing === null) {
      this.#log('error', 'A delivery thread died; another takes its place', {
        cause,
        deliveries: lost.length,
      })
    }
    for (const { delivery, startedAt, resolve } of lost) resolve(uncertain(delivery, startedAt, cause))
    this.#closing?.()
  }
}

/** Spreads deliveries over threads; each has its own sessions. */
export class ThreadedCourier implements Courier {
  readonly #threads: DeliveryThread[]

  constructor(threads: number, options: ThreadOptions, log: RouteLog) {
    this.#threads = Array.from({ length: threads }, () => new DeliveryThread(options, log))
  }

  deliver(delivery: Delivery): Promise<DeliveryResult> {
    return this.#threads
      .reduce((least, thread) => (thread.load < least.load ? thread : least))
      .deliver(delivery)
  }

  async close(ms: number): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close(ms)))
  }
}

function uncertain(delivery: Delivery, startedAt: number, cause: string): DeliveryResult {
  const message = `The thread that delivered this died (${cause}); whether the server accepted it is not known`
  return {
    emailId: delivery.emailId,
    outcomes: delivery.recipients.map(({ position }) => ({ position, verdict: 'uncertain', message })),
    server: delivery.preferredServer,
    dialogue: '',
    startedAt,
    duration: Date.now() - startedAt,
    tls: null,
  }
}
