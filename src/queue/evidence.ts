import { monotonic } from '../common/clock.ts'
import { RecentEntries } from '../common/recent-entries.ts'
import type { DeliveryResult, TroubleReport } from '../delivery/delivery.ts'
import type { Path } from '../delivery/path/path.ts'
import type { ReadyDelivery } from './deliveries.ts'
import { companyKey, type PathPart, type PathParts, partsOf, serversKeyOf } from './path-part.ts'

/** Milliseconds for which a trouble counts as evidence, and an accepted message against it. */
const COUNTS_MS = 5 * 60_000
/** Emails of which some recipient may be the cause, so that only several of them count for more than their pair. */
const EMAILS = 3
/**
 * A server may answer "busy" to one company because of the mail of another one. So all companies are concerned only if
 * at least this many emails of other companies met it, in addition to those of the company that met it most.
 */
const OF_OTHERS = 2
/** Paths whose troubles and accepted messages are remembered; the one met longest ago is forgotten. */
const MAX_PATHS = 10_000
/** Emails remembered for a trouble, of each company and altogether. */
const MAX_OF_COMPANY = 2 * EMAILS
const MAX_WITNESSES = 4 * MAX_OF_COMPANY

/** An email that met a trouble. */
interface Witness {
  emailId: string
  companyId: string
  /** Sending domain (id). */
  from: string
  /** Recipient domain. */
  to: string
  /** A recipient may have caused it. */
  byRecipient: boolean
  at: number
}

/** The mail that a trouble concerns, according to the evidence so far. */
export interface Extent {
  part: PathPart
  /** The mail whose sessions and messages a complaint about too many of them lowers; null: none. */
  limits: 'all' | 'company' | null
}

interface EvidenceParts {
  /** The recipient domains that are known to take a path. */
  domainsOf(path: Path): Iterable<string>
  /** The ids of companies for whose mail other nodes have closed the path. `key`: of the part for all companies. */
  closedElsewhere(key: string, kind: TroubleReport['kind']): Iterable<string>
  now(): number
}

const ALONE: EvidenceParts = { domainsOf: () => [], closedElsewhere: () => [], now: monotonic }

/**
 * Decides whom a trouble concerns. Customers and strangers can choose the servers that their mail goes to, and
 * recipients what is said to it. So a trouble counts for the company whose mail met it, or for the pair of sending
 * domain and recipient domain where a recipient may have caused it; and for everybody only on evidence that one company
 * cannot make: the mail of two has met it, while no mail was accepted.
 */
export class Evidence {
  /** The witnesses of a trouble, by the key of the part and the kind of the trouble. */
  readonly #witnesses = new RecentEntries<Witness[]>(MAX_PATHS)
  /** When each part last accepted a message, by the part's key. */
  readonly #acceptedAt = new RecentEntries<number>(MAX_PATHS)
  readonly #parts: EvidenceParts

  constructor(parts: Partial<EvidenceParts> = {}) {
    this.#parts = { ...ALONE, ...parts }
  }

  /** Learns from an attempt. Null: it met no trouble. */
  weigh(ready: ReadyDelivery, result: DeliveryResult): Extent | null {
    const { pathTrouble, outcomes } = result
    if (outcomes.some(({ verdict }) => verdict === 'delivered')) this.#accepted(ready)
    if (pathTrouble === undefined) return null
    const parts = partsOf(ready, postponedDomain(ready, result))
    return this.#extent(ready, parts, pathTrouble, result.notBefore !== undefined)
  }

