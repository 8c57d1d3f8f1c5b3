/**
 * Places for mails whose source is being proven. A proof asks name servers that the author of the mail chose, and the
 * sender holds a place of the listener meanwhile. So an organization and a client have few at a time, and an
 * organization whose name servers say nothing is not asked for a while.
 */
import { RecentEntries } from '../common/recent-entries.ts'
import { Tally } from '../common/tally.ts'

/** Proofs at a time for one organization, and for one client: as many as a batch of the bounce mailbox. */
const MOST_OF_ONE = 16
/** For all together: less than half of the places that the listener has with the usual memory. */
const MOST = 48
/** Ms for which an organization is not asked. */
const PAUSE = 3 * 60_000
/** Organizations that are remembered. */
const MOST_SILENT = 10_000

export class ProofPlaces {
  readonly #organizations = new Tally()
  readonly #clients = new Tally()
  readonly #silent = new RecentEntries<true>(MOST_SILENT, { ttl: PAUSE })
  #taken = 0

  /** The function that gives the place back; null: there is none for now. */
  take(organization: string, client: string): (() => void) | null {
    if (this.#silent.has(organization) || this.#taken >= MOST) return null
    if (this.#organizations.of(organization) >= MOST_OF_ONE || this.#clients.of(client) >= MOST_OF_ONE)
      return null
    this.#count(organization, client, 1)
    return () => this.#count(organization, client, -1)
  }

  /** The name servers of the organization did not answer. */
  pause(organization: string): void {
    this.#silent.set(organization, true)
  }

  #count(organization: string, client: string, more: 1 | -1): void {
    this.#taken += more
    this.#organizations.add(organization, more)
    this.#clients.add(client, more)
  }
}
