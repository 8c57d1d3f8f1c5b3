/**
 * Places for mails whose source is being proven. A proof asks name servers that the author of the mail chose, and the
 * sender holds a place of the listener meanwhile. So organizations and clients share the places, and a name that name
 * servers do not answer is not asked again for a while.
 *
 * Anybody can send reports whose signatures are not valid, or name keys below a large organization that no name server
 * answers for. The limits count for the network that such reports come from: reports from elsewhere, such as the
 * provider's own, are still verified.
 */
import { RecentEntries } from '../common/recent-entries.ts'
import { type PoolShape, SharedPool } from '../common/shared-pool.ts'
import { Tally } from '../common/tally.ts'

/**
 * Proofs at a time: less than half of the places that the listener has with the usual memory. One organization alone,
 * and one client, have 16, as many as a batch of the bounce mailbox.
 */
const PLACES: PoolShape = { size: 48, kept: 0, timesFree: 1 / 2 }
/** Ms for which a name without an answer is not asked for again. */
const PAUSE = 3 * 60_000
/** Names that are remembered. */
const MAX_SILENT = 10_000
/** Proofs about one organization for one client that may remain unanswered within a pause. */
export const MAX_UNANSWERED = 8
/** Pairs of a client and an organization that are remembered. */
const MAX_UNANSWERING = 10_000
/** Proofs about one subject that may fail for one network within a span. */
export const MAX_FAILED = 50
/** The span: ms from its first failure. */
const FAILED_WITHIN = 60 * 60_000
/** Pairs of a subject and a network that are remembered. */
const MAX_FAILING = 10_000

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
  readonly #places = new SharedPool(PLACES)
  readonly #organizations = new Tally()
  readonly #clients = new Tally()
  readonly #silent = new RecentEntries<true>(MAX_SILENT, { ttl: PAUSE })
  readonly #unanswered = new RecentEntries<number>(MAX_UNANSWERING, { ttl: PAUSE, noUpdateTTL: true })
  readonly #failed = new RecentEntries<number>(MAX_FAILING, { ttl: FAILED_WITHIN, noUpdateTTL: true })

  /** The function that gives the place back; null: there is no place now. */
  take(party: ProofParty): (() => void) | null {
    const { organization, client } = party
    if (!this.#places.allows(this.#organizations.of(organization))) return null
    if (!this.#places.allows(this.#clients.of(client))) return null
    if (this.#timesUnanswered(party) >= MAX_UNANSWERED || this.#failures(party) >= MAX_FAILED) return null
    this.#count(organization, client, 1)
    return () => this.#count(organization, client, -1)
  }

  /** Whether this name of a key was not answered lately. */
  isSilent(name: string): boolean {
    return this.#silent.has(name)
  }

  /** Name servers did not answer about these names of keys. */
  unanswered(party: ProofParty, names: Iterable<string>): void {
    for (const name of names) this.#silent.set(name, true)
    this.#unanswered.set(pairOf(party), this.#timesUnanswered(party) + 1)
  }

  /** No signature was valid. */
  failed(party: ProofParty): void {
    const name = failing(party)
    if (name !== null) this.#failed.set(name, this.#failures(party) + 1)
  }

  #timesUnanswered(party: ProofParty): number {
    return this.#unanswered.get(pairOf(party)) ?? 0
  }

  #failures(party: ProofParty): number {
    const name = failing(party)
    return name === null ? 0 : (this.#failed.get(name) ?? 0)
  }

  #count(organization: string, client: string, more: 1 | -1): void {
    this.#places.take(more)
    this.#organizations.add(organization, more)
    this.#clients.add(client, more)
  }
}

const pairOf = ({ organization, client }: ProofParty) => `${organization} ${client}`
const failing = ({ subject, network }: ProofParty) => (network === null ? null : `${subject} ${network}`)
