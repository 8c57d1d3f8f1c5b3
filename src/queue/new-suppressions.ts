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

/**
 * Addresses suppressed after the store checked the work that waits in memory. Matching recipients go back to the store,
 * which ends them; so a false alarm costs only the round trip.
 */
export class SuppressionWatch {
  /** `companyId address` with the time it was read; for work that was on the way then. */
  readonly #recent = new Map<string, number>()
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
      this.#recent.set(name, now)
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

  concern(ready: ReadyDelivery, { position, address, domain }: ClaimedRecipient): boolean {
    if (isSimulated(domain, ready.email.testMode)) return false
    if (this.#marked.get(ready)?.has(position) === true) return true
    if (this.#recent.size === 0) return false
    this.#forget(this.#now())
    return this.#recent.has(nameOf(ready.email.companyId, address))
  }

  #forget(now: number): void {
    for (const [name, at] of this.#recent) {
      if (now - at < ON_THE_WAY_MS) return
      this.#recent.delete(name)
    }
  }
}

function nameOf(companyId: string, address: string): string {
  return `${companyId} ${foldedAscii(address)}`
}
