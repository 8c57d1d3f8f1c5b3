/** What came of the tries of one webhook, until it is committed. */
import type { WebhookAttempt, WebhookProgress, WebhookTelling } from '../../store/store.ts'

/** Tries that succeeded are kept, but no more than so many a second: who gets more looks at none of them. */
const KEPT_A_SECOND = 50
/** With more that wait for their commit nothing is begun. */
const MOST_UNCOMMITTED = 1_000

type Uncommitted = Pick<WebhookProgress, 'over' | 'waiting' | 'attempts'>

export class Results {
  #uncommitted: Uncommitted = { over: [], waiting: [], attempts: [] }
  #successes: WebhookAttempt[] = []
  #second = 0
  #keptInSecond = 0

  get isFull(): boolean {
    return this.#uncommitted.attempts.length >= MOST_UNCOMMITTED
  }

  tried(attempt: WebhookAttempt): void {
    if (!attempt.succeeded) {
      this.#uncommitted.attempts.push(attempt)
      return
    }
    this.#successes.push(attempt)
    if (this.#successes.length > KEPT_A_SECOND) this.#successes.shift()
  }

  /** The event waits for a time (Unix ms), after so many tries. */
  waits(telling: WebhookTelling, attempts: number, dueAt: number): void {
    this.#uncommitted.waiting.push({ ...telling, attempts, dueAt })
  }

  /** What waited does so no more. */
  over(telling: WebhookTelling): void {
    this.#uncommitted.over.push(telling)
  }

  /** All that there is: the caller's from now on, `giveBack` takes it again. Null: nothing. */
  take(now: number): Uncommitted | null {
    this.#keepSuccesses(now)
    const taken = this.#uncommitted
    if (taken.over.length + taken.waiting.length + taken.attempts.length === 0) return null
    this.#uncommitted = { over: [], waiting: [], attempts: [] }
    return taken
  }

  /** It could not be committed: it goes along with what comes next. */
  giveBack({ over, waiting, attempts }: Uncommitted): void {
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
    const kept = left === 0 ? [] : this.#successes.slice(-left)
    this.#successes = []
    this.#keptInSecond += kept.length
    this.#uncommitted.attempts.push(...kept)
  }
}
