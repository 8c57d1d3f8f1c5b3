/**
 * Tells the events of the log to the webhooks that this node has.
 *
 * What is at the end of the log is read once for all of them; a webhook that cannot keep up, or begins further back,
 * reads by itself until it has caught up. Each has its own place in the log, its own queue and its own requests under
 * way, and what all may have under way is shared like everything else: whoever is slow is slow for himself.
 */

import { SharedPool } from '../../common/shared-pool.ts'
import type { EventPage, LogFilter, LoggedEvent } from '../../email/event.ts'
import type { ToldEvent } from '../../email/told-event.ts'
import type { Ask, NoAnswer } from '../../network/outgoing.ts'
import type {
  EventLog,
  WebhookAttempt,
  WebhookProgress,
  WebhookRetry,
  WebhookStore,
} from '../../store/store.ts'
import { JSON_TYPES } from '../told/json.ts'
import { Endpoint, type Message, type OpenWebhook, type Tried } from './endpoint.ts'
import type { WebhookSchedule } from './schedule.ts'
import { payload, webhookRequest } from './sign.ts'

export interface WebhookPorts {
  log: EventLog
  /** What is told of events, in their order. */
  tell(events: LoggedEvent[]): Promise<ToldEvent[]>
  retries: WebhookStore['webhookRetries']
  /** False: it is not this node's any more, or was changed. */
  commit(progress: WebhookProgress): Promise<boolean>
  prune(id: string): Promise<void>
  ask: Ask
  schedule: WebhookSchedule
  userAgent: string
  now(): number
  /** Something that waiting may mend, and is waited for. */
  onFault(error: unknown): void
  onTried(attempt: WebhookAttempt, told: ToldEvent): void
}

/** Events read at a time. */
const PAGE = 1_000
/** Milliseconds between two looks at the log when nothing has come. */
const POLL_MS = 200
/** Milliseconds between two commits of what was told. */
const COMMIT_MS = 100
/** A cursor that moves past events of others is worth a commit of its own this often. */
const IDLE_COMMIT_MS = 30_000
const OUTAGE_MS = 1_000
/** Requests under way, of all webhooks together. */
const AT_ONCE = { size: 256, kept: 16, timesFree: 1 }
/** Octets of an answer that are kept, and the time a try may take. */
const MOST_RESPONSE = 1_024
const TIMEOUT_MS = 15_000
/** Retries read at a time. */
const RETRIES = 50
/** Attempts noted between two looks at which of them are too many. */
const PRUNE_EVERY = 500

export class Dispatcher {
  readonly #ports: WebhookPorts
  readonly #token: () => number | null
  readonly #endpoints = new Map<string, Endpoint>()
  readonly #pool = new SharedPool(AT_ONCE)
  /** Those that would have begun something, had there been a place. */
  readonly #hungry = new Set<Endpoint>()
  readonly #committing = new Map<Endpoint, Promise<void>>()
  readonly #noted = new Map<string, number>()
  readonly #stop = new AbortController()
  /** Up to here the log was read for all; null: not begun. */
  #live: number | null = null
  #following: Promise<void> | null = null
  #timer: NodeJS.Timeout | undefined

  constructor(ports: WebhookPorts, token: () => number | null) {
    this.#ports = ports
    this.#token = token
  }

