/**
 * Places for mails whose source is being proven. A proof asks name servers that the author of the mail chose, and the
 * sender holds a place of the listener meanwhile. So an organization and a client have few at a time, and an
 * organization whose name servers say nothing is not asked for a while.
 *
 * Anybody who got an email can write reports about it with signatures that are not valid. The network that they come
 * from pays for them: those of others, and the report of the provider among them, are still verified.
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
/** Proofs about one subject that may fail for one network within a span. */
export const MOST_FAILED = 50
/** Ms from the first of them. */
const FAILED_WITHIN = 60 * 60_000
/** Pairs of a subject and a network that are remembered. */
const MOST_FAILING = 10_000

/** The parties that share the places of proofs. */
export interface ProofParty {
  /** The id of an email, or reports of one organization about domains. */
  subject: string
  organization: string
  /** The client, company or mailbox that the mail came from. */
  client: string
  /** The network of the client; null: it is unknown, because a mailbox has the mail of all. */
  network: string | null
}

export class ProofPlaces {
  readonly #organizations = new Tally()
  readonly #clients = new Tally()
  readonly #silent = new RecentEntries<true>(MOST_SILENT, { ttl: PAUSE })
  readonly #failed = new RecentEntries<number>(MOST_FAILING, { ttl: FAILED_WITHIN, noUpdateTTL: true })
  #taken = 0

  /** The function that gives the place back; null: there is none for now. */
  take(party: ProofParty): (() => void) | null {
    const { organization, client } = party
    if (this.#silent.has(organization) || this.#taken >= MOST) return null
    if (this.#organizations.of(organization) >= MOST_OF_ONE || this.#clients.of(client) >= MOST_OF_ONE)
      return null
    if (this.#failures(party) >= MOST_FAILED) return null
    this.#count(organization, client, 1)
    return () => this.#count(organization, client, -1)
  }

  /** The name servers of the organization did not answer. */
  pause(organization: string): void {
    this.#silent.set(organization, true)
  }

  /** No signature was valid. */
  failed(party: ProofParty): void {
    const name = failing(party)
    if (name !== null) this.#failed.set(name, this.#failures(party) + 1)
  }

  #failures(party: ProofParty): number {
    const name = failing(party)
    return name === null ? 0 : (this.#failed.get(name) ?? 0)
  }

  #count(organization: string, client: string, more: 1 | -1): void {
    this.#taken += more
    this.#organizations.add(organization, more)
    this.#clients.add(client, more)
  }
}

const failing = ({ subject, network }: ProofParty) => (network === null ? null : `${subject} ${network}`)
