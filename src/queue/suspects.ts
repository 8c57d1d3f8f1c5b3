import { LRUCache } from 'lru-cache'
import type { Log } from '../common/logging.ts'
import type { Condemned } from '../delivery/delivery.ts'
import type { Metrics } from '../metrics.ts'
import { type Store, StoreUnavailable, type Suspicion } from '../store/store.ts'
import type { ReadyDelivery } from './deliveries.ts'

/** Emails remembered: what of them is in memory already was handed out before they were known. */
const MAX_KNOWN = 1_000
/** Copies of one batch that are condemned one by one; then it is the template, and the others need not be tried. */
const COPIES = 3
/** Between two attempts to write a quarantine down. */
const AGAIN_MS = 1_000

export interface SuspectsParts {
  store: Pick<Store, 'quarantine'>
  metrics: Pick<Metrics, 'outcomes' | 'storeFaults'>
  log: Pick<Log, 'error'>
}

interface Known {
  suspicion: Suspicion
  /** Deliveries of it that are in quarantine. */
  condemned: number
}

/** Mail that may take down the process that composes or sends it, and mail that did. */
export class Suspects {
  readonly #parts: SuspectsParts
  /** By email. */
  readonly #known = new LRUCache<string, Known>({ max: MAX_KNOWN })
  #stopped = false

  constructor(parts: SuspectsParts) {
    this.#parts = parts
  }

  /** The delivery, its recipients as suspect as their email has become since they were claimed. */
  weighed(ready: ReadyDelivery): ReadyDelivery {
    const suspicion = this.#known.get(ready.email.id)?.suspicion ?? 0
    if (suspicion <= ready.suspicion) return ready
    return {
      ...ready,
      suspicion,
      recipients: ready.recipients.map((recipient) => ({ ...recipient, suspicion })),
    }
  }

  /** A worker died of this email. */
  suspect(emailId: string): void {
    const known = this.#known.get(emailId)
    this.#known.set(emailId, { condemned: 0, ...known, suspicion: known?.suspicion || 1 })
  }

  /**
   * Puts the recipients of the delivery into quarantine, and what would do the same. Resolves when that is durable, or
   * when the service has stopped: then they are still leased, and suspect at the next start.
   */
  async quarantine(ready: ReadyDelivery, { during, cause, message }: Condemned): Promise<void> {
    const { store, metrics, log } = this.#parts
    const { email, recipients, leaseToken } = ready
    const condemned = (this.#known.get(email.id)?.condemned ?? 0) + 1
    this.#known.set(email.id, { suspicion: 2, condemned })
    // What is sent to all is as dangerous for the others; what a server does about it, or what is in one copy, need not
    // be.
    const same = during === 'composing' && !email.individual
    const others = same || condemned >= COPIES ? 'quarantine' : 'suspect'
    const positions = recipients.map(({ position }) => position)
    const request = { emailId: email.id, leaseToken, positions, others, message } as const
    log.error(
      { emailId: email.id, companyId: email.companyId, recipients: positions, during, cause },
      'An email took down the process in which it was tried alone; it is in quarantine',
    )
    metrics.outcomes.inc({ verdict: 'quarantined' }, positions.length)
    while (!this.#stopped) {
      try {
        await store.quarantine({ ...request, at: Date.now() })
        return
      } catch (error) {
        metrics.storeFaults.inc()
        if (!(error instanceof StoreUnavailable)) {
          log.error(
            { err: error, emailId: email.id },
            'The quarantine of an email cannot be written to the database',
          )
          return
        }
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS).unref())
      }
    }
  }

  stop(): void {
    this.#stopped = true
  }
}
