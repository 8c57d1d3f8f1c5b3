/** The state of one webhook on its node: events in memory, health, and place in the log. */
import { randomUUIDv7 } from 'node:crypto'
import { type LogEntry, webhookSwitched } from '../../email/company-event.ts'
import type { EventNotice } from '../../email/event-notice.ts'
import type { AssignedWebhook, WebhookAttempt, WebhookProgress, WebhookRetry } from '../../store/store.ts'
import { behind, comparePlaces, doneUpTo, type LogPosition, placeOf } from '../log-position.ts'
import { DISABLED_REASON, Health } from './health.ts'
import { AttemptResults } from './results.ts'
import { isSuccess, type WebhookSchedule, waitAfter } from './schedule.ts'
import type { QueueShare, Shares } from './shares.ts'
import { subjectOf } from './subject.ts'
import { type PendingMessage, WebhookQueue } from './webhook-queue.ts'

/** A webhook with its secrets unsealed. */
export interface OpenWebhook extends Omit<AssignedWebhook, 'secret' | 'previousSecret'> {
  /** The secrets that sign now, newest first. */
  secrets: string[]
}

/** The outcome of an attempt. */
export interface AttemptOutcome {
  /** Unix ms, and the duration. */
  at: number
  duration: number
  status: number | null
  error: string | null
  response: string
}

/** The resources that all webhooks of the node share. */
export interface WebhookShares {
  /** Requests under way. */
  requests: Shares
  /** Octets of the events in memory, including those under way. */
  octets: Shares
}

/** Progress without an attempt to record is committed after this many milliseconds at the latest. */
const PROGRESS_COMMIT_MS = 1_000

/**
 * `failing`: the last attempts have all failed; `behind`: the webhook reads the log separately until it has caught up.
 */
export type WebhookState = 'current' | 'behind' | 'failing'

export class WebhookEndpoint {
  webhook: OpenWebhook
  /** The place up to which the log is read for the webhook. */
  read: LogPosition
  /** Whether the webhook is behind the common reader, and reads the log separately. */
  lagging = true
  /** Whether a read for this webhook alone is under way. */
  reading = false
  /** The webhook is moving to another node: requests under way end, and no others start. */
  leaving = false
  /** Attempts committed since old ones were removed. */
  recorded = 0
  /** The requests under way. */
  readonly requests: QueueShare
  readonly queue: WebhookQueue
  readonly #schedule: WebhookSchedule
  readonly #health: Health
  readonly #results = new AttemptResults()
  #closed = false
  #committed: number
  #committedAt = 0
  /** Whether events were sent since the last commit. */
  #hasProgress = false

  constructor(webhook: OpenWebhook, schedule: WebhookSchedule, { requests, octets }: WebhookShares) {
    this.webhook = webhook
    this.read = behind(webhook.cursor)
    this.#committed = webhook.cursor
    this.#schedule = schedule
    this.requests = requests.shareOf(webhook.companyId)
    this.queue = new WebhookQueue(octets.shareOf(webhook.companyId))
    this.#health = new Health(webhook.failingSince, schedule.longestPause)
  }

  /** Nothing more is sent: the webhook was removed, changed, or given up. */
  get closed(): boolean {
    return this.#closed
  }

  /**
   * Lets requests under way end without recording their outcome: the next node to take the webhook sends these events
   * again.
   */
  close(): void {
    this.#closed = true
    this.queue.close()
  }

