/**
 * Tells the events of the log to the webhooks that this node has.
 *
 * What is at the end of the log is read once for all of them; a webhook that cannot keep up, or begins further back,
 * reads by itself until it has caught up. Each has its own place in the log, its own queue and its own requests under
 * way, and what all may have under way is shared like everything else: whoever is slow is slow for himself.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { EventPage, LogFilter, LoggedEvent } from '../../email/event.ts'
import type { ToldEvent } from '../../email/told-event.ts'
import type { WebhookAttempt, WebhookProgress } from '../../store/store.ts'
import { Endpoint, type OpenWebhook, type WebhookShares, type WebhookState } from './endpoint.ts'
import type { Message } from './held.ts'
import { behind, comparePlaces, wholeUpTo } from './place.ts'
import { catchUp, inPortions, isWanted, newTo, type ReadPorts, readRetries, tellsEach } from './read.ts'
import type { WebhookSchedule } from './schedule.ts'
import { Shares } from './shares.ts'
import { type TryPorts, tryOnce } from './try.ts'

export interface WebhookPorts extends TryPorts, ReadPorts {
  /** False: it is not this node's any more, or was changed. */
  commit(progress: WebhookProgress): Promise<boolean>
  prune(id: string): Promise<void>
  schedule: WebhookSchedule
  /** Something that waiting may mend, and is waited for. */
  onFault(error: unknown): void
  onTried(attempt: WebhookAttempt, told: ToldEvent): void
  /** What this node was to give back is idle and written down: another may have it. */
  onLeft(id: string, token: number): void
}

/** Of the webhooks in one state: how many there are, and by how many events the last of them is behind the log. */
export interface WebhooksInState {
  webhooks: number
  behind: number
}

/** Events read at a time. */
const PAGE = 1_000
/** Milliseconds between two looks at the log when nothing has come. */
const POLL_MS = 200
/** Milliseconds in which what comes is gathered, to be read together. */
const GATHER_MS = 25
/** Milliseconds between two commits of what was told. */
const COMMIT_MS = 100
/** A cursor that moves past events of others is worth a commit of its own this often. */
const IDLE_COMMIT_MS = 30_000
const OUTAGE_MS = 1_000
/** At the end so long is waited for what is under way. */
const LAST_MS = 1_000
/** Requests under way, and octets of the events that are held, of all webhooks together. */
const AT_ONCE = { size: 256, kept: 16, timesFree: 1 }
const OCTETS = { size: 48 * 1024 ** 2, kept: 8 * 1024 ** 2, timesFree: 1 }
/** Attempts noted between two looks at which of them are too many. */
const PRUNE_EVERY = 500

export class Dispatcher {
  readonly #ports: WebhookPorts
  readonly #token: () => number | null
  readonly #endpoints = new Map<string, Endpoint>()
  readonly #shares: WebhookShares = { requests: new Shares(AT_ONCE), octets: new Shares(OCTETS) }
  /** Those that would have begun something, had there been a place. */
  readonly #hungry = new Set<Endpoint>()
  readonly #committing = new Map<Endpoint, Promise<void>>()
  readonly #sending = new Set<Promise<void>>()
  readonly #noted = new Map<string, number>()
  readonly #stop = new AbortController()
  /** Up to here the log was read for all; null: not begun. */
  #live: number | null = null
  #following: Promise<void> | null = null
  #closing = false
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
      const same = known?.webhook.generation === webhook.generation
      if (!same) this.#drop(webhook.id)
      const endpoint = same ? known : new Endpoint(webhook, this.#ports.schedule, this.#shares)
      endpoint.webhook = webhook
      endpoint.leaving = webhook.spare
      this.#endpoints.set(webhook.id, endpoint)
    }
    if (this.#endpoints.size === 0) return
    this.#following ??= this.#follow()
    this.#timer ??= setInterval(() => this.#tick(), COMMIT_MS)
    this.#tick()
  }

  /** How they fare. */
  get states(): Map<WebhookState, WebhooksInState> {
    const states = new Map<WebhookState, WebhooksInState>()
    for (const { state, cursor } of this.#endpoints.values()) {
      const { webhooks, behind } = states.get(state) ?? { webhooks: 0, behind: 0 }
      const its = Math.max(0, (this.#live ?? cursor) - cursor)
      states.set(state, { webhooks: webhooks + 1, behind: Math.max(behind, its) })
    }
    return states
  }

  /** Octets of the events that are held, about. */
  get octets(): number {
    return this.#shares.octets.taken
  }

  /** What is under way may end, but is not waited for long; what has ended is committed. */
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
      if (endpoint.leaving) this.#letGo(endpoint)
      else this.#pump(endpoint)
    }
  }

  #letGo(endpoint: Endpoint): void {
    if (endpoint.underWay > 0 || endpoint.reading || this.#committing.has(endpoint)) return
    const token = this.#token()
    if (token === null) return
    const { id } = endpoint.webhook
    this.#drop(id)
    this.#ports.onLeft(id, token)
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
        if (page.events.length < PAGE) await pause(this.#live === before ? POLL_MS : GATHER_MS, signal)
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
  async #distribute(page: EventPage, current: readonly Endpoint[]): Promise<void> {
    const isCurrent = (endpoint: Endpoint) => !endpoint.lagging
    const wanted = (event: LoggedEvent) =>
      current.some((endpoint) => isCurrent(endpoint) && isWanted(endpoint, event))
    const each = (told: ToldEvent) =>
      current.some((endpoint) => isCurrent(endpoint) && tellsEach(endpoint, told))
    for await (const { told, upTo } of inPortions(this.#ports, page, behind(this.#live ?? 0), each, wanted)) {
      this.#live = wholeUpTo(upTo)
      for (const endpoint of this.#endpoints.values()) {
        if (endpoint.lagging) continue
        if (current.includes(endpoint)) endpoint.hold(newTo(endpoint, told), upTo)
        else if (comparePlaces(endpoint.read, upTo) < 0) endpoint.lagging = true
        this.#pump(endpoint)
      }
    }
  }

  /** Begins what can be begun. */
  #pump(endpoint: Endpoint): void {
    const now = this.#ports.now()
    this.#hungry.delete(endpoint)
    if (this.#closing) return
    while (endpoint.mayBegin(now)) {
      if (!endpoint.hasPlace) {
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
      void this.#read(endpoint, () => readRetries(this.#ports, endpoint, now))
    else if (endpoint.lagging && endpoint.wantsMore)
      void this.#read(endpoint, () => catchUp(this.#ports, endpoint, () => this.#live))
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

  async #send(endpoint: Endpoint, message: Message): Promise<void> {
    const { now, onTried } = this.#ports
    const tried = await tryOnce(this.#ports, endpoint.webhook, message, this.#stop.signal)
    endpoint.end(message)
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
      if (this.#shares.requests.exhausted) break
      this.#pump(hungry)
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

/** Ends early, and all the same, when the signal says so. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {})
}
