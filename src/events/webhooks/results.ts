/** The outcomes of the attempts of one webhook, until they are committed. */
import type { WebhookAttempt, WebhookProgress, WebhookRetry, WebhookSubject } from '../../store/store.ts'

/** The most successful attempts recorded per second. Nobody reads more of them one by one. */
const KEPT_A_SECOND = 50
/** With this many uncommitted attempts, no request starts. */
const MAX_UNCOMMITTED = 1_000

type PendingProgress = Pick<WebhookProgress, 'over' | 'waiting' | 'attempts'>

export class AttemptResults {
  #uncommitted: PendingProgress = { over: [], waiting: [], attempts: [] }
  #successes: WebhookAttempt[] = []
  #second = 0
  #keptInSecond = 0

  get isFull(): boolean {
    return this.#uncommitted.attempts.length >= MAX_UNCOMMITTED
  }

  addAttempt(attempt: WebhookAttempt): void {
    if (!attempt.succeeded) {
      this.#uncommitted.attempts.push(attempt)
      return
    }
    this.#successes.push(attempt)
    if (this.#successes.length > KEPT_A_SECOND) this.#successes.shift()
  }

  /** The event waits until a time (Unix ms), after this many attempts. */
  waits(subject: WebhookSubject, attempts: number, dueAt: number): void {
    this.#uncommitted.waiting.push({ ...subject, attempts, dueAt })
  }

  /** The retry is over. */
  over(retry: WebhookRetry): void {
    this.#uncommitted.over.push(retry)
  }

  /** Hands over all results; `giveBack` returns them. Null: there are none. */
  take(now: number): PendingProgress | null {
    this.#keepSuccesses(now)
    const taken = this.#uncommitted
    if (taken.over.length + taken.waiting.length + taken.attempts.length === 0) return null
    this.#uncommitted = { over: [], waiting: [], attempts: [] }
    return taken
  }

  /** The commit failed: the results become part of the next one. */
  giveBack({ over, waiting, attempts }: PendingProgress): void {
    const later = this.#uncommitted
    this.#uncommitted = {
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
    const attempts = left === 0 ? [] : this.#successes.slice(-left)
    this.#successes = []
    this.#keptInSecond += attempts.length
    this.#uncommitted.attempts.push(...attempts)
  }
}
