/** One webhook as the node that tells it has it: what is held for it, how it fares, how far it has come. */
import { randomUUIDv7 } from 'node:crypto'
import { webhookSwitched } from '../../email/company-event.ts'
import type { ToldEvent } from '../../email/told-event.ts'
import type { HeldWebhook, WebhookAttempt, WebhookProgress, WebhookTelling } from '../../store/store.ts'
import { GIVEN_UP, Health } from './health.ts'
import { Held, type Message } from './held.ts'
import { behind, comparePlaces, type Place, placeOf, tellingOf, wholeUpTo } from './place.ts'
import { Results } from './results.ts'
import { isTaken, type WebhookSchedule, waitAfter } from './schedule.ts'
import type { Share, Shares } from './shares.ts'

/** What its owner may not read is opened. */
export interface OpenWebhook extends Omit<HeldWebhook, 'secret' | 'previousSecret'> {
  /** What it is signed with now, newest first. */
  secrets: string[]
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

/** What all webhooks of the node share. */
export interface WebhookShares {
  /** Under way. */
  requests: Shares
  /** Of the events that are held, under way ones included. */
  octets: Shares
}

/** What was told without a try to note is committed this late at most. Milliseconds. */
const TOLD_COMMIT_MS = 1_000

/** `failing`: nothing but failures of late; `behind`: it reads by itself until it has caught up. */
export type WebhookState = 'current' | 'behind' | 'failing'

export class Endpoint {
  webhook: OpenWebhook
  /** Up to here all that it is to be told was read from the log. */
  read: Place
  /** It is behind what is read for all, and reads by itself. */
  lagging = true
  /** Something is being read for it alone. */
  reading = false
  /** Another node is to have it: what is under way ends, and nothing more is begun. */
  leaving = false
  readonly #schedule: WebhookSchedule
  readonly #requests: Share
  readonly #held: Held
  readonly #health: Health
  readonly #results = new Results()
  #closed = false
  #committed: number
  #committedAt = 0
  /** Something was told since the last commit. */
  #told = false

  constructor(webhook: OpenWebhook, schedule: WebhookSchedule, { requests, octets }: WebhookShares) {
    this.webhook = webhook
    this.read = behind(webhook.cursor)
    this.#committed = webhook.cursor
    this.#schedule = schedule
    this.#requests = requests.of(webhook.companyId)
    this.#held = new Held(octets.of(webhook.companyId))
    this.#health = new Health(webhook.failingSince, schedule.longestPause)
  }

  /** It is told nothing more: taken away, changed, or given up. */
  get closed(): boolean {
    return this.#closed
  }

  /** What is under way ends, and nobody writes down what comes of it: whoever has the webhook next tells it again. */
  close(): void {
    this.#closed = true
    this.#held.close()
  }

  get underWay(): number {
    return this.#requests.held
  }

