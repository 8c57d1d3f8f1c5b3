/** All accounts in memory: every request reads them here; the store is read only when something changed. */
import { timingSafeEqual } from 'node:crypto'
import { AddressRanges, canonicalAddress, NotARange } from '../network/address-range.ts'
import {
  type AccountsChange,
  type AccountsSnapshot,
  type ApiKey,
  type Company,
  type CompanyLimits,
  type CustomRoute,
  type Denial,
  holdsName,
  isKeyless,
  isOfPerson,
  isOfService,
  type Principal,
  type Scope,
  type SendingDomain,
  type SourcePool,
} from './account.ts'
import { RouteTable } from './routes.ts'
import { isToken, tokenDigest } from './token.ts'

/** The fields of an email that decide its signature: the id of the domain that it is sent for, and its MAIL FROM. */
export interface Signable {
  domainId: string
  sender: string
}

type RemovedDomain = AccountsSnapshot['removedDomains'][number]

/** The holder of a key that is not revoked. */
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

/** Objects by id. A changed object keeps its place in the order. */
type ById<Thing> = Map<string, Thing>

/**
 * The accounts as of the last `replace` or `apply`. Look-ups take constant time whatever the number of companies, and
 * the cost of a change depends only on its size.
 */
export class AccountDirectory {
  #companies: ById<Company> = new Map()
  #domains: ById<SendingDomain> = new Map()
  #removedDomains: ById<RemovedDomain> = new Map()
  #keys: ById<ApiKey> = new Map()
  #routes = new RouteTable([])
  #pools: readonly SourcePool[] = []
  /** The snapshot, made from the maps above on request. */
  #snapshot: AccountsSnapshot | null = null
  /** The domains of each company, by its id; null: not made since the last change. */
  #domainsByCompany: Map<string, SendingDomain[]> | null = null
  /** The domains of all companies that have claimed the name. */
  readonly #domainsByName = new Map<string, SendingDomain[]>()
  readonly #removedNames = new Map<string, number>()
  /** By `tokenDigest`. */
  readonly #holders = new Map<string, Holder>()
  readonly #holdersById: ById<Holder> = new Map()
  /** Keys with a password, by the domain in their name. */
  readonly #logins = new Map<string, ApiKey[]>()

