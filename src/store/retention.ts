import { aheadBy } from '../common/clock.ts'
import { type RetentionAccounts, ShorterRetentions } from './shorter-retention.ts'
import type { Store } from './store.ts'

interface RetentionPeriods {
  /** Milliseconds for which content, and the whole record, of finished emails are kept. */
  contentRetention: number
  emailRetention: number
  /** Milliseconds for which requests of clients are kept. */
  apiLogRetention: number
  /** Milliseconds for which returned mail is kept. */
  inboundRetention: number
}

/**
 * Milliseconds for which a removed domain is remembered at least. Mail accepted from it may wait for its scheduled
 * time, and be retried, for that long.
 */
const REMOVED_KNOWN_MS = 40 * 24 * 60 * 60 * 1_000

/** Milliseconds for which an ended pause is remembered: the age of mail that waited for it counts from its end. */
const PAUSE_KNOWN_MS = 24 * 60 * 60 * 1_000

/** Emails in one step, and milliseconds between steps. A step is small enough not to delay other work. */
const STEP = 100
const PAUSE_MS = 20
/** API requests removed in one step: more than emails, because no other rows depend on them. */
const REQUESTS = 1_000
const ROUND_MS = 60_000
/** The most policies of MTA-STS. Senders decide how many recipient domains there are. */
const MAX_POLICIES = 100_000
/** Milliseconds until the first step: few, so that data also expires in a service that is restarted often. */
const FIRST_MS = 1_000

/** Removes expired data, a little at a time, for as long as the service runs. */
export class RetentionLoop {
  readonly #store: Store
  readonly #periods: RetentionPeriods
  readonly #onFault: (error: unknown) => void
  readonly #shorter: ShorterRetentions
  #timer: NodeJS.Timeout | undefined
  #round: Promise<void> | null = null
  #stopped = false

  /** `accounts`: the companies and domains, some of which keep content for a shorter time. */
  constructor(
    store: Store,
    periods: RetentionPeriods,
    accounts: RetentionAccounts,
    onFault: (error: unknown) => void,
  ) {
    this.#store = store
    this.#shorter = new ShorterRetentions(store, accounts)
    this.#periods = periods
    this.#onFault = onFault
  }

  start(): void {
    this.#plan(FIRST_MS)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    await this.#round
  }

  #plan(ms: number): void {
    if (this.#stopped) return
    this.#timer = setTimeout(() => {
      this.#round = this.#step().then(
        (touched) => this.#plan(touched > 0 ? PAUSE_MS : ROUND_MS),
        (error) => {
          this.#onFault(error)
          this.#plan(ROUND_MS)
        },
      )
    }, ms)
    this.#timer.unref()
  }

  /** Returns 0 when nothing is left to do. */
  async #step(): Promise<number> {
    const now = Date.now()
    const emailsBefore = now - this.#periods.emailRetention
    const contentBefore = now - this.#periods.contentRetention
    const touched = await this.#store.retain({ contentBefore, emailsBefore, limit: STEP })
    if (touched > 0) return touched
    if (await this.#shorter.step(now, this.#periods.contentRetention, STEP)) return 1
    // Removed domains are forgotten below, so lists that a stop of the service left with them move first.
    await this.#store.inheritSuppressions(null)
    const accountsBefore = Math.min(emailsBefore, now - REMOVED_KNOWN_MS)
    const accounts = await this.#store.forgetAccounts(accountsBefore, STEP)
    const requests = await this.#store.forgetApiRequests(now - this.#periods.apiLogRetention, REQUESTS)
    const inbound = await this.#store.forgetInboundMails(now - this.#periods.inboundRetention, STEP)
    const reports = await this.#store.forgetDomainReports(emailsBefore, REQUESTS)
    const expired = await this.#store.forgetExpired(now, STEP)
    // A wall clock that is ahead for a moment must not remove a pause that is in force.
    const pauses = await this.#store.forgetPauses(now - aheadBy(now) - PAUSE_KNOWN_MS)
    const forgotten = accounts + requests + inbound + reports + expired + pauses
    if (forgotten > 0) return forgotten
    // This looks through much of what is kept, so it runs only when nothing else is left to remove.
    return await this.#store.forgetMtaStsPolicies(MAX_POLICIES, STEP)
  }
}