  get state(): WebhookState {
    if (this.#health.failingSince !== null) return 'failing'
    return this.lagging ? 'behind' : 'current'
  }

  /** The number of new events that fit into memory, approximately; at most one while the webhook is down. */
  get room(): number {
    return this.#closed ? 0 : this.queue.room(this.#health.down)
  }

  /** The number of retries that fit into memory. */
  get roomAgain(): number {
    return this.#closed ? 0 : this.queue.roomAgain(this.#health.down)
  }

  /** Whether there is enough room to make a read worthwhile. */
  get wantsMore(): boolean {
    return this.#health.down ? this.room > 0 : !this.#closed && this.queue.wantsMore
  }

  /**
   * Adds new events, in order; they are all of the webhook's events up to the place `upTo`. Returns false if there is
   * not enough room: the webhook then reads on from the first event that did not fit.
   */
  enqueue(notices: readonly EventNotice<LogEntry>[], upTo: LogPosition): boolean {
    for (const each of notices) {
      if (this.room === 0) {
        this.lagging = true
        return false
      }
      this.queue.add(each)
      this.read = placeOf(each)
    }
    if (comparePlaces(this.read, upTo) < 0) this.read = upTo
    return true
  }

  /** The event can no longer be sent, because retention has removed it. */
  forget(retry: WebhookRetry): void {
    this.queue.forget(retry)
    this.#results.over(retry)
  }

  /** Whether the webhook may start another request now. */
  mayBegin(now: number): boolean {
    if (this.#closed || this.leaving || this.#results.isFull) return false
    return !this.#health.rests(now) && this.requests.held < this.#health.atOnce
  }

  /** Starts the next message; undefined: there is none that may start. */
  begin(): PendingMessage | undefined {
    const message = this.queue.begin()
    if (message !== undefined) this.requests.take(1)
    return message
  }

  /** The request is over, whatever its outcome. */
  finishMessage(message: PendingMessage): void {
    this.requests.give(1)
    this.queue.releaseOctets(message)
  }

  /** `tried` is null if the dialect has no word for the event. Returns the attempt to record. */
  finish(message: PendingMessage, outcome: AttemptOutcome | null, now: number): WebhookAttempt | null {
    const subject = subjectOf(message.notice)
    this.#hasProgress = true
    const attempt = outcome === null ? null : this.#note(message, outcome, now)
    const dueAt = attempt?.nextAt ?? null
    if (dueAt !== null) this.#results.waits(subject, attempt!.attempt, dueAt)
    else if (message.retry !== null) this.#results.over(message.retry)
    this.queue.finish(message)
    if (this.#health.down) this.#dropWaiting(now)
    return attempt
  }

  /** Records an attempt, and decides when the next one is due. */
  #note(
    { notice, retry }: PendingMessage,
    { at, duration, status, error, response }: AttemptOutcome,
    now: number,
  ): WebhookAttempt {
    const { dialect, id } = this.webhook
    const { type, emailId } = notice.event
    const succeeded = isSuccess(status)
    const made = (retry?.attempts ?? 0) + 1
    const wait = succeeded ? null : waitAfter(this.#schedule, dialect, made, status)
    const dueAt = wait === null ? null : now + wait
    const attempt: WebhookAttempt = {
      id: randomUUIDv7(),
      webhookId: id,
      ...subjectOf(notice),
      type,
      emailId,
      at,
      duration,
      status,
      error,
      response,
      succeeded,
      attempt: made,
      nextAt: dueAt,
    }
    this.#results.addAttempt(attempt)
    if (succeeded) this.#health.recordSuccess()
    else this.#health.recordFailure(at, now)
    return attempt
  }

  /** Drops the events that wait in memory because the webhook is down. They are read again when it is up. */
  #dropWaiting(now: number): void {
    const { passed, before, again } = this.queue.releaseWaiting()
    // The log is not read again for events that precede ones already sent, so they become retries.
    for (const subject of passed) this.#results.waits(subject, 0, now)
    if (again) this.webhook.retryAt = now
    if (before !== undefined) this.read = before
    this.lagging = true
  }

  /** Every event up to this number has been sent, or will be retried. */
  get cursor(): number {
    return this.queue.sentUpTo ?? doneUpTo(this.read)
  }

  /**
   * The progress to commit; null: there is none, or not enough to be worth a commit yet. The caller takes over the
   * results, and gives them back with `uncommitted` if the commit fails.
   */
  progress(token: number, now: number, patience: number): WebhookProgress | null {
    const { cursor } = this
    const results = this.#results.take(now)
    const wait = this.#hasProgress ? Math.min(patience, PROGRESS_COMMIT_MS) : patience
    const due = cursor !== this.#committed && now >= this.#committedAt + wait
    if (results === null && !due) return null
    const { over, waiting, attempts } = results ?? { over: [], waiting: [], attempts: [] }
    const { id, generation } = this.webhook
    const { failingSince } = this.#health
    const givenUp = attempts.length > 0 && this.#health.isGivenUp(now)
    const disabled = givenUp ? webhookSwitched('webhook.disabled', this.webhook, now, DISABLED_REASON) : null
    this.#committedAt = now
    this.#hasProgress = false
    return { id, token, generation, cursor, failingSince, over, waiting, attempts, disabled }
  }

  committed({ cursor, over, waiting, attempts }: WebhookProgress): void {
    this.#committed = cursor
    this.recorded += attempts.length
    for (const subject of [...over, ...waiting]) this.queue.committed(subject)
  }

  /** The commit failed: the results become part of the next one. */
  uncommitted(progress: WebhookProgress): void {
    this.#results.giveBack(progress)
  }
}
