import { LRUCache } from 'lru-cache'
import { monotonic } from '../common/clock.ts'
import type { DeliveryResult, HindranceReport } from '../delivery/delivery.ts'
import type { Path } from '../delivery/path/path.ts'
import type { ReadyDelivery } from './deliveries.ts'
import { type PathPart, type PathParts, partsOf, serversKeyOf } from './path-part.ts'

/** Milliseconds for which a trouble counts as evidence, and an accepted message against it. */
const COUNTS_MS = 5 * 60_000
/** Emails of which some recipient may be the cause, so that only several of them count for more than their pair. */
const EMAILS = 3
/** Paths whose troubles and accepted messages are remembered; the one met longest ago is forgotten. */
const MAX_PATHS = 10_000
/** Emails remembered for a trouble, of each company and altogether. */
const MAX_OF_COMPANY = 2 * EMAILS
const MAX_WITNESSES = 4 * MAX_OF_COMPANY

/** An email that met a trouble. */
interface Witness {
  emailId: string
  companyId: string
  /** Recipient domain. */
  to: string
  /** A recipient may have caused it. */
  byRecipient: boolean
  at: number
}

/** Whom a trouble concerns, as far as the evidence goes. */
export interface Extent {
  part: PathPart
  /** Whose sessions and messages a complaint about too many of them lowers; null: nobody's. */
  limits: 'all' | 'company' | null
}

/**
 * Decides whom a trouble concerns. Customers and strangers can choose the servers that their mail goes to, and
 * recipients what is said to it. So a trouble counts for the company whose mail met it, or for the pair of sending
 * domain and recipient domain where a recipient may have caused it; and for everybody only on evidence that one company
 * cannot make: the mail of two has met it, while no mail was accepted.
 */
export class Evidence {
  /** By key of the part, and kind of the trouble. */
  readonly #witnesses = new LRUCache<string, Witness[]>({ max: MAX_PATHS })
  /** By key of the part: when it last accepted a message. */
  readonly #acceptedAt = new LRUCache<string, number>({ max: MAX_PATHS })
  readonly #domainsOf: (path: Path) => Iterable<string>
  readonly #now: () => number

  /** `domainsOf`: the recipient domains that are known to take a path. */
  constructor(domainsOf: (path: Path) => Iterable<string> = () => [], now: () => number = monotonic) {
    this.#domainsOf = domainsOf
    this.#now = now
  }

  /** Learns from an attempt. Null: it met no trouble. */
  weigh(ready: ReadyDelivery, result: DeliveryResult): Extent | null {
    const { hindrance, outcomes } = result
    if (outcomes.some(({ verdict }) => verdict === 'delivered')) this.#accepted(ready.path)
    if (hindrance === undefined) return null
    const parts = partsOf(ready, postponedDomain(ready, result))
    return this.#extent(ready, parts, hindrance, result.notBefore !== undefined)
  }

  #accepted(path: Path): void {
    const now = this.#now()
    this.#acceptedAt.set(path.key, now)
    const servers = serversKeyOf(path)
    if (servers !== path.key) this.#acceptedAt.set(servers, now)
  }

  #extent(
    { path, email }: ReadyDelivery,
    parts: PathParts,
    { kind, met }: HindranceReport,
    untried: boolean,
  ): Extent {
    const inTransaction = met === 'mail' || met === 'recipient'
    // A relay and a proxy are not chosen by those who send, nor is what they say before there is mail.
    if (kind === 'source' || (path.site.kind !== 'direct' && !inTransaction)) {
      return { part: parts.whole, limits: 'all' }
    }
    if (kind !== 'busy' && inTransaction) return { part: parts.sendingDomain, limits: null }
    const isOfServers = kind === 'unreachable'
    const all = isOfServers ? parts.servers : parts.whole
    const company = isOfServers ? parts.companyToServers : parts.company
    const { companyId } = email
    const byRecipient = met === 'recipient'
    const witness = { emailId: email.id, companyId, to: parts.pair.to ?? '', byRecipient }
    const seen = this.#seen(`${all.key}\0${kind}`, untried ? null : witness).filter(
      (each) => byRecipient || !each.byRecipient,
    )
    const suffices = (some: readonly Witness[]) => !byRecipient || this.#isOfSeveral(some, path)
    const own = seen.filter((each) => each.companyId === companyId)
    const part = suffices(own) ? company : parts.pair
    if (own.length === seen.length || !suffices(seen)) {
      return { part, limits: part === company ? 'company' : null }
    }
    return { part: this.#accepts(all.key) ? part : all, limits: 'all' }
  }

  /** The emails that met the trouble lately; `witness` is one more. */
  #seen(key: string, witness: Omit<Witness, 'at'> | null): Witness[] {
    const now = this.#now()
    let seen = (this.#witnesses.get(key) ?? []).filter(
      ({ at, emailId }) => now - at < COUNTS_MS && emailId !== witness?.emailId,
    )
    if (witness === null) return seen
    const { companyId } = witness
    const own = seen.filter((each) => each.companyId === companyId)
    if (own.length >= MAX_OF_COMPANY) seen = seen.filter((each) => each !== own[0])
    seen.push({ ...witness, at: now })
    this.#witnesses.set(key, seen.slice(-MAX_WITNESSES))
    return seen
  }

  /** One recipient domain proves something only where there is no other. */
  #isOfSeveral(seen: readonly Witness[], path: Path): boolean {
    if (seen.length < EMAILS) return false
    if (new Set(seen.map(({ to }) => to)).size > 1) return true
    for (const domain of this.#domainsOf(path)) if (domain !== seen[0]!.to) return false
    return path.site.kind === 'direct'
  }

  #accepts(key: string): boolean {
    const at = this.#acceptedAt.get(key)
    return at !== undefined && this.#now() - at < COUNTS_MS
  }
}

/** The domain of a recipient that the trouble kept from getting the mail. */
function postponedDomain({ recipients }: ReadyDelivery, { outcomes }: DeliveryResult): string | undefined {
  const postponed = outcomes.find(({ verdict }) => verdict === 'postponed')
  const recipient = recipients.find(({ position }) => position === postponed?.position)
  return (recipient ?? recipients[0])?.domain
}
