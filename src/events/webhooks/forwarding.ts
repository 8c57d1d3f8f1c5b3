/**
 * Webhooks for as long as somebody listens: the events of a company, told to a URL as a webhook of a dialect is, by the
 * same dispatcher. Where it has come to is in memory alone: nothing of it is left behind in the database, nor has the
 * service a part in it.
 */

import type { EventType, LoggedEvent } from '../../email/event.ts'
import type { ToldEvent } from '../../email/told-event.ts'
import type { Ask, NoAnswer } from '../../network/outgoing.ts'
import {
  type EventLog,
  type SearchStore,
  StoreUnavailable,
  type WebhookAttempt,
  type WebhookDialect,
  type WebhookProgress,
  type WebhookRetry,
} from '../../store/store.ts'
import { Teller } from '../tell.ts'
import { Dispatcher } from './dispatcher.ts'
import type { OpenWebhook } from './endpoint.ts'
import { keyOf } from './place.ts'
import { LISTENING_SCHEDULE } from './schedule.ts'

export interface Forwarded {
  companyId: string
  dialect: WebhookDialect
  url: string
  /** Empty: everything. */
  types: EventType[]
  secret: string
  /** The number of the event behind which it begins. */
  after: number
  userAgent: string
  /** Where the service is reached, for the URLs that are told. */
  base: string
}

export interface ForwardingEars {
  /** An answer came, or none in time. */
  onTried(attempt: WebhookAttempt, event: LoggedEvent): void
  /** Nobody takes connections there; events wait until somebody does. Told once. */
  onUnreachable(why: string): void
  onReachable(): void
  /** The database cannot be asked: told once for each outage. It is waited for. */
  onOutage(error: Error): void
  onReturn(): void
}

export interface ForwardingSummary {
  /** Events that were taken, those given up, and those that wait for another try. */
  taken: number
  givenUp: number
  waiting: number
  /** Unix ms of the first event that waits; null: none does. */
  waitingSince: number | null
}

/** Milliseconds between two looks at which events are due again: whoever tells has read what was due, and no more. */
const LOOK_MS = 500

/** Whoever tells webhooks does so under the token of a node; here is none. */
const TOKEN = 0

export class Forwarding {
  readonly #log: EventLog
  readonly #ask: Ask
  readonly #ears: ForwardingEars
  readonly #webhook: OpenWebhook
  readonly #dispatcher: Dispatcher
  readonly #retries = new Map<string, WebhookRetry>()
  /** Keys of the events that wait for another try, and their times. */
  readonly #waiting = new Map<string, number>()
  /** Those of them that nobody was there for. */
  readonly #unreached = new Set<string>()
  readonly #failed = Promise.withResolvers<never>()
  #taken = 0
  #givenUp = 0
  /** Why nobody is there. */
  #unreachable: string | null = null
  #away = false