  /** Called for each message that is delivered, so it makes no more than the keys. */
  #accepted({ path, email }: ReadyDelivery): void {
    const now = this.#parts.now()
    const servers = serversKeyOf(path)
    this.#acceptedAt.set(path.key, now)
    if (servers !== path.key) this.#acceptedAt.set(servers, now)
    this.#acceptedAt.set(companyKey(path.key, email.companyId), now)
  }

  #extent(ready: ReadyDelivery, parts: PathParts, report: TroubleReport, untried: boolean): Extent {
    const { kind, met } = report
    const { path } = ready
    const inTransaction = met === 'mail' || met === 'recipient'
    // A relay and a proxy are not chosen by those who send, nor is what they say before there is mail.
    if (kind === 'source' || (path.site.kind !== 'direct' && !inTransaction)) {
      return { part: parts.whole, limits: 'all' }
    }
    if (kind === 'sender' && inTransaction) return { part: parts.sendingDomain, limits: null }
    const isOfServers = kind === 'unreachable'
    const all = isOfServers ? parts.servers : parts.whole
    const company = isOfServers ? parts.companyToServers : parts.company
    // Nothing was asked, so nothing new is known of others.
    if (untried) return { part: company, limits: null }
    const seen = this.#seen(all.key, ready, parts, report)
    const own = seen.filter((each) => each.companyId === ready.email.companyId)
    const isListed = kind === 'path' && path.site.kind === 'direct' && report.list !== undefined
    if (kind !== 'busy' && inTransaction) return this.#ofRefusals(path, parts, met, own, seen, isListed)
    // Nobody can have these servers say something before MAIL but those who run them, and the site has no others. A
    // provider's site may have: hosts of its customers can be below its name.
    if (isListed && parts.servers === parts.whole && !this.#accepts(all)) return { part: all, limits: 'all' }
    const suffices = (some: readonly Witness[]) => met !== 'recipient' || this.#isOfSeveral(some, path)
    const part = suffices(own) ? company : parts.pair
    const isOfAll = suffices(seen) && ofOthers(seen) >= (kind === 'busy' ? OF_OTHERS : 1)
    // Recipients can make the servers of two companies' mail say anything, but not refuse what others send.
    if (!isOfAll || (met === 'recipient' && this.#accepts(all))) {
      // Fewer sessions of the company harm no other, so they fall whatever the recipient domain.
      return { part, limits: part === company || own.length >= EMAILS ? 'company' : null }
    }
    return { part: this.#accepts(all) ? part : all, limits: 'all' }
  }

  /**
   * A refusal in a transaction may be meant for the sending domain or by the recipient. When nothing is accepted from
   * several sending domains, it is a block of more than them. A block list that the servers name (`isListed`) has our
   * address, which is that of all the company's mail. It proves nothing to other companies: a recipient can write such
   * words as well.
   */
  #ofRefusals(
    path: Path,
    parts: PathParts,
    met: TroubleReport['met'],
    own: readonly Witness[],
    seen: readonly Witness[],
    isListed: boolean,
  ): Extent {
    const { whole, company, sendingDomain } = parts
    // MAIL names no recipient.
    const suffices = (some: readonly Witness[]) => met === 'mail' || this.#isOfSeveral(some, path)
    const isOfDomains = new Set(own.map(({ from }) => from)).size > 1
    if (ofOthers(seen) > 0 && suffices(seen) && !this.#accepts(whole)) return { part: whole, limits: null }
    const isOfCompany = (isListed || (isOfDomains && suffices(own))) && !this.#accepts(company)
    return { part: isOfCompany ? company : sendingDomain, limits: null }
  }

  /** The emails that met the trouble lately, this one included, as far as they show something about it. */
  #seen(
    whole: string,
    { email, path }: ReadyDelivery,
    { pair }: PathParts,
    { kind, met }: TroubleReport,
  ): Witness[] {
    const { companyId, id: emailId, domainId: from } = email
    const now = this.#parts.now()
    const key = `${whole}\0${kind}`
    let known = (this.#witnesses.get(key) ?? []).filter(
      (each) => now - each.at < COUNTS_MS && each.emailId !== emailId,
    )
    const ofCompany = known.filter((each) => each.companyId === companyId)
    if (ofCompany.length >= MAX_OF_COMPANY) known = known.filter((each) => each !== ofCompany[0])
    const byRecipient = met === 'recipient'
    known.push({ emailId, companyId, from, to: pair.to ?? '', byRecipient, at: now })
    this.#witnesses.set(key, known.slice(-MAX_WITNESSES))
    const seen = known.filter((each) => byRecipient || !each.byRecipient)
    for (const elsewhere of this.#parts.closedElsewhere(whole, kind)) {
      if (elsewhere === companyId) continue
      // The other node had the evidence for its closure.
      for (let n = 0; n < EMAILS; n++) {
        const to = `${n}\0${path.key}`
        seen.push({ emailId: '', companyId: elsewhere, from: '', to, byRecipient: false, at: now })
      }
    }
    return seen
  }

  /** One recipient domain proves something only where there is no other. */
  #isOfSeveral(seen: readonly Witness[], path: Path): boolean {
    if (seen.length < EMAILS) return false
    if (new Set(seen.map(({ to }) => to)).size > 1) return true
    for (const domain of this.#parts.domainsOf(path)) if (domain !== seen[0]!.to) return false
    return path.site.kind === 'direct'
  }

  #accepts({ key }: PathPart): boolean {
    const at = this.#acceptedAt.get(key)
    return at !== undefined && this.#parts.now() - at < COUNTS_MS
  }
}

/** The number of witnesses without those of the company that has most. */
function ofOthers(seen: readonly Witness[]): number {
  const counts = [...Map.groupBy(seen, ({ companyId }) => companyId).values()].map(({ length }) => length)
  return seen.length - Math.max(0, ...counts)
}

/** The domain of a recipient that the trouble kept from getting the mail. */
function postponedDomain({ recipients }: ReadyDelivery, { outcomes }: DeliveryResult): string | undefined {
  const postponed = outcomes.find(({ verdict }) => verdict === 'postponed')
  const recipient = recipients.find(({ position }) => position === postponed?.position)
  return (recipient ?? recipients[0])?.domain
}
