/** One webhook as the node that tells it has it: what waits, what is under way, how far it has come. */
import { randomUUIDv7 } from 'node:crypto'
import { webhookSwitched } from '../../email/company-event.ts'
import type { ToldEvent } from '../../email/told-event.ts'
import type { HeldWebhook, WebhookAttempt, WebhookProgress } from '../../store/store.ts'
import { isTaken, type WebhookSchedule, waitAfter } from './schedule.ts'

/** What its owner may not read is opened. */
export interface OpenWebhook extends Omit<HeldWebhook, 'secret' | 'previousSecret'> {
  /** What it is signed with now, newest first. */
  secrets: string[]
}

/** An event on its way to one webhook. */
export interface Message {
  told: ToldEvent
  /** Made so far. */
  attempts: number
  /** It has been tried before, or is told again by hand: the cursor does not wait for it. */
  again: boolean
}

/** What came of a try. */
export interface Tried {
  /** Unix ms, and how long it took. */
  at: number
  duration: number
  status: number | null
  error: string | null
  response: string
}

/** Events held for one webhook, under way ones included. */
const MOST_HELD = 500
/** Under way at a time: so many at first and after a failure, and more with each answer while nothing fails. */
const FIRST_AT_ONCE = 16
const MOST_AT_ONCE = 64
/** So many failures in a row, and it counts as down: then one event at a time tries it, after growing pauses. */
const DOWN_AFTER = 5
const FIRST_PAUSE_MS = 1_000
/** Failing for so long, and nothing else, it is given up. */
const GIVEN_UP_AFTER_MS = 5 * 24 * 3_600_000
const GIVEN_UP = 'it has failed for five days, and never succeeded meanwhile'
/** Results that wait for their commit: with more nothing is begun. */
const MOST_UNCOMMITTED = 1_000
/** What was told without a try to note is committed this late at most. Milliseconds. */
const TOLD_COMMIT_MS = 1_000
/** Tries that succeeded are kept, but no more than so many a second: who gets more looks at none of them. */
const KEPT_A_SECOND = 50

/** How a webhook fares. */
export type WebhookState = 'current' | 'behind' | 'failing'

type Pending = Pick<WebhookProgress, 'over' | 'waiting' | 'attempts'>

export class Endpoint {
  webhook: OpenWebhook
  /** Up to this event all that it is to be told was read from the log. */
  read: number
  /** It is behind what is read for all, and reads by itself. */
  lagging = true
  /** Something is being read for it alone. */
  reading = false
  /** It is told nothing more: taken away, changed, or given up. */
  closed = false
  /** Another node is to have it: what is under way ends, and nothing more is begun. */
  leaving = false
  underWay = 0
  readonly #schedule: WebhookSchedule
  #queue: Message[] = []
  readonly #again: Message[] = []
  /** Numbers of new events that are held, in their order. */
  readonly #unfinished = new Set<number>()
  /** Numbers of those told again. */
  readonly #repeated = new Set<number>()
  /** What comes after something that is under way, of the same email: it waits for it. */
  readonly #behind = new Map<string, Message[]>()
  /** The last new event that was begun. */
  #begun = 0
  #atOnce = FIRST_AT_ONCE
  #failures = 0
  /** When it went down; null: it is not. */
  #downSince: number | null = null
  #pause = 0
  #pausedUntil = 0
  #failingSince: number | null
  #pending: Pending = { over: [], waiting: [], attempts: [] }
  #successes: WebhookAttempt[] = []
  #second = 0
  #keptInSecond = 0
  #committed: number
  #committedAt = 0
  /** Something was told since the last commit. */
  #told = false

  constructor(webhook: OpenWebhook, schedule: WebhookSchedule) {
    this.webhook = webhook
    this.read = webhook.cursor
    this.#committed = webhook.cursor
    this.#failingSince = webhook.failingSince
    this.#schedule = schedule
  }

