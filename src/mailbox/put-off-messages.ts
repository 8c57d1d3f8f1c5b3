/**
 * Messages whose signature could not be checked, because DNS did not answer. They stay unread until they are tried
 * again. After some attempts a message counts as read: it changes nothing, and is kept for people to read.
 */

/** Attempts, in addition to the first one. */
const MAX_AGAIN = 3
/** Ms until the next attempt. */
const AGAIN_AFTER = 5 * 60_000
/** The most messages that are remembered, because strangers can send any number. Further ones count as read at once. */
const MAX = 1_000
/**
 * The most of them with reports about domains, which anybody can send without an email of ours: the rest of the room is
 * for bounces.
 */
const MAX_REPORTS = MAX / 2

interface PutOffMessage {
  tries: number
  /** The time of the next attempt, in ms of the clock. */
  until: number
  isReport: boolean
}

export class PutOffMessages {
  readonly #messages = new Map<number, PutOffMessage>()
  readonly #now: () => number

  /** `now`: a monotonic clock in milliseconds. */
  constructor(now: () => number) {
    this.#now = now
  }

  clear(): void {
    this.#messages.clear()
  }

  /** Whether the message will be tried again. `isReport`: it has a report about a domain. */
  putOff(uid: number, isReport: boolean): boolean {
    const tries = (this.#messages.get(uid)?.tries ?? 0) + 1
    if (tries > MAX_AGAIN || (tries === 1 && !this.#hasRoom(isReport))) {
      this.#messages.delete(uid)
      return false
    }
    this.#messages.set(uid, { tries, until: this.#now() + AGAIN_AFTER, isReport })
    return true
  }

  #hasRoom(isReport: boolean): boolean {
    if (this.#messages.size >= MAX) return false
    return !isReport || [...this.#messages.values()].filter((each) => each.isReport).length < MAX_REPORTS
  }

  forget(uid: number): void {
    this.#messages.delete(uid)
  }

  isWaiting(uid: number): boolean {
    const message = this.#messages.get(uid)
    return message !== undefined && message.until > this.#now()
  }
}
