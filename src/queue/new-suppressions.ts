import { monotonic } from '../common/clock.ts'
import { isSimulated } from '../email/simulated.ts'
import type { ClaimedRecipient, NewSuppressions as Told } from '../store/store.ts'
import type { ReadyDelivery } from './deliveries.ts'

/**
 * Work that comes this long after a suppression was read may have been looked at by the store before it was made: its
 * commit was on the way. Milliseconds.
 */
const ON_THE_WAY_MS = 5_000

/**
 * Addresses suppressed after the store has looked at work that waits here in memory. What it finds goes back to the
 * store, which ends it; so a false alarm costs nothing but the way.
 */
export class NewSuppressions {
  /** `companyId address` with the time it was read; for work that was on the way then. */
  readonly #recent = new Map<string, number>()
  /** Work that was here when a suppression of one of its recipients was read. */
  readonly #marked = new WeakMap<ReadyDelivery, Set<number>>()
  readonly #now: () => number

  constructor(now: () => number = monotonic) {
    this.#now = now
  }

  /** Marks what it concerns of the work that waits here. */
  add(added: Told['added'], waiting: Iterable<ReadyDelivery>): void {
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

  /** The usual case, in which its recipients need not be looked at one by one. */
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

/** Addresses are compared without regard to the case of ASCII letters, as the store does. */
function nameOf(companyId: string, address: string): string {
  return `${companyId} ${address.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())}`
}
