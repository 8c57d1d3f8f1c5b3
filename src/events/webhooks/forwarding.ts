/**
 * A webhook that lasts as long as one command: the dispatcher sends the events of a company to a URL. Its progress is
 * kept in memory. It writes nothing to the database, and the service takes no part in it.
 */

import type { EntryType, LogEntry } from '../../email/company-event.ts'
import type { EventNotice } from '../../email/event-notice.ts'
import type { NoAnswer, SendRequest } from '../../network/outgoing.ts'
import {
  type EventStore,
  type SearchStore,
  StoreUnavailable,
  type WebhookAttempt,
  type WebhookDialect,
  type WebhookProgress,
  type WebhookRetry,
} from '../../store/store.ts'
import { type EntryLog, entryLog } from '../entry-log.ts'
import { NoticeReader } from '../notice-reader.ts'
import { Dispatcher } from './dispatcher.ts'
import type { OpenWebhook } from './endpoint.ts'
import { LISTENING_SCHEDULE } from './schedule.ts'
import { keyOf } from './subject.ts'

interface ForwardingOptions {
  companyId: string
  dialect: WebhookDialect
  url: string
  /** Empty: all. */
  types: EntryType[]
  secret: string
  /** The number of the event to start behind. */
  after: number
  userAgent: string
  /** The base URL of the service, for the URLs in events. */
  base: string
}

export interface ForwardingListener {
  /** An attempt was answered, or timed out. */
  onTried(attempt: WebhookAttempt, event: LogEntry): void
  /** Nothing accepts connections at the URL; events wait until something does. Called once. */
  onUnreachable(why: string): void
  onReachable(): void
  /** Called once for each outage of the database. The forwarding waits for it to end. */
  onOutage(error: Error): void
  onReturn(): void
}

export interface ForwardingSummary {
  /** The numbers of events that were accepted, that were given up, and that wait for a retry. */
  taken: number
  givenUp: number
  waiting: number
  /** Unix ms of the first waiting event; null: none is waiting. */
  waitingSince: number | null
}

/** Milliseconds between two checks for due retries: the dispatcher reads only those that are due. */
const LOOK_MS = 500

/** The dispatcher works under the token of a node; this process is not a node. */
const TOKEN = 0

export class Forwarding {
  readonly #log: EntryLog
  readonly #ask: SendRequest
  readonly #ears: ForwardingListener
  readonly #webhook: OpenWebhook
  readonly #dispatcher: Dispatcher
  readonly #retries = new Map<string, WebhookRetry>()
  /** The times of the events that wait for a retry, by key. */
  readonly #waiting = new Map<string, number>()
  /** The waiting events whose last attempt could not connect. */
  readonly #unreached = new Set<string>()
  readonly #failed = Promise.withResolvers<never>()
  #taken = 0
  #givenUp = 0
  /** Why no connection can be made at present; null: the URL is reachable. */
  #unreachable: string | null = null
  #away = false

  constructor(
    store: Pick<EventStore, 'entriesAfter' | 'lastEventNumber'> & Pick<SearchStore, 'readNoticeFacts'>,
    ask: SendRequest,
    options: ForwardingOptions,
    ears: ForwardingListener,
  ) {
    this.#log = entryLog(store)
    this.#ask = ask
    this.#ears = ears
    this.#webhook = openWebhook(options)
    this.#dispatcher = new Dispatcher(
      {
        log: {
          eventsAfter: (...asked) => this.#noticing(this.#log.eventsAfter(...asked)),
          lastEventNumber: () => this.#noticing(this.#log.lastEventNumber()),
        },
        noticeReader: new NoticeReader(store),
        base: () => options.base,
        retries: async (_, dueBefore, limit) => this.#due(dueBefore, limit),
        commit: async (progress) => this.#keep(progress),
        prune: () => {},
        ask: (request) => this.#asked(request),
        schedule: LISTENING_SCHEDULE,
        userAgent: options.userAgent,
        now: Date.now,
        onFault: (error) => this.#fault(error),
        onTried: (attempt, notice) => this.#tried(attempt, notice),
        onLeft: () => {},
      },
      () => TOKEN,
    )
  }

  /**
   * Runs until the signal aborts; requests under way are then aborted too. Rejects only on errors that waiting cannot
   * resolve.
   */
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

  /** Tells the dispatcher when the next retry is due. */
  #look(): void {
    const retryAt = earliest([...this.#retries.values()].map(({ dueAt }) => dueAt))
    this.#dispatcher.hold([{ ...this.#webhook, retryAt }])
  }

  #due(dueBefore: number, limit: number): WebhookRetry[] {
    const due = [...this.#retries.values()].filter(({ dueAt }) => dueAt <= dueBefore)
    return due.sort((a, b) => a.dueAt - b.dueAt || a.number - b.number).slice(0, limit)
  }

  #keep({ over, waiting, disabled }: WebhookProgress): boolean {
    for (const subject of over) this.#retries.delete(keyOf(subject))
    for (const retry of waiting) {
      const key = keyOf(retry)
      // An attempt that could not connect does not count.
      const attempts = this.#unreached.has(key) ? retry.attempts - 1 : retry.attempts
      this.#retries.set(key, { ...retry, attempts })
    }
    if (disabled !== null)
      this.#failed.reject(new Error(`Forwarding to ${this.#webhook.url} stopped: ${disabled.detail.message}`))
    return true
  }

  #asked: SendRequest = async (request) => {
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

  /** Makes events that waited for a connection due now. */
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

  #tried(attempt: WebhookAttempt, { event }: EventNotice<LogEntry>): void {
    const { succeeded, nextAt, status, error } = attempt
    const key = keyOf(attempt)
    if (nextAt === null) this.#waiting.delete(key)
    else this.#waiting.set(key, event.at)
    if (succeeded) this.#taken++
    else if (nextAt === null) this.#givenUp++
    // Reported once, instead of for every waiting event.
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

/** The id is constant, so the message ids are too, and receivers recognise an event that they have had before. */
function openWebhook({ companyId, dialect, url, types, secret, after }: ForwardingOptions): OpenWebhook {
  return {
    id: `listen ${companyId}`,
    companyId,
    domainId: null,
    dialect,
    url,
    types,
    secrets: [secret],
    status: 'enabled',
    rotatedAt: null,
    createdAt: 0,
    cursor: after,
    generation: 0,
    retryAt: null,
    spare: false,
    failingSince: null,
    disabledAt: null,
    disabledReason: null,
  }
}
