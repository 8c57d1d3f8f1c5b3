/** The events in memory for one webhook: those that wait, in order, and those under way. */
import type { LogEntry } from '../../email/company-event.ts'
import type { EventNotice } from '../../email/event-notice.ts'
import type { WebhookRetry, WebhookSubject } from '../../store/store.ts'
import { comparePlaces, type LogPosition, placeBefore, placeOf } from '../log-position.ts'
import type { QueueShare } from './shares.ts'
import { keyOf, subjectOf } from './subject.ts'

/** An event on its way to one webhook. */
export interface PendingMessage {
  notice: EventNotice<LogEntry>
  /** The memory it takes, approximately. */
  octets: number
  /** The retry or replay, for which the cursor does not wait; null: a new event. */
  retry: WebhookRetry | null
}

/**
 * Keeps the events of one email in order: those of each recipient follow one another, and an event of the email as a
 * whole follows all before it and precedes all after it.
 */
class EmailOrder {
  /** Positions of recipients; null: the email as a whole. */
  readonly #underWay = new Set<number | null>()
  /** The positions of messages under way, and of those that wait behind them. */
  #concerned = new Set<number | null>()
  /** Messages that wait for others under way. */
  behind: PendingMessage[] = []

  get isIdle(): boolean {
    return this.#underWay.size === 0
  }

  /** Returns false if the message has to wait behind others. */
  begins(message: PendingMessage): boolean {
    const { recipient } = message.notice.event
    const { size } = this.#concerned
    const waits = recipient === null ? size > 0 : this.#concerned.has(null) || this.#concerned.has(recipient)
    this.#concerned.add(recipient)
    if (waits) this.behind.push(message)
    else this.#underWay.add(recipient)
    return !waits
  }

  /** Returns the messages that waited, for another try. */
  ends(message: PendingMessage): PendingMessage[] {
    this.#underWay.delete(message.notice.event.recipient)
    this.#concerned = new Set(this.#underWay)
    const { behind } = this
    this.behind = []
    return behind
  }
}

/** The most new events, and the most octets of all events. */
const MAX_HELD = 500
const MAX_OCTETS = 8 * 1024 ** 2
/** The weight of history in the average size: each event moves the average by 1/INERTIA of the difference. */
const INERTIA = 16

export class WebhookQueue {
  readonly #octets: QueueShare
  #queue: PendingMessage[] = []
  #again: PendingMessage[] = []
  /** The new events in order, by key: for each, the number of the event before it. */
  readonly #unfinished = new Map<string, number>()
  /** The keys of retries and replays. */
  readonly #repeated = new Set<string>()
  /** The order of each email that has a new event under way, by id; null: the order of the company's own events. */
  readonly #emails = new Map<string | null, EmailOrder>()
  /** The place up to which new events have been started. */
  #begun: LogPosition = { number: 0, recipient: 0 }
  /** The average octets of an event. */
  #usual = 0

  constructor(octets: QueueShare) {
    this.#octets = octets
  }

  /** Whether there is room for any event at all. */
  get mayAdd(): boolean {
    return this.#octets.held < MAX_OCTETS && this.#octets.mayTake
  }

