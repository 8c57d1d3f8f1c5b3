/**
 * The pace of mail that comes back over SMTP and HTTP, or lies in the bounce mailbox. Mails that come within some
 * milliseconds begin together, because then they share look-ups, a commit, and what it costs to wake the threads of the
 * store. While sending keeps this thread busy, few begin: the server or program that hands them in waits for its
 * answer, and the mail that is sent does not wait. Senders of mail take turns, so that a flood from one delays only its
 * own.
 */
import { CompanyTurns } from '../common/company-turns.ts'

/** Ms from one group to the next. */
const EVERY = 25
/** Ms between two looks at how busy the thread is. */
const LOOK_EVERY = 100
/** The part of its time in which the thread may be busy. Sending as fast as it can takes more than nine tenths. */
const BUSY = 0.8
/** The highest and the lowest pace, in mails a second. The lowest takes a hundredth of a slow thread's time. */
const MAX = 1_000
const LEAST = 10
/** The pace is divided by this at each look at a thread that sending keeps busy. */
const FALL = 4
/**
 * Mails a second added to the pace at each look at a thread that is not busy. Few, because even a thread that sends as
 * fast as it can rests at times.
 */
const GROWTH = 10

export interface PaceParts {
  /** Monotonic ms. */
  now(): number
  /** Whether mail is being accepted or sent, apart from returned mail. */
  isSending(): boolean
  /** Ms in which this thread was busy and idle since a fixed moment. */
  utilization(): { active: number; idle: number }
  /** Called after each group with the number of mails that still wait. */
  onWaiting(mails: number): void
}

export class ReturnedMailPace {
  readonly #parts: PaceParts
  /** By sender: the network of a server, a company, or the mailbox. */
  readonly #waiting = new CompanyTurns<() => void>()
  #timer: NodeJS.Timeout | undefined
  #rate = MAX
  /** Mails that may begin. */
  #room = 0
  #groupAt = 0
  #lookAt = 0
  #seen = { active: 0, idle: 0 }

  constructor(parts: PaceParts) {
    this.#parts = parts
  }

  /** The number of waiting mails of a sender. */
  waiting(from: string): number {
    return this.#waiting.waiting(from)
  }

  /**
   * Resolves when the mail may be read: at once, if none has come for a while. If `gone` is aborted before, takes no
   * turn and rejects with its reason. `from`: the network of the client, the company, or the mailbox.
   */
  turn(from: string, gone: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      gone.throwIfAborted()
      const begin = () => {
        gone.removeEventListener('abort', leave)
        resolve()
      }
      const leave = () => {
        this.#waiting.remove(from, begin)
        reject(gone.reason)
      }
      gone.addEventListener('abort', leave, { once: true })
      this.#waiting.push(from, begin)
      if (this.#timer !== undefined) return
      this.#groupAt = this.#parts.now() - EVERY
      this.#see()
      this.#next()
    })
  }

  #next(): void {
    const now = this.#parts.now()
    if (now - this.#lookAt >= LOOK_EVERY) this.#look()
    const since = Math.min(now - this.#groupAt, LOOK_EVERY) / 1_000
    this.#groupAt = now
    // Unused room expires, except for room for one mail.
    this.#room = Math.min(this.#room, 1) + this.#rate * since
    let begun = 0
    for (; this.#room >= 1; this.#room--, begun++) {
      const begin = this.#waiting.take()
      if (begin === null) break
      begin()
    }
    const waiting = this.#waiting.length
    this.#parts.onWaiting(waiting)
    this.#timer = waiting > 0 || begun > 0 ? setTimeout(() => this.#next(), EVERY) : undefined
  }

  #look(): void {
    const before = this.#seen
    this.#see()
    const active = this.#seen.active - before.active
    const busy = active / (active + this.#seen.idle - before.idle)
    const waits = busy > BUSY && this.#parts.isSending()
    this.#rate = waits ? Math.max(LEAST, this.#rate / FALL) : Math.min(MAX, this.#rate + GROWTH)
  }

  #see(): void {
    this.#lookAt = this.#parts.now()
    this.#seen = this.#parts.utilization()
  }
}