  constructor(
    store: EventLog & Pick<SearchStore, 'readTold'>,
    ask: Ask,
    forwarded: Forwarded,
    ears: ForwardingEars,
  ) {
    this.#log = store
    this.#ask = ask
    this.#ears = ears
    this.#webhook = openWebhook(forwarded)
    this.#dispatcher = new Dispatcher(
      {
        log: {
          eventsAfter: (...asked) => this.#noticing(this.#log.eventsAfter(...asked)),
          lastEventNumber: () => this.#noticing(this.#log.lastEventNumber()),
        },
        teller: new Teller(store),
        base: () => forwarded.base,
        retries: async (_, dueBefore, limit) => this.#due(dueBefore, limit),
        commit: async (progress) => this.#keep(progress),
        prune: async () => {},
        ask: (request) => this.#asked(request),
        schedule: LISTENING_SCHEDULE,
        userAgent: forwarded.userAgent,
        now: Date.now,
        onFault: (error) => this.#fault(error),
        onTried: (attempt, told) => this.#tried(attempt, told),
        onLeft: () => {},
      },
      () => TOKEN,
    )
  }

  /** Until the signal; what is under way then is given up. Rejects only for what waiting does not mend. */
  async run(signal: AbortSignal): Promise<ForwardingSummary> {
    const stopped = Promise.withResolvers<void>()
    signal.addEventListener('abort', () => stopped.resolve(), { once: true })
    const look = setInterval(() => this.#look(), LOOK_MS)
    try {
      if (!signal.aborted) {
        this.#look()
        await Promise.race([stopped.promise, this.#failed.promise])
      }
    } finally {
      clearInterval(look)
      await this.#dispatcher.close()
    }
    const waitingSince = earliest([...this.#waiting.values()])
    return { taken: this.#taken, givenUp: this.#givenUp, waiting: this.#waiting.size, waitingSince }
  }

  /** Says when the next event is due again. */
  #look(): void {
    const retryAt = earliest([...this.#retries.values()].map(({ dueAt }) => dueAt))
    this.#dispatcher.hold([{ ...this.#webhook, retryAt }])
  }

  #due(dueBefore: number, limit: number): WebhookRetry[] {
    const due = [...this.#retries.values()].filter(({ dueAt }) => dueAt <= dueBefore)
    return due.sort((a, b) => a.dueAt - b.dueAt || a.number - b.number).slice(0, limit)
  }

  #keep({ over, waiting, disabled }: WebhookProgress): boolean {
    for (const telling of over) this.#retries.delete(keyOf(telling))
    for (const retry of waiting) {
      const key = keyOf(retry)
      // Where nobody was there, that was no try.
      const attempts = this.#unreached.has(key) ? retry.attempts - 1 : retry.attempts
      this.#retries.set(key, { ...retry, attempts })
    }
    if (disabled !== null)
      this.#failed.reject(new Error(`${this.#webhook.url} is given up: ${disabled.detail.message}`))
    return true
  }

  #asked: Ask = async (request) => {
    try {
      const answer = await this.#ask(request)
      this.#reached()
      return answer
    } catch (error) {
      const { kind, message } = error as NoAnswer
      if (kind === 'late' || kind === 'broken') this.#reached()
      if (kind === 'unreachable') {
        if (this.#unreachable === null) this.#ears.onUnreachable(message)
        this.#unreachable = message
      }
      throw error
    }
  }

  /** What waited for somebody to be there waits no longer. */
  #reached(): void {
    if (this.#unreachable === null) return
    this.#unreachable = null
    this.#ears.onReachable()
    const now = Date.now()
    for (const key of this.#unreached) {
      const retry = this.#retries.get(key)
      if (retry !== undefined) this.#retries.set(key, { ...retry, dueAt: now })
    }
    this.#unreached.clear()
    this.#look()
  }

  #tried(attempt: WebhookAttempt, { event }: ToldEvent): void {
    const { succeeded, nextAt, status, error } = attempt
    const key = keyOf(attempt)
    if (nextAt === null) this.#waiting.delete(key)
    else this.#waiting.set(key, event.at)
    if (succeeded) this.#taken++
    else if (nextAt === null) this.#givenUp++
    // Said once, and not for each event that waits.
    if (status === null && error === this.#unreachable) this.#unreached.add(key)
    else this.#ears.onTried(attempt, event)
  }

  async #noticing<Result>(work: Promise<Result>): Promise<Result> {
    const result = await work
    if (this.#away) this.#ears.onReturn()
    this.#away = false
    return result
  }

  #fault(error: unknown): void {
    if (!(error instanceof StoreUnavailable)) {
      this.#failed.reject(error)
      return
    }
    if (!this.#away) this.#ears.onOutage(error)
    this.#away = true
  }
}

function earliest(times: number[]): number | null {
  return times.length === 0 ? null : times.reduce((first, time) => Math.min(first, time))
}

/** Its id is the same each time: so are those of the events, and who has had one knows it again. */
function openWebhook({ companyId, dialect, url, types, secret, after }: Forwarded): OpenWebhook {
  return {
    ...{ id: `listen ${companyId}`, companyId, domainId: null, dialect, url, types, secrets: [secret] },
    ...{ status: 'enabled', rotatedAt: null, createdAt: 0, cursor: after, generation: 0, retryAt: null },
    ...{ spare: false },
    ...{ failingSince: null, disabledAt: null, disabledReason: null },
  }
}
