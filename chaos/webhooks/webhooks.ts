/** Webhooks in a run: their endpoints and receiver, the end of what is to be told, and the count. */
import { setTimeout as pause } from 'node:timers/promises'
import { now } from '../../harness/clock.ts'
import { seedFor } from '../../harness/random.ts'
import type { Installation } from '../../harness/service/installation.ts'
import type { Tenant } from '../../harness/service/tenant.ts'
import type { Settings } from '../../src/config/settings.ts'
import { entryLog } from '../../src/events/entry-log.ts'
import { eventTypesIn } from '../../src/events/notices/unsent.ts'
import { lastEvents } from '../../src/events/page.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store, WebhookSubject } from '../../src/store/store.ts'
import type { FaultLog } from '../fault-log.ts'
import { checkTold, type WebhookReport } from './check.ts'
import { addEndpoints, type Endpoint } from './endpoints.ts'
import { Reached } from './reached.ts'
import { ReceiverLink } from './receiver-link.ts'

/** What waits for another try is told now, once in so many ms: the documented schedules go on for a day. */
const RETELL_MS = 5_000
/** Retries looked at. */
const MAX = 1_000_000

export class ChaosWebhooks implements AsyncDisposable {
  readonly receiver = new ReceiverLink()
  readonly #seed: number
  #companyId = ''
  /** Number of the last event before the endpoints were added. */
  #begunAfter = 0
  #endpoints: Endpoint[] = []
  #reached = new Reached(0)

  constructor(seed: number) {
    this.#seed = seed
  }

  async start(
    installation: Installation,
    { companyId }: Tenant,
    log: FaultLog,
    database: Settings['database'],
  ): Promise<void> {
    const { port } = await this.receiver.listening()
    this.#companyId = companyId
    this.#endpoints = await addEndpoints(installation, companyId, port)
    const store = await openStore(database, { exclusive: false })
    try {
      this.#begunAfter = await store.lastEventNumber()
    } finally {
      await store.close()
    }
    this.#reached = new Reached(this.#endpoints.length)
    this.receiver.start(seedFor(this.#seed, 'receiver'), this.#endpoints, this.#reached, log)
  }

  /** Does not wait for the schedule: messages that wait for another attempt are sent again, as an operator would. */
  async drain(database: Settings['database'], patienceMs: number, aborted: () => boolean): Promise<void> {
    const store = await openStore(database, { exclusive: false })
    try {
      let lastChange = now()
      let retoldAt = Number.NEGATIVE_INFINITY
      for (let before = ''; !aborted() && now() - lastChange < patienceMs; await pause(250)) {
        const left = await this.#left(store)
        if (left.length === 0) break
        const state = `${JSON.stringify(left)} ${this.#reached.requests}`
        if (state !== before) lastChange = now()
        before = state
        if (now() - retoldAt < RETELL_MS) continue
        retoldAt = now()
        for (const { id, subjects } of left) await store.replayWebhook(id, subjects, 0)
      }
    } finally {
      await store.close()
    }
    await this.receiver.settled()
  }

  /** Endpoints that are behind the log, or have messages that wait for another attempt. */
  async #left(store: Store): Promise<{ id: string; cursor: number; subjects: WebhookSubject[] }[]> {
    const webhooks = await store.webhooks({ companyId: this.#companyId })
    const left = webhooks.map(async ({ id, cursor, types }) => {
      const filter = { companyId: this.#companyId, ...(types.length > 0 && { types: eventTypesIn(types) }) }
      const [last] = (await lastEvents(entryLog(store), filter, 1)).events
      const retries = await store.webhookRetries(id, Number.MAX_SAFE_INTEGER, MAX)
      const done = retries.length === 0 && (last === undefined || last.number <= cursor)
      return done ? [] : [{ id, cursor, subjects: retries }]
    })
    return (await Promise.all(left)).flat()
  }

  async check(database: Settings['database']): Promise<WebhookReport> {
    const store = await openStore(database, { exclusive: false })
    try {
      return await checkTold(store, this.#companyId, this.#endpoints, this.#reached, this.#begunAfter)
    } finally {
      await store.close()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.receiver.close()
  }
}
