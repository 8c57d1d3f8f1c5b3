/**
 * Sends the events of the log to the webhooks of this node.
 *
 * The end of the log is read once for all webhooks; a webhook that cannot keep up, or begins further back, reads
 * separately until it has caught up. Each webhook has its own place in the log, its own queue and its own requests
 * under way. Limits on requests and memory are shared fairly, so that a slow webhook delays only itself.
 */
import type { EntryFilter, LogEntry } from '../../email/company-event.ts'
import type { EventPage } from '../../email/event.ts'
import type { EventNotice } from '../../email/event-notice.ts'
import type { WebhookAttempt, WebhookProgress } from '../../store/store.ts'
import { behind, comparePlaces, doneUpTo } from '../log-position.ts'
import { FAULT_MS, LogReader, PAGE, POLL_MS, pause } from '../log-reader.ts'
import { type OpenWebhook, WebhookEndpoint, type WebhookShares, type WebhookState } from './endpoint.ts'
import {
  catchUp,
  inPortions,
  isPerRecipient,
  matchesWebhook,
  newNotices,
  type ReadParts,
  readRetries,
} from './read.ts'
import type { WebhookSchedule } from './schedule.ts'
import { Shares } from './shares.ts'
import { type AttemptParts, tryOnce } from './try.ts'
import type { PendingMessage } from './webhook-queue.ts'

interface DispatcherParts extends AttemptParts, ReadParts {
  /** False: the webhook no longer belongs to this node, or was changed. */
  commit(progress: WebhookProgress): Promise<boolean>
  /** Removes old attempts of a webhook. */
  prune(id: string): void
  schedule: WebhookSchedule
  /** Called with an error that may be temporary; the dispatcher waits and tries again. */
  onFault(error: unknown): void
  onTried(attempt: WebhookAttempt, notice: EventNotice<LogEntry>): void
  /**
   * Called when a webhook that this node gives back is idle and its progress is committed, so that another node may
   * take it.
   */
  onLeft(id: string, token: number): void
}

/** The number of webhooks in one state, and the largest number of events that one of them is behind the log. */
export interface WebhooksInState {
  webhooks: number
  behind: number
}

/** Milliseconds between two readings while events come, so that several are read together. */
const GATHER_MS = 25
/** Milliseconds between two commits of progress. */
const COMMIT_MS = 100
/** Milliseconds after which a cursor that has only moved past unwanted events is committed. */
const IDLE_COMMIT_MS = 30_000
/** Milliseconds to wait for requests under way when closing. */
const LAST_MS = 1_000
/** Requests under way, and octets of the events in memory, of all webhooks together. */
const AT_ONCE = { size: 256, kept: 16, timesFree: 1 }
const OCTETS = { size: 48 * 1024 ** 2, kept: 8 * 1024 ** 2, timesFree: 1 }
/** Attempts recorded between two removals of old ones. */
const PRUNE_EVERY = 500

export class Dispatcher {
  readonly #parts: DispatcherParts
  readonly #token: () => number | null
  readonly #endpoints = new Map<string, WebhookEndpoint>()
  readonly #shares: WebhookShares = { requests: new Shares(AT_ONCE), octets: new Shares(OCTETS) }
  /** Webhooks that have events to send and wait for a request slot. */
  readonly #hungry = new Set<WebhookEndpoint>()
  readonly #committing = new Map<WebhookEndpoint, Promise<void>>()
  readonly #sending = new Set<Promise<void>>()
  readonly #stop = new AbortController()
  readonly #reader: LogReader
  /** The number up to which the log is read for all webhooks; null: reading has not begun. */
  #live: number | null = null
  #following: Promise<void> | null = null
  #closing = false
  #timer: NodeJS.Timeout | undefined

  constructor(parts: DispatcherParts, token: () => number | null) {
    this.#parts = parts
    this.#token = token
    const { signal } = this.#stop
    this.#reader = new LogReader({ read: () => this.#readEnd(), onFault: parts.onFault, signal })
  }