  /** Of new events; 0 while it is down and has one to try. */
  get room(): number {
    const most = this.#downSince === null ? MOST_HELD : 1
    return Math.max(0, most - this.#unfinished.size)
  }

  /** There is so much room that reading for it is worth while. */
  get wantsMore(): boolean {
    return this.room >= (this.#downSince === null ? MOST_HELD / 2 : 1)
  }

  /** It would take something now. */
  mayBegin(now: number): boolean {
    if (this.closed || this.leaving || now < this.#pausedUntil) return false
    if (this.#pending.attempts.length >= MOST_UNCOMMITTED) return false
    return this.underWay < (this.#downSince === null ? this.#atOnce : 1)
  }

  /** `failing`: nothing but failures of late; `behind`: it reads by itself until it has caught up. */
  get state(): WebhookState {
    if (this.#failingSince !== null) return 'failing'
    return this.lagging ? 'behind' : 'current'
  }

  /** New events, in order. */
  hold(told: readonly ToldEvent[]): void {
    for (const each of told) {
      this.#unfinished.add(each.event.number)
      this.#queue.push({ told: each, attempts: 0, again: false })
    }
  }

  /** The numbers of what is told again and is not committed yet: to be asked for before the store is. */
  get repeated(): ReadonlySet<number> {
    return new Set(this.#repeated)
  }

  holdAgain(told: ToldEvent, attempts: number): void {
    this.#repeated.add(told.event.number)
    this.#again.push({ told, attempts, again: true })
  }

  /** It can be told no more: retention has removed the event. */
  forget(number: number): void {
    this.#repeated.add(number)
    this.#pending.over.push(number)
  }

  /** What is to be told next; undefined: nothing that could be. */
  next(): Message | undefined {
    const again = this.#again.shift()
    if (again !== undefined) return again
    for (let message = this.#queue.shift(); message !== undefined; message = this.#queue.shift()) {
      const { number, emailId } = message.told.event
      this.#begun = Math.max(this.#begun, number)
      const behind = this.#behind.get(emailId)
      if (behind === undefined) {
        this.#behind.set(emailId, [])
        return message
      }
      behind.push(message)
    }
    return undefined
  }

  /** Null: there was nothing to tell in its dialect. Gives what is noted of the try. */
  finish(message: Message, tried: Tried | null, now: number): WebhookAttempt | null {
    const { told, again } = message
    const { number, emailId } = told.event
    this.#told = true
    const attempt = tried === null ? null : this.#note(message, tried, now)
    const dueAt = attempt?.nextAt ?? null
    if (dueAt !== null) this.#pending.waiting.push({ number, attempts: attempt!.attempt, dueAt })
    else if (again) this.#pending.over.push(number)
    // Until that is committed the store still says that it is due.
    if (again) return attempt
    this.#unfinished.delete(number)
    const behind = this.#behind.get(emailId) ?? []
    this.#behind.delete(emailId)
    this.#queue.unshift(...behind)
    return attempt
  }

  /** A try is over: notes it, and says when the next is. */
  #note(
    { told, attempts }: Message,
    { at, duration, status, error, response }: Tried,
    now: number,
  ): WebhookAttempt {
    const { dialect, id } = this.webhook
    const { number, type, emailId } = told.event
    const succeeded = isTaken(status)
    const made = attempts + 1
    const wait = succeeded ? null : waitAfter(this.#schedule, dialect, made, status)
    const dueAt = wait === null ? null : now + wait
    const attempt: WebhookAttempt = {
      ...{ id: randomUUIDv7(), webhookId: id, number, type, emailId, at, duration, status, error, response },
      ...{ succeeded, attempt: made, nextAt: dueAt },
    }
    if (succeeded) {
      this.#successes.push(attempt)
      if (this.#successes.length > KEPT_A_SECOND) this.#successes.shift()
      this.#recovered()
    } else {
      this.#pending.attempts.push(attempt)
      this.#failed(at, now)
    }
    return attempt
  }

  #recovered(): void {
    this.#failures = 0
    this.#atOnce = Math.min(MOST_AT_ONCE, this.#atOnce + 1)
    this.#failingSince = null
    this.#downSince = null
    this.#pausedUntil = 0
  }

  #failed(began: number, now: number): void {
    this.#failures++
    this.#atOnce = FIRST_AT_ONCE
    this.#failingSince ??= began
    if (this.#downSince === null) {
      if (this.#failures < DOWN_AFTER) return
      this.#downSince = now
      this.#pause = Math.min(FIRST_PAUSE_MS, this.#schedule.longestPause)
      this.#drop()
    } else if (began >= this.#downSince) {
      this.#pause = Math.min(2 * this.#pause, this.#schedule.longestPause)
    }
    this.#pausedUntil = now + this.#pause
  }

  /** What was not begun is read again when it is up. */
  #drop(): void {
    const kept = this.#queue.filter(({ told }) => told.event.number <= this.#begun)
    const dropped = this.#queue.filter(({ told }) => told.event.number > this.#begun)
    this.#queue = kept
    const first = dropped[0]?.told.event.number
    if (first === undefined) return
    for (const { told } of dropped) this.#unfinished.delete(told.event.number)
    this.read = first - 1
    this.lagging = true
  }

  /** Up to this event everything was told, or waits to be told again. */
  get cursor(): number {
    for (const first of this.#unfinished) return first - 1
    return this.read
  }

  /**
   * What is to be committed; null: nothing, or nothing worth one yet. What is given here is the caller's: `uncommitted`
   * takes it back.
   */
  progress(token: number, now: number, patience: number): WebhookProgress | null {
    this.#keepSuccesses(now)
    const { over, waiting, attempts } = this.#pending
    const some = over.length > 0 || waiting.length > 0 || attempts.length > 0
    const { cursor } = this
    const moved = cursor !== this.#committed
    const wait = this.#told ? Math.min(patience, TOLD_COMMIT_MS) : patience
    if (!some && !(moved && now >= this.#committedAt + wait)) return null
    const { id, generation } = this.webhook
    const failingSince = this.#failingSince
    const tooLong = failingSince !== null && now >= failingSince + GIVEN_UP_AFTER_MS && attempts.length > 0
    const disabled = tooLong ? webhookSwitched('webhook.disabled', this.webhook, now, GIVEN_UP) : null
    this.#pending = { over: [], waiting: [], attempts: [] }
    this.#committedAt = now
    this.#told = false
    return { id, token, generation, cursor, failingSince, over, waiting, attempts, disabled }
  }

  committed({ cursor, over, waiting }: WebhookProgress): void {
    this.#committed = cursor
    for (const number of over) this.#repeated.delete(number)
    for (const { number } of waiting) this.#repeated.delete(number)
  }

  /** It could not be committed: it goes along with the next. */
  uncommitted({ over, waiting, attempts }: WebhookProgress): void {
    const later = this.#pending
    this.#pending = {
      over: [...over, ...later.over],
      waiting: [...waiting, ...later.waiting],
      attempts: [...attempts, ...later.attempts],
    }
  }

  #keepSuccesses(now: number): void {
    const second = Math.floor(now / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#keptInSecond = 0
    }
    const left = KEPT_A_SECOND - this.#keptInSecond
    const kept = left === 0 ? [] : this.#successes.slice(-left)
    this.#successes = []
    this.#keptInSecond += kept.length
    this.#pending.attempts.push(...kept)
  }
}
