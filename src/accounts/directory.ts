/** All accounts in memory: every request asks it, the store only when something changed. */
import { timingSafeEqual } from 'node:crypto'
import { AddressRanges, canonicalAddress, NotARange } from '../network/address-range.ts'
import type {
  AccountsSnapshot,
  ApiKey,
  Company,
  CompanyLimits,
  Denial,
  Principal,
  Route,
  Scope,
  SendingDomain,
} from './account.ts'
import { RouteTable } from './routes.ts'
import { isToken, tokenDigest } from './token.ts'

/** Of an email: the id of the domain it is sent for, and its MAIL FROM. */
export interface Signable {
  domainId: string
  sender: string
}

/** A key that is not revoked. */
interface Holder {
  keyId: string
  companyId: string
  tokenHash: Buffer
  scopes: ReadonlySet<Scope>
  domainId: string | null
  expiresAt: number
  networks: AddressRanges | null
}

const UNKNOWN: Denial = { denied: 'unknown' }

/** The accounts as of the last `replace`. Look-ups take constant time whatever the number of companies. */
export class AccountDirectory {
  #snapshot: AccountsSnapshot = {
    companies: [],
    domains: [],
    removedDomains: [],
    keys: [],
    routes: [],
  }
  #companies: readonly Company[] = []
  /** Of companies that have any. */
  #limits = new Map<string, CompanyLimits>()
  #domains = new Map<string, SendingDomain>()
  #removedDomains: ReadonlySet<string> = new Set()
  #domainsByName = new Map<string, SendingDomain>()
  /** By `tokenDigest`. */
  #holders = new Map<string, Holder>()
  #holdersById = new Map<string, Holder>()
  #routes = new RouteTable([])

  /** Takes over a snapshot as a whole: whoever asks sees the old accounts or the new ones, never a mixture. */
  replace(snapshot: AccountsSnapshot): void {
    const holders = snapshot.keys.filter(({ revokedAt }) => revokedAt === null).map(holderOf)
    this.#snapshot = snapshot
    this.#companies = snapshot.companies.toSorted((a, b) => a.createdAt - b.createdAt)
    this.#limits = new Map(snapshot.companies.filter(isLimited).map(({ id, limits }) => [id, limits]))
    this.#domains = new Map(snapshot.domains.map((domain) => [domain.id, domain]))
    this.#removedDomains = new Set(snapshot.removedDomains.flatMap(({ id, name }) => [id, name]))
    this.#domainsByName = new Map(snapshot.domains.map((domain) => [domain.name, domain]))
    this.#holders = new Map(holders.map((holder) => [holder.tokenHash.toString('base64'), holder]))
    this.#holdersById = new Map(holders.map((holder) => [holder.keyId, holder]))
    this.#routes = new RouteTable(snapshot.routes)
  }

  /** What was taken over last. */
  get snapshot(): AccountsSnapshot {
    return this.#snapshot
  }

  /** Who holds this token and calls from `address`, as things stand now. */
  authenticate(token: string, address: string): Principal | Denial {
    if (!isToken(token)) return UNKNOWN
    const digest = tokenDigest(token)
    const holder = this.#holders.get(digest)
    if (!holder || !timingSafeEqual(holder.tokenHash, Buffer.from(digest, 'base64'))) return UNKNOWN
    return admitted(holder, address)
  }

  /** The same caller as things stand now. */
  current({ keyId, address }: Principal): Principal | Denial {
    const holder = this.#holdersById.get(keyId)
    return holder === undefined ? UNKNOWN : admitted(holder, address)
  }

  /** `name` as a lower-case A-label (punycode), the form `parseDomain` makes. */
  domainNamed(name: string): SendingDomain | undefined {
    return this.#domainsByName.get(name)
  }

  domain(id: string): SendingDomain | undefined {
    return this.#domains.get(id)
  }

  /**
   * Whose keys sign mail: the domain of its sender, which need not be the one it is sent for. Undefined: that domain is
   * gone, or is not of the same company any more.
   */
  signingDomain({ domainId, sender }: Signable): SendingDomain | undefined {
    const domain = this.#domains.get(domainId)
    if (domain === undefined) return undefined
    const at = sender.length - domain.name.length - 1
    if (sender[at] === '@' && sender.endsWith(domain.name)) return domain
    const author = this.#domainsByName.get(sender.slice(sender.lastIndexOf('@') + 1))
    return author?.companyId === domain.companyId ? author : undefined
  }

  /** There was a domain with this id or name. One that is merely unknown may be new. */
  isRemoved(idOrName: string): boolean {
    return this.#removedDomains.has(idOrName)
  }

  /** The route of its own that mail of this domain and company has; null: it goes as all mail does. */
  routeFor(sender: { domainId: string; companyId: string }): Route | null {
    return this.#routes.for(sender)
  }

  /** Requests a second of all keys of a company; null: any number. */
  rateOf(companyId: string): number | null {
    return this.#limits.get(companyId)?.rate ?? null
  }

  /** How many recipients a company may have on one day, and in one month; undefined: any number. */
  quotaOf(companyId: string): Pick<CompanyLimits, 'daily' | 'monthly'> | undefined {
    const limits = this.#limits.get(companyId)
    return limits === undefined || (limits.daily === null && limits.monthly === null) ? undefined : limits
  }

  /** In order of creation. */
  domains(): SendingDomain[] {
    return [...this.#domains.values()]
  }

  routes(): Route[] {
    return this.#routes.all
  }

  companies(): readonly Company[] {
    return this.#companies
  }
}

function isLimited({ limits: { rate, daily, monthly } }: Company): boolean {
  return rate !== null || daily !== null || monthly !== null
}

function holderOf({ id, companyId, tokenHash, scopes, domainId, expiresAt, networks }: ApiKey): Holder {
  return {
    keyId: id,
    companyId,
    tokenHash: Buffer.from(tokenHash),
    scopes: new Set(scopes),
    domainId,
    expiresAt: expiresAt ?? Number.POSITIVE_INFINITY,
    networks: networks.length === 0 ? null : rangesOf(networks),
  }
}

/** What somebody else wrote into the database and is no range admits nobody; the other keys go on. */
function rangesOf(networks: string[]): AddressRanges {
  try {
    return new AddressRanges(networks)
  } catch (error) {
    if (error instanceof NotARange) return new AddressRanges([])
    throw error
  }
}

function admitted(holder: Holder, address: string): Principal | Denial {
  const { keyId, companyId, scopes, domainId, expiresAt, networks } = holder
  if (Date.now() >= expiresAt) return { denied: 'expired' }
  if (networks !== null && !networks.includes(address)) {
    return { denied: 'elsewhere', keyId, address: canonicalAddress(address) ?? '' }
  }
  return { keyId, companyId, scopes, domainId, address }
}