  /** Sets the webhooks of this node. */
  hold(webhooks: readonly OpenWebhook[]): void {
    const held = new Set(webhooks.map(({ id }) => id))
    for (const id of this.#endpoints.keys()) if (!held.has(id)) this.#drop(id)
    for (const webhook of webhooks) {
      const known = this.#endpoints.get(webhook.id)
      const same = known?.webhook.generation === webhook.generation
      if (!same) this.#drop(webhook.id)
      const endpoint = same ? known : new WebhookEndpoint(webhook, this.#parts.schedule, this.#shares)
      endpoint.webhook = webhook
      endpoint.leaving = webhook.spare
      this.#endpoints.set(webhook.id, endpoint)
    }
    if (this.#endpoints.size === 0) return
    this.#following ??= this.#reader.run()
    this.#timer ??= setInterval(() => this.#tick(), COMMIT_MS)
    this.#tick()
  }

  /** The number and backlog of webhooks by state. */
  get states(): Map<WebhookState, WebhooksInState> {
    const states = new Map<WebhookState, WebhooksInState>()
    for (const { state, cursor } of this.#endpoints.values()) {
      const { webhooks, behind } = states.get(state) ?? { webhooks: 0, behind: 0 }
      const its = Math.max(0, (this.#live ?? cursor) - cursor)
      states.set(state, { webhooks: webhooks + 1, behind: Math.max(behind, its) })
    }
    return states
  }

  /** Octets of the events in memory, approximately. */
  get octets(): number {
    return this.#shares.octets.taken
  }

  /** Waits a short time for requests under way, and commits the results. */
  async close(): Promise<void> {
    this.#closing = true
    await Promise.race([Promise.all(this.#sending), pause(LAST_MS, this.#stop.signal)])
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
    endpoint.close()
    this.#hungry.delete(endpoint)
    this.#endpoints.delete(id)
  }

  #tick(): void {
    for (const endpoint of this.#endpoints.values()) {
      this.#commit(endpoint, endpoint.leaving ? 0 : IDLE_COMMIT_MS)
      if (endpoint.leaving) this.#giveBack(endpoint)
      else this.#pump(endpoint)
    }
  }

  #giveBack(endpoint: WebhookEndpoint): void {
    if (endpoint.requests.held > 0 || endpoint.reading || this.#committing.has(endpoint)) return
    const token = this.#token()
    if (token === null) return
    const { id } = endpoint.webhook
    this.#drop(id)
    this.#parts.onLeft(id, token)
  }

  /** Reads the end of the log for all webhooks. */
  async #readEnd(): Promise<number> {
    const { log } = this.#parts
    this.#live ??= await log.lastEventNumber()
    const before = this.#live
    const current = [...this.#endpoints.values()].filter(({ lagging }) => !lagging)
    const page = await log.eventsAfter(before, this.#wanted(), PAGE)
    await this.#distribute(page, current)
    if (page.events.length === PAGE) return 0
    return this.#live === before ? POLL_MS : GATHER_MS
  }

  /** Reads only one company's events if all webhooks belong to it. */
  #wanted(): EntryFilter {
    const companies = new Set([...this.#endpoints.values()].map(({ webhook }) => webhook.companyId))
    const [first] = companies
    return companies.size === 1 && first !== undefined ? { companyId: first } : {}
  }

  /** `current`: the webhooks that were up to date when the page was requested, and whose events it contains. */
  async #distribute(page: EventPage<LogEntry>, current: readonly WebhookEndpoint[]): Promise<void> {
    const isCurrent = (endpoint: WebhookEndpoint) => !endpoint.lagging
    const wanted = (event: LogEntry) =>
      current.some((endpoint) => isCurrent(endpoint) && matchesWebhook(endpoint, event))
    const each = (notice: EventNotice<LogEntry>) =>
      current.some((endpoint) => isCurrent(endpoint) && isPerRecipient(endpoint, notice))
    for await (const { notices, upTo } of inPortions(
      this.#parts,
      page,
      behind(this.#live ?? 0),
      each,
      wanted,
    )) {
      this.#live = doneUpTo(upTo)
      for (const endpoint of this.#endpoints.values()) {
        if (endpoint.lagging) continue
        if (current.includes(endpoint)) endpoint.enqueue(newNotices(endpoint, notices), upTo)
        else if (comparePlaces(endpoint.read, upTo) < 0) endpoint.lagging = true
        this.#pump(endpoint)
      }
    }
  }

  /** Starts all requests that may start now. */
  #pump(endpoint: WebhookEndpoint): void {
    const now = this.#parts.now()
    this.#hungry.delete(endpoint)
    if (this.#closing) return
    while (endpoint.mayBegin(now)) {
      if (!endpoint.requests.mayTake) {
        this.#hungry.add(endpoint)
        return
      }
      const message = endpoint.begin()
      if (message === undefined) break
      const sending = this.#send(endpoint, message)
      this.#sending.add(sending)
      void sending.finally(() => this.#sending.delete(sending))
    }
    if (!endpoint.mayBegin(now) || endpoint.reading) return
    const { retryAt } = endpoint.webhook
    if (retryAt !== null && retryAt <= now && endpoint.roomAgain > 0)
      void this.#read(endpoint, () => readRetries(this.#parts, endpoint, now))
    else if (endpoint.lagging && endpoint.wantsMore)
      void this.#read(endpoint, () => catchUp(this.#parts, endpoint, () => this.#live))
  }

  async #read(endpoint: WebhookEndpoint, work: () => Promise<void>): Promise<void> {
    endpoint.reading = true
    try {
      await work()
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#parts.onFault(error)
      await pause(FAULT_MS, this.#stop.signal)
    } finally {
      endpoint.reading = false
    }
    if (!endpoint.closed) this.#pump(endpoint)
  }

  async #send(endpoint: WebhookEndpoint, message: PendingMessage): Promise<void> {
    const { now, onTried } = this.#parts
    const tried = await tryOnce(this.#parts, endpoint.webhook, message, this.#stop.signal)
    endpoint.finishMessage(message)
    // The request was aborted, so its outcome is unknown, and the event will be sent again.
    if (tried === 'stopped') return
    const attempt = endpoint.finish(message, tried, now())
    if (attempt !== null) onTried(attempt, message.notice)
    if (!endpoint.closed) this.#pump(endpoint)
    for (const hungry of [...this.#hungry]) {
      if (this.#shares.requests.exhausted) break
      this.#pump(hungry)
    }
  }

  #commit(endpoint: WebhookEndpoint, patience: number): void {
    const token = this.#token()
    if (token === null || this.#committing.has(endpoint)) return
    const progress = endpoint.progress(token, this.#parts.now(), patience)
    if (progress === null) return
    this.#committing.set(
      endpoint,
      this.#committed(endpoint, progress).finally(() => this.#committing.delete(endpoint)),
    )
  }

  async #committed(endpoint: WebhookEndpoint, progress: WebhookProgress): Promise<void> {
    const { commit, prune, onFault } = this.#parts
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
      if (endpoint.recorded < PRUNE_EVERY) return
      endpoint.recorded = 0
      prune(id)
    } catch (error) {
      endpoint.uncommitted(progress)
      onFault(error)
      await pause(FAULT_MS, this.#stop.signal)
    }
  }
}