  /** The webhooks that this node has now. */
  hold(webhooks: readonly OpenWebhook[]): void {
    const held = new Set(webhooks.map(({ id }) => id))
    for (const id of this.#endpoints.keys()) if (!held.has(id)) this.#drop(id)
    for (const webhook of webhooks) {
      const known = this.#endpoints.get(webhook.id)
      if (known?.webhook.generation === webhook.generation) {
        known.webhook = webhook
        continue
      }
      this.#drop(webhook.id)
      this.#endpoints.set(webhook.id, new Endpoint(webhook, this.#ports.schedule))
    }
    if (this.#endpoints.size === 0) return
    this.#following ??= this.#follow()
    this.#timer ??= setInterval(() => this.#tick(), COMMIT_MS)
    this.#tick()
  }

  /** What is under way is given up; what has ended is committed. */
  async close(): Promise<void> {
    this.#stop.abort()
    clearInterval(this.#timer)
    await this.#following
    await Promise.all(this.#committing.values())
    for (const endpoint of this.#endpoints.values()) this.#commit(endpoint, 0)
    await Promise.all(this.#committing.values())
  }

  #drop(id: string): void {
    const endpoint = this.#endpoints.get(id)
    if (endpoint === undefined) return
    endpoint.closed = true
    this.#hungry.delete(endpoint)
    this.#endpoints.delete(id)
  }

  #tick(): void {
    for (const endpoint of this.#endpoints.values()) {
      this.#commit(endpoint, IDLE_COMMIT_MS)
      this.#pump(endpoint)
    }
  }

  /** Reads the end of the log for all that are there. */
  async #follow(): Promise<void> {
    const { log, onFault } = this.#ports
    const { signal } = this.#stop
    while (!signal.aborted) {
      try {
        this.#live ??= await log.lastEventNumber()
        const before = this.#live
        const current = [...this.#endpoints.values()].filter(({ lagging }) => !lagging)
        const page = await log.eventsAfter(before, this.#wanted(), PAGE)
        await this.#distribute(page, current)
        if (this.#live === before) await pause(POLL_MS, signal)
      } catch (error) {
        if (signal.aborted) return
        onFault(error)
        await pause(OUTAGE_MS, signal)
      }
    }
  }

  /** One company's only, where there is but one. */
  #wanted(): LogFilter {
    const companies = new Set([...this.#endpoints.values()].map(({ webhook }) => webhook.companyId))
    const [first] = companies
    return companies.size === 1 && first !== undefined ? { companyId: first } : {}
  }

  /** `current`: who had read as far as all when the page was asked for, and for whom it was. */
  async #distribute({ events, cursor }: EventPage, current: readonly Endpoint[]): Promise<void> {
    const wanted = events.filter((event) => current.some((endpoint) => isWanted(endpoint, event)))
    const told = wanted.length === 0 ? [] : await this.#ports.tell(wanted)
    this.#live = cursor
    for (const endpoint of this.#endpoints.values()) {
      if (endpoint.lagging) continue
      const its = told.filter((each) => each.event.number > endpoint.read && concerns(endpoint, each))
      if (current.includes(endpoint) && its.length <= endpoint.room) {
        endpoint.hold(its)
        endpoint.read = Math.max(endpoint.read, cursor)
      } else if (endpoint.read < cursor) {
        endpoint.lagging = true
      }
      this.#pump(endpoint)
    }
  }

  /** Begins what can be begun. */
  #pump(endpoint: Endpoint): void {
    const now = this.#ports.now()
    this.#hungry.delete(endpoint)
    while (endpoint.mayBegin(now)) {
      if (!this.#pool.allows(endpoint.underWay)) {
        this.#hungry.add(endpoint)
        return
      }
      const message = endpoint.next()
      if (message === undefined) break
      endpoint.underWay++
      this.#pool.take(1)
      void this.#send(endpoint, message)
    }
    if (!endpoint.mayBegin(now) || endpoint.reading) return
    const { retryAt } = endpoint.webhook
    if (retryAt !== null && retryAt <= now) void this.#read(endpoint, () => this.#readRetries(endpoint, now))
    else if (endpoint.lagging && endpoint.wantsMore) void this.#read(endpoint, () => this.#catchUp(endpoint))
  }

  async #read(endpoint: Endpoint, work: () => Promise<void>): Promise<void> {
    endpoint.reading = true
    try {
      await work()
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#ports.onFault(error)
      await pause(OUTAGE_MS, this.#stop.signal)
    } finally {
      endpoint.reading = false
    }
    if (!endpoint.closed) this.#pump(endpoint)
  }

  async #catchUp(endpoint: Endpoint): Promise<void> {
    const { log, tell } = this.#ports
    const { companyId, types } = endpoint.webhook
    const from = endpoint.read
    const filter: LogFilter = types.length === 0 ? { companyId } : { companyId, types }
    const page = await log.eventsAfter(from, filter, endpoint.room)
    const told = page.events.length === 0 ? [] : await tell(page.events)
    // It may have gone down meanwhile, and stepped back.
    if (endpoint.closed || endpoint.read !== from) return
    endpoint.hold(told.filter((each) => concerns(endpoint, each)))
    endpoint.read = Math.max(endpoint.read, page.cursor)
    if (this.#live !== null && endpoint.read >= this.#live) endpoint.lagging = false
  }

  async #readRetries(endpoint: Endpoint, now: number): Promise<void> {
    const { retries, log, tell } = this.#ports
    const { id, companyId } = endpoint.webhook
    // Whatever is committed while the store is asked, its answer may be older.
    const known = endpoint.repeated
    const due = await retries(id, now, RETRIES)
    // The next look at the store says when more are due.
    endpoint.webhook.retryAt = due.length < RETRIES ? null : now
    const found: [LoggedEvent, WebhookRetry][] = []
    for (const retry of due) {
      if (known.has(retry.number)) continue
      const page = await log.eventsAfter(retry.number - 1, { companyId }, 1)
      const event = page.events[0]
      if (event?.number === retry.number) found.push([event, retry])
      else endpoint.forget(retry.number)
    }
    if (found.length === 0) {
      endpoint.webhook.retryAt = null
      return
    }
    const told = await tell(found.map(([event]) => event))
    if (endpoint.closed) return
    for (const [index, each] of told.entries()) endpoint.holdAgain(each, found[index]![1].attempts)
  }

  async #send(endpoint: Endpoint, message: Message): Promise<void> {
    const { now, onTried } = this.#ports
    const tried = await this.#try(endpoint.webhook, message)
    endpoint.underWay--
    this.#pool.give(1)
    // Given up in the midst of it: nobody knows what came of it, and it is told again.
    if (tried === 'stopped') return
    const attempt = endpoint.finish(message, tried, now())
    if (attempt !== null) {
      onTried(attempt, message.told)
      const { id } = endpoint.webhook
      this.#noted.set(id, (this.#noted.get(id) ?? 0) + 1)
    }
    if (!endpoint.closed) this.#pump(endpoint)
    for (const hungry of [...this.#hungry]) {
      if (this.#pool.exhausted) break
      this.#pump(hungry)
    }
  }

  async #try(webhook: OpenWebhook, { told }: Message): Promise<Tried | null | 'stopped'> {
    const { ask, now, userAgent } = this.#ports
    const said = payload(webhook.dialect, told)
    if (said === null) return null
    const at = now()
    const began = performance.now()
    const { headers, body } = webhookRequest(webhook, webhook.secrets, told.event.number, said, at)
    const tried = (status: number | null, error: string | null, response: string): Tried => {
      return { at, duration: performance.now() - began, status, error, response }
    }
    try {
      const answer = await ask({
        method: 'POST',
        url: new URL(webhook.url),
        headers: { ...headers, 'user-agent': userAgent },
        body,
        timeoutMs: TIMEOUT_MS,
        maxOctets: MOST_RESPONSE,
        signal: this.#stop.signal,
      })
      return tried(answer.status, null, answer.body.toString())
    } catch (error) {
      const { kind, message } = error as NoAnswer
      return kind === 'stopped' ? 'stopped' : tried(null, message, '')
    }
  }

  #commit(endpoint: Endpoint, patience: number): void {
    const token = this.#token()
    if (token === null || this.#committing.has(endpoint)) return
    const progress = endpoint.progress(token, this.#ports.now(), patience)
    if (progress === null) return
    this.#committing.set(
      endpoint,
      this.#committed(endpoint, progress).finally(() => this.#committing.delete(endpoint)),
    )
  }

  async #committed(endpoint: Endpoint, progress: WebhookProgress): Promise<void> {
    const { commit, prune, onFault } = this.#ports
    const { id } = endpoint.webhook
    try {
      if (!(await commit(progress)) || progress.disabled !== null) {
        if (this.#endpoints.get(id) === endpoint) this.#drop(id)
        return
      }
      endpoint.committed(progress)
      const [first] = progress.waiting.map(({ dueAt }) => dueAt).sort((a, b) => a - b)
      const { webhook } = endpoint
      if (first !== undefined) webhook.retryAt = Math.min(webhook.retryAt ?? first, first)
      if ((this.#noted.get(id) ?? 0) < PRUNE_EVERY) return
      this.#noted.set(id, 0)
      await prune(id)
    } catch (error) {
      endpoint.uncommitted(progress)
      onFault(error)
      await pause(OUTAGE_MS, this.#stop.signal)
    }
  }
}

/** As far as the event itself says. */
function isWanted({ webhook }: Endpoint, { companyId, type }: LoggedEvent): boolean {
  if (companyId !== webhook.companyId) return false
  if (webhook.types.length > 0 && !webhook.types.includes(type)) return false
  return webhook.dialect === 'form' || JSON_TYPES[type] !== undefined
}

function concerns(endpoint: Endpoint, { event, email }: ToldEvent): boolean {
  const { domainId } = endpoint.webhook
  return isWanted(endpoint, event) && (domainId === null || email?.domainId === domainId)
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
  })
}
