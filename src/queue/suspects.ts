import type { Log } from '../common/logging.ts'
import { RecentEntries } from '../common/recent-entries.ts'
import type { Crash } from '../delivery/delivery.ts'
import type { Metrics } from '../metrics.ts'
import { type Store, StoreUnavailable, type Suspicion } from '../store/store.ts'
import type { ReadyDelivery } from './deliveries.ts'

/** Emails remembered: their deliveries in memory were claimed before the email was known to be suspect. */
const MAX_KNOWN = 1_000
/** After this many condemned copies of a batch its template is to blame, and the other copies are not tried. */
const COPIES = 3
/** Milliseconds between two attempts to record a quarantine. */
const AGAIN_MS = 1_000

export interface SuspectsParts {
  store: Pick<Store, 'quarantine'>
  metrics: Pick<Metrics, 'outcomes' | 'storeFaults'>
  log: Pick<Log, 'error'>
}

interface SuspectEmail {
  suspicion: Suspicion
  /** Deliveries of the email that are in quarantine. */
  condemned: number
}

/** Mail that may take down, or did take down, the process that composes or sends it. */
export class Suspects {
  readonly #parts: SuspectsParts
  /** Suspect emails by id. */
  readonly #known = new RecentEntries<SuspectEmail>(MAX_KNOWN)
  #stopped = false

  constructor(parts: SuspectsParts) {
    this.#parts = parts
  }

  /** The delivery with its recipients as suspect as their email has become since it was claimed. */
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
    const suspect = this.#known.get(emailId)
    this.#known.set(emailId, { condemned: 0, ...suspect, suspicion: suspect?.suspicion || 1 })
  }

  /**
   * Puts the recipients of the delivery into quarantine, and those that would do the same. Resolves when that is
   * durable, or when the service has stopped: then they are still leased, and suspect at the next start.
   */
  async quarantine(ready: ReadyDelivery, { during, cause, message }: Crash): Promise<void> {
    const { store, metrics, log } = this.#parts
    const { email, recipients, leaseToken } = ready
    const condemned = (this.#known.get(email.id)?.condemned ?? 0) + 1
    this.#known.set(email.id, { suspicion: 2, condemned })
    // A message that all recipients share is as dangerous for the others; a server's reaction to it, or the content of
    // one copy, need not be.
    const same = during === 'composing' && !email.individual
    const others = same || condemned >= COPIES ? 'quarantine' : 'suspect'
    const positions = recipients.map(({ position }) => position)
    const request = { emailId: email.id, leaseToken, positions, others, message } as const
    log.error(
      { emailId: email.id, companyId: email.companyId, recipients: positions, during, cause },
      'An email is in quarantine: it crashed the isolated process that attempted it',
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
            'Could not write the quarantine of an email to the database',
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
