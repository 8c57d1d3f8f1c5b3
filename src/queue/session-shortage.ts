import { monotonic } from '../common/clock.ts'
import { LogThrottle } from '../common/log-throttle.ts'
import type { Log } from '../common/logging.ts'
import type { ReadyDelivery } from './deliveries.ts'
import type { ReadyQueues } from './ready-queues.ts'

/** Milliseconds between two looks, while a company waits for a session. */
const LOOK_MS = 1_000
/** Milliseconds that a delivery has a session to itself before another company may get it. */
const OLD_MS = 5_000
/**
 * A company with less than this part of all sessions gets one of others. With more it waits for its share, so that
 * servers which are merely slow are not cut off while two companies send a lot.
 */
const FEW = 1 / 50
/** The most companies that get a session of others at one look, as a part of all sessions. */
const AT_ONCE = 1 / 10
/** Milliseconds between two messages in the log. */
const TELL_MS = 10 * 60_000

interface SessionUse {
  begunAt: number
  /** When the courier was asked to end it; null: it was not. */
  askedAt: number | null
  cutShort(): void
}

export interface SessionShortageParts {
  queues: Pick<ReadyQueues, 'needy' | 'sessionsOf' | 'isLent' | 'lend' | 'concurrency'>
  /** A session may have come free. */
  onFree(): void
  log: Log
  now?: () => number
}

/**
 * Takes sessions from servers that keep us waiting, when a company waits for one. Servers have minutes for each answer
 * (RFC 5321 4.5.3.2), so companies with nothing but servers that hang would together hold every session. A delivery is
 * cut short for a company that has no session, or few and less than half as many as that of the delivery. Its mail is
 * postponed and its path closed, so that servers that hang get single tries from then on.
 *
 * After its final dot no delivery is cut short, because it would be sent twice. Its session stays open, but the company
 * that waits gets another one in its place.
 */
export class SessionShortage {
  readonly #parts: SessionShortageParts
  readonly #now: () => number
  readonly #told: LogThrottle
  /** The deliveries that have begun, oldest first. */
  readonly #uses = new Map<ReadyDelivery, SessionUse>()
  #timer: NodeJS.Timeout | null = null

  constructor(parts: SessionShortageParts) {
    this.#parts = parts
    this.#now = parts.now ?? monotonic
    this.#told = new LogThrottle(TELL_MS, this.#now)
  }

  begun(taken: ReadyDelivery, cutShort: () => void): void {
    this.#uses.set(taken, { begunAt: this.#now(), askedAt: null, cutShort })
  }

  ended(taken: ReadyDelivery): void {
    this.#uses.delete(taken)
  }

  /** Looks soon whether a company waits, and again as long as one does. */
  watch(): void {
    if (this.#timer !== null || this.#parts.queues.needy().next().done) return
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
    const { queues, onFree } = this.#parts
    const few = Math.ceil(queues.concurrency * FEW)
    const needy = [...queues.needy()].filter((sessions) => sessions < few).toSorted((a, b) => a - b)
    if (needy.length === 0) return
    const uses = this.#oldUses()
    let asked = 0
    let lent = 0
    for (const sessions of needy.slice(0, Math.ceil(queues.concurrency * AT_ONCE))) {
      const found = this.#next(uses, sessions)
      if (found === undefined) continue
      const [taken, use] = found
      use.askedAt ??= this.#now()
      if (this.#now() - use.askedAt >= OLD_MS && queues.lend(taken)) lent++
      else {
        use.cutShort()
        asked++
      }
    }
    if (asked > 0) this.#tell()
    if (lent > 0) onFree()
  }

  /** The deliveries whose session may be taken, by company: those first that were not asked, then the oldest. */
  #oldUses(): Map<string, [ReadyDelivery, SessionUse][]> {
    const before = this.#now() - OLD_MS
    const fresh: [ReadyDelivery, SessionUse][] = []
    const asked: [ReadyDelivery, SessionUse][] = []
    for (const use of this.#uses) {
      if (use[1].begunAt > before) break
      if (use[1].askedAt === null) fresh.push(use)
      else if (!this.#parts.queues.isLent(use[0])) asked.push(use)
    }
    return Map.groupBy([...fresh, ...asked], ([{ email }]) => email.companyId)
  }

  /** A session of the company that has most, if it has more than twice as many as the one that waits. */
  #next(
    uses: Map<string, [ReadyDelivery, SessionUse][]>,
    sessions: number,
  ): [ReadyDelivery, SessionUse] | undefined {
    let most = 2 * sessions
    let found: [ReadyDelivery, SessionUse][] | undefined
    for (const [companyId, all] of uses) {
      const held = this.#parts.queues.sessionsOf(companyId)
      if (held <= most || all.length === 0) continue
      most = held
      found = all
    }
    return found?.shift()
  }

  #tell(): void {
    const omitted = this.#told.due()
    if (omitted === null) return
    this.#parts.log.warn(
      { omitted },
      'All sessions are in use, many of them by servers that do not answer. Their deliveries are postponed where other ' +
        'companies wait for a session. POSTROAD_CONCURRENCY allows more sessions',
    )
  }
}