  get state(): WebhookState {
    if (this.#health.failingSince !== null) return 'failing'
    return this.lagging ? 'behind' : 'current'
  }

  /** For about so many new events; 0 while it is down and has one to try. */
  get room(): number {
    return this.#closed ? 0 : this.#held.room(this.#health.down)
  }

  /** For so many that are told again. */
  get roomAgain(): number {
    return this.#closed ? 0 : this.#held.roomAgain(this.#health.down)
  }

  /** There is so much room that reading for it is worth while. */
  get wantsMore(): boolean {
    return this.#health.down ? this.room > 0 : !this.#closed && this.#held.wantsMore
  }

  /**
   * New events, in order, and up to where they are all that it is told. False: there is no room for all of them, and it
   * reads on from the first for which there was none.
   */
  hold(told: readonly ToldEvent[], upTo: Place): boolean {
    for (const each of told) {
      if (this.room === 0) {
        this.lagging = true
        return false
      }
      this.#held.add(each)
      this.read = placeOf(each)
    }
    if (comparePlaces(this.read, upTo) < 0) this.read = upTo
    return true
  }

  /** The keys of what is told again and is not committed yet: to be asked for before the store is. */
  get repeated(): ReadonlySet<string> {
    return this.#held.repeated
  }

  holdAgain(told: ToldEvent, attempts: number): void {
    this.#held.addAgain(told, attempts)
  }

  /** It can be told no more: retention has removed the event. */
  forget(telling: WebhookTelling): void {
    this.#held.forget(telling)
    this.#results.over(telling)
  }

  /** It would take something now. */
  mayBegin(now: number): boolean {
    if (this.#closed || this.leaving || this.#results.isFull) return false
    return !this.#health.rests(now) && this.underWay < this.#health.atOnce
  }

  /** The others leave it a place. */
  get hasPlace(): boolean {
    return this.#requests.mayTake
  }

  /** What is to be told next, under way from now on; undefined: nothing that could be. */
  begin(): Message | undefined {
    const message = this.#held.begin()
    if (message !== undefined) this.#requests.take(1)
    return message
  }

  /** It is under way no more, whatever came of it. */
  end(message: Message): void {
    this.#requests.give(1)
    this.#held.end(message)
  }

  /** `tried` null: there was nothing to tell in its dialect. Gives what is noted of the try. */
  finish(message: Message, tried: Tried | null, now: number): WebhookAttempt | null {
    const telling = tellingOf(message.told)
    this.#told = true
    const attempt = tried === null ? null : this.#note(message, tried, now)
    const dueAt = attempt?.nextAt ?? null
    if (dueAt !== null) this.#results.waits(telling, attempt!.attempt, dueAt)
    else if (message.again) this.#results.over(telling)
    this.#held.finish(message)
    if (this.#health.down) this.#letGo(now)
    return attempt
  }

  /** A try is over: notes it, and says when the next is. */
  #note(
    { told, attempts }: Message,
    { at, duration, status, error, response }: Tried,
    now: number,
  ): WebhookAttempt {
    const { dialect, id } = this.webhook
    const { type, emailId } = told.event
    const succeeded = isTaken(status)
    const made = attempts + 1
    const wait = succeeded ? null : waitAfter(this.#schedule, dialect, made, status)
    const dueAt = wait === null ? null : now + wait
    const attempt: WebhookAttempt = {
      ...{
        id: randomUUIDv7(),
        webhookId: id,
        ...tellingOf(told),
        type,
        emailId,
        at,
        duration,
        status,
        error,
        response,
      },
      ...{ succeeded, attempt: made, nextAt: dueAt },
    }
    this.#results.tried(attempt)
    if (succeeded) this.#health.succeeded()
    else this.#health.failed(at, now)
    return attempt
  }

  /** While it is down nothing waits in memory: all is read again when it is up. */
  #letGo(now: number): void {
    const { passed, before, again } = this.#held.letGo()
    // Those before others that were told the log is not read again for.
    for (const telling of passed) this.#results.waits(telling, 0, now)
    if (again) this.webhook.retryAt = now
    if (before !== undefined) this.read = before
    this.lagging = true
  }

  /** Up to this event everything was told, or waits to be told again. */
  get cursor(): number {
    return this.#held.toldUpTo ?? wholeUpTo(this.read)
  }

  /**
   * What is to be committed; null: nothing, or nothing worth one yet. What is given here is the caller's: `uncommitted`
   * takes it back.
   */
  progress(token: number, now: number, patience: number): WebhookProgress | null {
    const { cursor } = this
    const results = this.#results.take(now)
    const wait = this.#told ? Math.min(patience, TOLD_COMMIT_MS) : patience
    const due = cursor !== this.#committed && now >= this.#committedAt + wait
    if (results === null && !due) return null
    const { over, waiting, attempts } = results ?? { over: [], waiting: [], attempts: [] }
    const { id, generation } = this.webhook
    const { failingSince } = this.#health
    const givenUp = attempts.length > 0 && this.#health.isGivenUp(now)
    const disabled = givenUp ? webhookSwitched('webhook.disabled', this.webhook, now, GIVEN_UP) : null
    this.#committedAt = now
    this.#told = false
    return { id, token, generation, cursor, failingSince, over, waiting, attempts, disabled }
  }

  committed({ cursor, over, waiting }: WebhookProgress): void {
    this.#committed = cursor
    for (const telling of [...over, ...waiting]) this.#held.committed(telling)
  }

  /** It could not be committed: it goes along with the next. */
  uncommitted(progress: WebhookProgress): void {
    this.#results.giveBack(progress)
  }
}
