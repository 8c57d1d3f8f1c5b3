/**
 * Messages whose signature could not be checked, because DNS did not answer. They stay unread until they are tried
 * again. After some attempts a message counts as read: it changes nothing, and is kept for people to read.
 */

/** Attempts, in addition to the first one. */
const MOST_AGAIN = 3
/** Ms until the next attempt. */
const AGAIN_AFTER = 5 * 60_000
/** Messages that are remembered: strangers can send as many as they like. Any other counts as read at once. */
const MOST = 1_000

interface PutOff {
  tries: number
  /** The time of the next attempt, in ms of the clock. */
  until: number
}

export class PutOffMessages {
  readonly #messages = new Map<number, PutOff>()
  readonly #now: () => number

  /** `now`: a monotonic clock in milliseconds. */
  constructor(now: () => number) {
    this.#now = now
  }

  clear(): void {
    this.#messages.clear()
  }

  /** Whether the message will be tried again. */
  putOff(uid: number): boolean {
    const tries = (this.#messages.get(uid)?.tries ?? 0) + 1
    if (tries > MOST_AGAIN || (tries === 1 && this.#messages.size >= MOST)) {
      this.#messages.delete(uid)
      return false
    }
    this.#messages.set(uid, { tries, until: this.#now() + AGAIN_AFTER })
    return true
  }

  forget(uid: number): void {
    this.#messages.delete(uid)
  }

  isWaiting(uid: number): boolean {
    const message = this.#messages.get(uid)
    return message !== undefined && message.until > this.#now()
  }
}
