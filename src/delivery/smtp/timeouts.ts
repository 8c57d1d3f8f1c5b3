import type { Stage } from './error.ts'

/**
 * How long each step may take, in milliseconds. A deadline is for the whole reply, not for the next byte: a
 * server that trickles one byte every few seconds runs out of time like a silent one.
 */
export interface SmtpTimeouts {
  /** TCP connection, and again for the handshake of implicit TLS. */
  connect: number
  greeting: number
  helo: number
  /** The reply to STARTTLS, and again for the handshake. */
  starttls: number
  /** Each step of AUTH. */
  auth: number
  mail: number
  rcpt: number
  data: number
  /** Writing one block of the message, until the kernel has taken it. */
  block: number
  dot: number
  /**
   * Each reply to an envelope that was written behind a final dot, once that dot has been answered. Shorter than the
   * other limits, because the server may have dropped the envelope; the delivery then gets a session of its own.
   */
  behindDot: number
  /** The reply to QUIT. It is short, because QUIT is only a courtesy. */
  quit: number
  /** From the first packet until the session is open. */
  opening: number
  /**
   * From MAIL until the final dot. It does not cut the wait for the answer to the dot: cutting there makes duplicates.
   */
  transaction: number
}

const minute = 60_000

/** The values of RFC 5321 4.5.3.2 where it gives one. */
export const defaultTimeouts: Readonly<SmtpTimeouts> = {
  connect: 30_000,
  greeting: 5 * minute,
  helo: 5 * minute,
  starttls: 2 * minute,
  auth: 2 * minute,
  mail: 5 * minute,
  rcpt: 5 * minute,
  data: 2 * minute,
  block: 3 * minute,
  dot: 10 * minute,
  behindDot: 30_000,
  quit: 2_000,
  opening: 10 * minute,
  transaction: 30 * minute,
}

/** The deadline for a reply at a stage, in milliseconds. */
export function replyTimeout(timeouts: SmtpTimeouts, stage: Stage): number {
  switch (stage) {
    case 'ehlo':
      return timeouts.helo
    case 'idle':
      return timeouts.quit
    default:
      return timeouts[stage]
  }
}

/**
 * One deadline that is moved often and rarely met. Moving it to a later time is an assignment: the running
 * timer finds out when it fires and sleeps on. The timer never keeps the process alive; the socket does.
 */
export class Deadline {
  #onPassed: () => void
  #at = Number.POSITIVE_INFINITY
  #setAt = 0
  #limit = Number.POSITIVE_INFINITY
  #timer: NodeJS.Timeout | null = null
  #firesAt = Number.POSITIVE_INFINITY

  constructor(onPassed: () => void) {
    this.#onPassed = onPassed
  }

  /** Milliseconds since it was set; 0 while it is lifted. */
  get runsFor(): number {
    return this.#at === Number.POSITIVE_INFINITY ? 0 : performance.now() - this.#setAt
  }

  /** Milliseconds until it passes; Infinity while it is lifted. */
  get passesIn(): number {
    if (this.#at === Number.POSITIVE_INFINITY) return this.#at
    return Math.max(0, Math.min(this.#at, this.#limit) - performance.now())
  }

  /** Passes `ms` from now, or at the limit if that is earlier. */
  set(ms: number): void {
    this.#setAt = performance.now()
    this.#at = this.#setAt + ms
    this.#schedule()
  }

  /** An upper bound for every deadline set until the limit is lifted; `ms` from now. */
  limit(ms: number): void {
    this.#limit = performance.now() + ms
  }

  liftLimit(): void {
    this.#limit = Number.POSITIVE_INFINITY
  }

  /** Lifts the deadline. The timer may still fire once, to no effect. */
  clear(): void {
    this.#at = Number.POSITIVE_INFINITY
  }

  /** Stops the timer for good. */
  stop(): void {
    this.clear()
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.#firesAt = Number.POSITIVE_INFINITY
  }

  #schedule(): void {
    const at = Math.min(this.#at, this.#limit)
    if (this.#timer && this.#firesAt <= at) return
    if (this.#timer) clearTimeout(this.#timer)
    this.#firesAt = at
    // Rounded up: a timer that fires a fraction early would only be set again.
    this.#timer = setTimeout(this.#fire, Math.max(1, Math.ceil(at - performance.now())))
    this.#timer.unref()
  }

  #fire = (): void => {
    this.#timer = null
    this.#firesAt = Number.POSITIVE_INFINITY
    if (this.#at === Number.POSITIVE_INFINITY) return
    if (performance.now() < Math.min(this.#at, this.#limit)) {
      this.#schedule()
      return
    }
    this.#at = Number.POSITIVE_INFINITY
    this.#onPassed()
  }
}
