import { LogThrottle } from '../common/log-throttle.ts'
import type { ClaimedEmail, ClaimRequest, Lease, Store } from '../store/store.ts'
import type { ClaimFilter } from './claim-filter.ts'
import { MAX_RECIPIENTS } from './deliveries.ts'
import { CLAIM_PER_COMPANY } from './ready-room.ts'

/** The most octets of one claim. */
const CLAIM_BYTES = 16 * 1024 * 1024
/** The longest sleep between two looks at the store; a wake-up usually comes earlier. */
const MAX_SLEEP_MS = 30_000
/** Pause after a claim that failed, or that brought nothing although mail is due (its lanes are full). */
const BACK_OFF_MS = 500
/** How often failing claims are logged. */
const TELL_MS = 10_000

/** The work that there is room for now. */
export interface ClaimCapacity extends ClaimFilter, Pick<ClaimRequest, 'maxRecipients' | 'roomOfOthers'> {
  /** Some of the skipped mail is skipped for want of room. */
  full: boolean
}

interface ClaimParts {
  store: Pick<Store, 'claim' | 'nextDue'>
  /** The lease to claim under; null while nothing may be begun. */
  lease(): Lease | null
  /** Null when there is no room at all: the caller wakes the loop when that changes. */
  capacity(): ClaimCapacity | null
  /** Takes the claimed emails. */
  onClaim(emails: ClaimedEmail[], lease: Lease): void
  /** `tell`: the fault is new, or has lasted for some seconds since it was last reported. */
  onFault(error: unknown, tell: boolean): void
}

/** Looks for due work when its time has come, or when it is woken, and claims it in batches. */
export class ClaimLoop {
  readonly #parts: ClaimParts
  #claiming: Promise<void> | null = null
  #wake: NodeJS.Timeout | undefined
  #wakeAt = Number.POSITIVE_INFINITY
  /** A wake-up came while a claim was under way: look once more after it. */
  #again = false
  #stopped = false
  readonly #faults = new LogThrottle(TELL_MS)
  #full = false
  #hindered = false

  constructor(parts: ClaimParts) {
    this.#parts = parts
  }

  /** The last claim left due work behind for want of room: the end of a delivery makes room. */
  get full(): boolean {
    return this.#full
  }

  /** Claiming ended because nothing may be begun; the caller wakes the loop when that changes. */
  get hindered(): boolean {
    return this.#hindered
  }

  /** Looks for due work after `ms`, unless a look is planned earlier. */
  look(ms: number): void {
    if (this.#stopped) return
    const wait = Math.min(ms, MAX_SLEEP_MS)
    const at = performance.now() + wait
    if (at >= this.#wakeAt) return
    clearTimeout(this.#wake)
    this.#wakeAt = at
    this.#wake = setTimeout(() => this.#woken(), wait)
  }

  /** Looks for work that is due then (Unix ms). */
  lookAt(dueAt: number): void {
    this.look(Math.max(0, dueAt - Date.now()))
  }

  /** Resolves when no claim is under way, and none will be. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#wake)
    await this.#claiming
  }

  #woken(): void {
    this.#wakeAt = Number.POSITIVE_INFINITY
    if (this.#claiming !== null) {
      this.#again = true
      return
    }
    this.#full = false
    this.#claiming = this.#claim().finally(() => {
      this.#claiming = null
      if (this.#again) {
        this.#again = false
        this.look(0)
      }
    })
  }

  async #claim(): Promise<void> {
    try {
      let lease = this.#parts.lease()
      while (lease !== null && (await this.#batch(lease))) lease = this.#parts.lease()
      this.#hindered = lease === null
      this.#faults.reset()
    } catch (error) {
      this.#parts.onFault(error, this.#faults.due() !== null)
      this.look(BACK_OFF_MS)
    }
  }

  /** False when there was nothing to claim; then the next look is planned. */
  async #batch(lease: Lease): Promise<boolean> {
    const { store, capacity: wanted, onClaim: claimed } = this.#parts
    const want = wanted()
    if (want === null) {
      this.#full = true
      this.look(MAX_SLEEP_MS)
      return false
    }
    const { full, ...request } = want
    const limits = { maxBytes: CLAIM_BYTES, maxPerCompany: CLAIM_PER_COMPANY, together: MAX_RECIPIENTS }
    const emails = await store.claim({ lease, now: Date.now(), ...limits, ...request })
    claimed(emails, lease)
    if (emails.length > 0) return true
    this.#full = full
    const due = await store.nextDue()
    this.look(due === null ? MAX_SLEEP_MS : Math.max(BACK_OFF_MS, due - Date.now()))
    return false
  }
}