  /** The number of new events that fit, approximately. `down`: at most one. */
  room(down: boolean): number {
    if (!this.mayAdd) return 0
    const fitting = Math.ceil((MAX_OCTETS - this.#octets.held) / Math.max(1, this.#usual))
    return Math.max(0, Math.min((down ? 1 : MAX_HELD) - this.#unfinished.size, fitting))
  }

  /** The number of retries that fit. */
  roomAgain(down: boolean): number {
    return this.mayAdd ? Math.max(0, (down ? 1 : MAX_HELD) - this.#again.length) : 0
  }

  /** Whether there is enough room to make a read worthwhile. */
  get wantsMore(): boolean {
    const half = this.#unfinished.size <= MAX_HELD / 2 && this.#octets.held <= MAX_OCTETS / 2
    return half && this.mayAdd
  }

  /** Every event up to this number has been sent, or will be retried; null: no new event is in memory. */
  get sentUpTo(): number | null {
    for (const upTo of this.#unfinished.values()) return upTo
    return null
  }

  add(notice: EventNotice<LogEntry>): void {
    this.#unfinished.set(keyOf(subjectOf(notice)), notice.event.number - 1)
    this.#queue.push(this.#taken(notice, null))
  }

  addAgain(notice: EventNotice<LogEntry>, retry: WebhookRetry): void {
    this.#repeated.add(keyOf(subjectOf(notice)))
    this.#again.push(this.#taken(notice, retry))
  }

  #taken(notice: EventNotice<LogEntry>, retry: WebhookRetry | null): PendingMessage {
    const { octets } = notice
    this.#usual += (octets - this.#usual) / INERTIA
    this.#octets.take(octets)
    return { notice: notice, octets, retry }
  }

  /**
   * The keys of retries in memory whose outcome is not committed yet. Read these before asking the store for retries.
   */
  get repeated(): ReadonlySet<string> {
    return new Set(this.#repeated)
  }

  /** The event can no longer be sent. The store lists it as a retry until that is committed. */
  forget(subject: WebhookSubject): void {
    this.#repeated.add(keyOf(subject))
  }

  /** The store no longer lists the event as a retry, or lists it with its next due time. */
  committed(subject: WebhookSubject): void {
    this.#repeated.delete(keyOf(subject))
  }

  /** Starts the next message; undefined: there is none that may start. */
  begin(): PendingMessage | undefined {
    const again = this.#again.shift()
    if (again !== undefined) return again
    for (let message = this.#queue.shift(); message !== undefined; message = this.#queue.shift()) {
      const { emailId } = message.notice.event
      const place = placeOf(message.notice)
      if (comparePlaces(place, this.#begun) > 0) this.#begun = place
      const order = this.#emails.get(emailId) ?? new EmailOrder()
      this.#emails.set(emailId, order)
      if (order.begins(message)) return message
    }
    return undefined
  }

  /** The request is over, and its memory is free. */
  releaseOctets({ octets }: PendingMessage): void {
    this.#octets.give(octets)
  }

  /** The message was delivered, given up, or will be retried: messages that waited behind it may start. */
  finish(message: PendingMessage): void {
    // Until the outcome is committed, the store still lists the retry as due.
    if (message.retry !== null) return
    const { emailId } = message.notice.event
    this.#unfinished.delete(keyOf(subjectOf(message.notice)))
    const order = this.#emails.get(emailId)
    if (order === undefined) return
    this.#queue.unshift(...order.ends(message))
    if (order.isIdle) this.#emails.delete(emailId)
  }

  /**
   * Releases the waiting messages. Returns the new events among them: `passed` precede others that have been started,
   * `before` is the place before the first of the rest; `again`: whether there were retries among the messages.
   */
  releaseWaiting(): { passed: WebhookSubject[]; before: LogPosition | undefined; again: boolean } {
    const again = this.#again.length > 0
    const waiting = this.#queue.map(({ notice }) => notice)
    for (const { octets } of [...this.#queue, ...this.#again]) this.#octets.give(octets)
    for (const { notice } of this.#again) this.#repeated.delete(keyOf(subjectOf(notice)))
    for (const notice of waiting) this.#unfinished.delete(keyOf(subjectOf(notice)))
    this.#queue = []
    this.#again = []
    const isPassed = (notice: EventNotice<LogEntry>) => comparePlaces(placeOf(notice), this.#begun) <= 0
    const first = waiting.find((notice) => !isPassed(notice))
    const before = first === undefined ? undefined : placeBefore(first)
    return { passed: waiting.filter(isPassed).map(subjectOf), before, again }
  }

  /** Starts nothing more. */
  close(): void {
    for (const { behind } of this.#emails.values()) this.#queue.push(...behind)
    this.#emails.clear()
    this.releaseWaiting()
  }
}