  /** Replaces all accounts at once: readers see the old accounts or the new ones, never a mixture. */
  replace({ companies, domains, removedDomains, keys, routes, pools }: AccountsSnapshot): void {
    for (const index of [
      ...[this.#domainsByName, this.#removedNames, this.#holders, this.#holdersById],
      this.#logins,
    ]) {
      index.clear()
    }
    this.#companies = byId(companies)
    this.#domains = byId(domains)
    this.#removedDomains = byId(removedDomains)
    this.#keys = byId(keys)
    for (const domain of domains) this.#name(domain)
    for (const { name } of removedDomains) this.#countRemoved(name, 1)
    for (const key of keys) this.#hold(key)
    this.#routes = new RouteTable(routes)
    this.#pools = pools
    this.#snapshot = null
    this.#domainsByCompany = null
  }

  /** Applies a change; readers see all of it or nothing. */
  apply({ ids, companies, domains, removedDomains, keys, routes, pools }: AccountsChange): void {
    for (const id of ids) this.#unindex(id)
    update(this.#companies, ids, companies)
    update(this.#domains, ids, domains)
    update(this.#removedDomains, ids, removedDomains)
    update(this.#keys, ids, keys)
    for (const domain of domains) this.#name(domain)
    for (const { name } of removedDomains) this.#countRemoved(name, 1)
    for (const key of keys) this.#hold(key)
    if (routes !== null) this.#routes = new RouteTable(routes)
    if (pools !== null) this.#pools = pools
    this.#snapshot = null
    this.#domainsByCompany = null
  }

  #unindex(id: string): void {
    const domain = this.#domains.get(id)
    if (domain !== undefined) {
      const others = this.#domainsByName.get(domain.name)!.filter((other) => other.id !== id)
      if (others.length > 0) this.#domainsByName.set(domain.name, others)
      else this.#domainsByName.delete(domain.name)
    }
    const removed = this.#removedDomains.get(id)
    if (removed !== undefined) this.#countRemoved(removed.name, -1)
    const holder = this.#holdersById.get(id)
    if (holder === undefined) return
    this.#holdersById.delete(id)
    this.#holders.delete(holder.tokenHash.toString('base64'))
    const key = this.#keys.get(id)
    if (key === undefined || key.password === null) return
    const others = this.#logins.get(domainIn(key.name))!.filter((other) => other.id !== id)
    if (others.length > 0) this.#logins.set(domainIn(key.name), others)
    else this.#logins.delete(domainIn(key.name))
  }

  #name(domain: SendingDomain): void {
    this.#domainsByName.set(domain.name, [...(this.#domainsByName.get(domain.name) ?? []), domain])
  }

  #countRemoved(name: string, more: number): void {
    const count = (this.#removedNames.get(name) ?? 0) + more
    if (count > 0) this.#removedNames.set(name, count)
    else this.#removedNames.delete(name)
  }

  #hold(key: ApiKey): void {
    if (key.revokedAt !== null) return
    const holder = holderOf(key)
    this.#holdersById.set(key.id, holder)
    this.#holders.set(holder.tokenHash.toString('base64'), holder)
    if (key.password === null) return
    const domain = domainIn(key.name)
    this.#logins.set(domain, [...(this.#logins.get(domain) ?? []), key])
  }

  get snapshot(): AccountsSnapshot {
    this.#snapshot ??= {
      companies: [...this.#companies.values()],
      domains: [...this.#domains.values()],
      removedDomains: [...this.#removedDomains.values()],
      keys: [...this.#keys.values()],
      routes: this.#routes.all,
      pools: [...this.#pools],
    }
    return this.#snapshot
  }

  /** Authenticates the holder of this token, calling from `address`, by the present accounts. */
  authenticate(token: string, address: string): Principal | Denial {
    if (!isToken(token)) return UNKNOWN
    const digest = tokenDigest(token)
    const holder = this.#holders.get(digest)
    if (!holder || !timingSafeEqual(holder.tokenHash, Buffer.from(digest, 'base64'))) return UNKNOWN
    return admit(holder, address)
  }

  /** Makes the principal of a key whose password was verified, calling from `address`. */
  holder(keyId: string, address: string): Principal | Denial {
    const holder = this.#holdersById.get(keyId)
    return holder === undefined ? UNKNOWN : admit(holder, address)
  }

  /**
   * The key with this name and a password, e.g. `postmaster@mg.example.com`, of the domain in its name. When several
   * companies have claimed that domain, the one that holds it takes precedence. Of two such keys the newer one counts,
   * because it replaces the other.
   */
  loginNamed(name: string): ApiKey | undefined {
    const domain = domainIn(name)
    let found: ApiKey | undefined
    let held = false
    for (const key of this.#logins.get(domain) ?? []) {
      const own = key.name === name && key.domainId !== null ? this.#domains.get(key.domainId) : undefined
      if (own?.name !== domain || (held && !holdsName(own))) continue
      if (found === undefined || (holdsName(own) && !held) || key.createdAt >= found.createdAt) found = key
      held = holdsName(own)
    }
    return found
  }

  /** True when any key with a password is named after this domain. */
  hasLogins(domain: string): boolean {
    return this.#logins.has(domain)
  }

  /** The same caller by the present accounts. */
  current(principal: Principal): Principal | Denial {
    const { keyId, address } = principal
    // The session of a person was checked when the request began.
    if (isOfPerson(keyId)) return principal
    if (isKeyless(principal) || isOfService(principal))
      return this.#companies.has(principal.companyId) ? principal : UNKNOWN
    return this.holder(keyId, address)
  }

  /**
   * The company's domain of this name, held or claimed. `name` as a lower-case A-label (punycode), the form of
   * `parseDomain`.
   */
  domainNamed(name: string, companyId: string): SendingDomain | undefined {
    return this.#domainsByName.get(name)?.find((domain) => domain.companyId === companyId)
  }

  /** The domain of this name whose company owns the name. `name` in the same form. */
  heldDomain(name: string): SendingDomain | undefined {
    return this.#domainsByName.get(name)?.find(holdsName)
  }

  domain(id: string): SendingDomain | undefined {
    return this.#domains.get(id)
  }

  /**
   * The domain whose keys sign the mail: that of its sender, which may differ from the one it is sent for. Undefined:
   * that domain is gone, or no longer belongs to the same company.
   */
  signingDomain({ domainId, sender }: Signable): SendingDomain | undefined {
    const domain = this.#domains.get(domainId)
    if (domain === undefined) return undefined
    const at = sender.length - domain.name.length - 1
    if (sender[at] === '@' && sender.endsWith(domain.name)) return domain
    return this.domainNamed(sender.slice(sender.lastIndexOf('@') + 1), domain.companyId)
  }

  /** True when a domain with this id or name was removed. An unknown one may be new. */
  isRemoved(idOrName: string): boolean {
    return this.#removedDomains.has(idOrName) || this.#removedNames.has(idOrName)
  }

  /** The name of the domain with this id, even if it was removed; null: unknown. */
  domainName(id: string): string | null {
    return (this.#domains.get(id) ?? this.#removedDomains.get(id))?.name ?? null
  }

  /** The route set for mail of this domain and company; null: the default one. */
  routeFor(sender: { domainId: string; companyId: string }): CustomRoute | null {
    return this.#routes.for(sender)
  }

  /** The same array until a pool changes. */
  pools(): readonly SourcePool[] {
    return this.#pools
  }

  /** Name of the pool for mail of this domain and company; null: none is assigned. */
  poolFor({ domainId, companyId }: { domainId: string; companyId: string }): string | null {
    return this.#domains.get(domainId)?.settings.pool ?? this.#companies.get(companyId)?.pool ?? null
  }

  /** Names of the pools that are assigned to the company or its domains. */
  poolsOf(companyId: string): ReadonlySet<string> {
    const names = [this.#companies.get(companyId)?.pool]
    for (const { companyId: owner, settings } of this.#domains.values()) {
      if (owner === companyId) names.push(settings.pool)
    }
    return new Set(names.filter((name) => name !== undefined))
  }

  company(id: string): Company | undefined {
    return this.#companies.get(id)
  }

  /** Requests a second of all keys of a company; null: any number. */
  rateOf(companyId: string): number | null {
    return this.#companies.get(companyId)?.limits.rate ?? null
  }

  /** Recipients that a company may have a day, and a month; undefined: any number. */
  quotaOf(companyId: string): Pick<CompanyLimits, 'daily' | 'monthly'> | undefined {
    const limits = this.#companies.get(companyId)?.limits
    return limits === undefined || (limits.daily === null && limits.monthly === null) ? undefined : limits
  }

  /** In order of creation. */
  domains(): SendingDomain[] {
    return [...this.#domains.values()]
  }

  domainsOf(companyId: string): readonly SendingDomain[] {
    this.#domainsByCompany ??= Map.groupBy(this.#domains.values(), (domain) => domain.companyId)
    return this.#domainsByCompany.get(companyId) ?? []
  }

  routes(): CustomRoute[] {
    return this.#routes.all
  }

  /** In order of creation. */
  companies(): readonly Company[] {
    return [...this.#companies.values()].toSorted((a, b) => a.createdAt - b.createdAt)
  }
}

/** The domain in a key's name. */
function domainIn(name: string): string {
  return name.slice(name.lastIndexOf('@') + 1)
}

function byId<Thing extends { id: string }>(things: readonly Thing[]): ById<Thing> {
  return new Map(things.map((thing) => [thing.id, thing]))
}

/** Updates the objects with these ids from `things`. Removes those with an id that `things` lacks. */
function update<Thing extends { id: string }>(
  known: ById<Thing>,
  ids: readonly string[],
  things: readonly Thing[],
): void {
  const changed = byId(things)
  for (const id of ids) if (!changed.has(id)) known.delete(id)
  for (const [id, thing] of changed) known.set(id, thing)
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

/**
 * The ranges of a key. If they are invalid, because another program wrote them into the database, they admit no address
 * and do not affect other keys.
 */
function rangesOf(networks: string[]): AddressRanges {
  try {
    return new AddressRanges(networks)
  } catch (error) {
    if (error instanceof NotARange) return new AddressRanges([])
    throw error
  }
}

function admit(holder: Holder, address: string): Principal | Denial {
  const { keyId, companyId, scopes, domainId, expiresAt, networks } = holder
  if (Date.now() >= expiresAt) return { denied: 'expired' }
  if (networks !== null && !networks.includes(address)) {
    return { denied: 'elsewhere', keyId, address: canonicalAddress(address) ?? '' }
  }
  return { keyId, companyId, scopes, domainId, address }
}
