import { monotonic } from '../common/clock.ts'
import { LogThrottle } from '../common/log-throttle.ts'
import type { Log } from '../common/logging.ts'
import type { ReadyDelivery } from './deliveries.ts'
import type { ReadyQueues } from './ready-queues.ts'

/** Milliseconds between two looks, while a company waits for a session. */
const LOOK_MS = 1_000
/** Age in ms from which the session of a delivery may be given to another company. */
const OLD_MS = 5_000
/**
 * A waiting company with less than this share of all sessions gets one from another company. With more it waits for its
 * share, so that servers which are merely slow are not cut off while two companies send a lot.
 */
const FEW = 1 / 50
/** Sessions that are tried at one look: one for each company that waits, and at least this part of all. */
const LEAST_TRIES = 1 / 20
/** Milliseconds between two messages in the log. */
const LOG_MS = 10 * 60_000

interface SessionUse {
  begunAt: number
  /** When the courier was last told to cut it short; null: it was not. */
  triedAt: number | null
  cutShort(atDot: () => void): void
}

interface SessionShortageParts {
  queues: Pick<ReadyQueues, 'waitingCompanies' | 'sessionsOf' | 'concurrency' | 'places'>
  /** A session may have come free. */
  onFree(): void
  log: Log
  now?: () => number
}

/**
 * Takes sessions from servers that keep us waiting, when a company waits for one. Servers have minutes for each answer
 * (RFC 5321 4.5.3.2), so companies with nothing but servers that hang would together hold every session. The courier
 * cuts a delivery short if its server has not answered for some seconds. Its mail is postponed, and its path closes, so
 * that servers that hang get single tries from then on.
 *
 * A delivery that has sent its final dot is never cut short, because its message might be sent twice. Its session stays
 * open but counts no more, so that the company that waits gets another one.
 */
export class SessionShortage {
  readonly #parts: SessionShortageParts
  readonly #now: () => number
  readonly #logThrottle: LogThrottle
  /** The deliveries that have begun, oldest first. */
  readonly #uses = new Map<ReadyDelivery, SessionUse>()
  #timer: NodeJS.Timeout | null = null

  constructor(parts: SessionShortageParts) {
    this.#parts = parts
    this.#now = parts.now ?? monotonic
    this.#logThrottle = new LogThrottle(LOG_MS, this.#now)
  }

  begun(taken: ReadyDelivery, cutShort: SessionUse['cutShort']): void {
    this.#uses.set(taken, { begunAt: this.#now(), triedAt: null, cutShort })
  }

  ended(taken: ReadyDelivery): void {
    this.#uses.delete(taken)
  }

  /** Looks soon whether a company waits, and again as long as one does. */
  watch(): void {
    if (this.#timer !== null || this.#parts.queues.waitingCompanies().next().done) return
    this.#timer = setTimeout(() => {
      this.#timer = null
      this.look()
      this.watch()
    }, LOOK_MS).unref()
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
  }

  /** Makes room for the companies that wait. */
  look(): void {
    const { concurrency } = this.#parts.queues
    const waiting = this.#waiting()
    if (waiting.length === 0) return
    const most = Math.max(waiting.length, Math.ceil(concurrency * LEAST_TRIES))
    const uses = this.#replaceable(Math.min(...waiting)).slice(0, most)
    for (const [taken, use] of uses) {
      use.triedAt = this.#now()
      use.cutShort(() => this.#replace(taken))
    }
    if (uses.length > 0) this.#log()
  }

  /** The sessions of each company that waits for one, and has few. */
  #waiting(): number[] {
    const { queues } = this.#parts
    const few = Math.ceil(queues.concurrency * FEW)
    return [...queues.waitingCompanies()].filter((sessions) => sessions < few)
  }

  /**
   * The deliveries whose sessions may be taken for a company with this many: those of companies with more than twice as
   * many. Those tried longest ago come first, then those of the companies with most, then the oldest.
   */
  #replaceable(sessions: number): [ReadyDelivery, SessionUse][] {
    const { queues } = this.#parts
    const before = this.#now() - OLD_MS
    const found: { use: [ReadyDelivery, SessionUse]; held: number }[] = []
    for (const use of this.#uses) {
      if (use[1].begunAt > before) break
      const held = queues.sessionsOf(use[0].email.companyId)
      if (held > 2 * sessions && !queues.places.isUncounted(use[0])) found.push({ use, held })
    }
    const triedAt = ({ use }: (typeof found)[number]) => use[1].triedAt ?? 0
    return found.toSorted((a, b) => triedAt(a) - triedAt(b) || b.held - a.held).map(({ use }) => use)
  }

  /** The delivery waits for the answer to its final dot. */
  #replace(taken: ReadyDelivery): void {
    if (!this.#uses.has(taken) || this.#waiting().length === 0) return
    if (this.#parts.queues.places.uncount(taken)) this.#parts.onFree()
  }

  #log(): void {
    const omitted = this.#logThrottle.due()
    if (omitted === null) return
    this.#parts.log.warn(
      { omitted },
      'All sessions are in use, and other companies wait for one. Deliveries whose servers do not answer are postponed ' +
        'meanwhile. POSTROAD_CONCURRENCY allows more sessions',
    )
  }
}
