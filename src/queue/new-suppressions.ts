import { monotonic } from '../common/clock.ts'
import { foldedAscii } from '../email/folded-ascii.ts'
import { isSimulated } from '../email/simulated.ts'
import type { ClaimedRecipient, SuppressionsBatch } from '../store/store.ts'
import type { ReadyDelivery } from './deliveries.ts'

/**
 * Milliseconds for which a suppression also applies to work that arrives after it was read: the store may have checked
 * such work before the suppression was made, and its commit was still on the way.
 */
const ON_THE_WAY_MS = 5_000

interface RecentSuppression {
  /** On the monotonic clock: when it was read. */
  at: number
  /** Recipients that went back to the store because of it: work that holds them again was checked after it. */
  back: Set<string>
}

/**
 * Addresses suppressed after the store checked the work that waits in memory. Matching recipients go back to the store
 * once, which ends them; so a false alarm costs only the round trip.
 */
export class SuppressionWatch {
  /** By `companyId address`, for work that was on the way when it was read. */
  readonly #recent = new Map<string, RecentSuppression>()
  /** Work that waited in memory when a suppression of one of its recipients was read. */
  readonly #marked = new WeakMap<ReadyDelivery, Set<number>>()
  readonly #now: () => number

  constructor(now: () => number = monotonic) {
    this.#now = now
  }

  /** Marks the waiting work that the suppressions concern. */
  add(added: SuppressionsBatch['added'], waiting: Iterable<ReadyDelivery>): void {
    const now = this.#now()
    this.#forget(now)
    if (added.length === 0) return
    const names = new Set(added.map(({ companyId, address }) => nameOf(companyId, address)))
    for (const name of names) {
      this.#recent.delete(name)
      this.#recent.set(name, { at: now, back: new Set() })
    }
    for (const ready of waiting) {
      for (const { position, address } of ready.recipients) {
        if (!names.has(nameOf(ready.email.companyId, address))) continue
        const marked = this.#marked.get(ready)
        if (marked === undefined) this.#marked.set(ready, new Set([position]))
        else marked.add(position)
      }
    }
  }

  /** True in the usual case: none of its recipients needs a check. */
  none(ready: ReadyDelivery): boolean {
    return this.#recent.size === 0 && !this.#marked.has(ready)
  }

  /** True: the recipient has to go back to the store. */
  concern(ready: ReadyDelivery, { position, address, domain }: ClaimedRecipient): boolean {
    if (this.none(ready) || isSimulated(domain, ready.email.testMode)) return false
    this.#forget(this.#now())
    const isMarked = this.#marked.get(ready)?.has(position) === true
    const recent = this.#recent.get(nameOf(ready.email.companyId, address))
    const key = `${ready.email.id} ${position}`
    if (!isMarked && (recent === undefined || recent.back.has(key))) return false
    recent?.back.add(key)
    return true
  }

  #forget(now: number): void {
    for (const [name, { at }] of this.#recent) {
      if (now - at < ON_THE_WAY_MS) return
      this.#recent.delete(name)
    }
  }
}

function nameOf(companyId: string, address: string): string {
  return `${companyId} ${foldedAscii(address)}`
}
