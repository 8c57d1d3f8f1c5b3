import { createHash } from 'node:crypto'
import { monotonic } from '../../common/clock.ts'
import { SizedEntries } from '../../common/recent-entries.ts'
import type { Resolver } from '../../dns/resolver.ts'
import type { MtaStsPolicy } from '../../store/store.ts'
import type { RecognisedSite } from '../sites/site-table.ts'
import { LookupTurns } from './lookup-turns.ts'
import { lookupFailed, type MailHosts, mailHosts, policyUnknown } from './mail-hosts.ts'
import type { MailServers, Site } from './path.ts'

/**
 * Milliseconds for which an MX answer is used without asking again. The resolver keeps it for its TTL, so that asking
 * again mostly costs no query.
 */
const FRESH_MS = 60_000
/**
 * Milliseconds for which the answer that a domain has no mail servers is used: fewer, so that a corrected zone counts
 * soon.
 */
const NONE_MS = 30_000
/** Milliseconds between look-ups that fail, so that a burst of messages does not burden a struggling name server. */
const FAILED_MS = 5_000
/** An answer older than this is not used, not even to find out which mail shares a limit. */
const USABLE_MS = 3_600_000
/**
 * Milliseconds that one look-up may take; after that the domain becomes a site of its own, and its mail is tried again
 * later.
 */
const PATIENCE_MS = 5_000
/**
 * The most domains remembered, and the most characters of their names and their servers' names, because any zone can
 * name fifty long ones.
 */
const MAX_DOMAINS = 20_000
const MAX_CHARACTERS = 8_000_000
/** A site key longer than this is replaced by a digest. */
const LONGEST_KEY = 200

export interface SiteDirectoryOptions<Kept> {
  resolver: Pick<Resolver, 'mx'>
  /** The policy of a domain; null when it has none. */
  mtaSts?(domain: string): Promise<MtaStsPolicy | null>
  /** Our own name: see mail-hosts.ts. */
  ownName: string | null
  /** Recognises providers by the hosts, those of equal preference together, best first. */
  recognise(domain: string, ranks: string[][]): RecognisedSite
  /** Makes the value that is remembered for a site and returned to callers. */
  keep(site: Site, recognised: RecognisedSite): Kept
  /** A monotonic clock in milliseconds. */
  now?: () => number
  patience?: number
  /** The most domains that are remembered. Room for all of them is taken at once. */
  mostDomains?: number
}

interface DomainServers {
  servers: MailServers
  mtaSts: MtaStsPolicy | null
}

interface SiteEntry<Kept> {
  kept: Kept
  /** Key of the site. */
  site: string
  found: DomainServers
  /**
   * On the clock: the domain is looked up again from `askAt` on; from `usableUntil` on the answer is not used before
   * there is a new one.
   */
  askAt: number
  usableUntil: number
}

/**
 * The mail servers of recipient domains: the site that direct mail for a domain goes to. Only the first mail to a
 * domain ever waits for an answer; an answer is used for an hour, and refreshed meanwhile when it is older than a
 * minute.
 */
export class SiteDirectory<Kept> {
  readonly #options: SiteDirectoryOptions<Kept>
  readonly #now: () => number
  readonly #entries: SizedEntries<SiteEntry<Kept>>
  /** The remembered domains, by key of their site. */
  readonly #domains = new Map<string, Set<string>>()
  readonly #turns = new LookupTurns<Kept>((domain) => this.#lookUp(domain))

  constructor(options: SiteDirectoryOptions<Kept>) {
    this.#options = options
    this.#entries = new SizedEntries(options.mostDomains ?? MAX_DOMAINS, MAX_CHARACTERS, {
      dispose: ({ site }, domain) => this.#leave(site, domain),
    })
    this.#now = options.now ?? monotonic
  }

  /** Null when it has to be looked up. `companyId`: the company whose mail needs the answer. */
  findCached(domain: string, companyId: string): Kept | null {
    const entry = this.#entries.get(domain)
    if (entry === undefined) return null
    const now = this.#now()
    if (now < entry.askAt) return entry.kept
    if (now >= entry.usableUntil) return null
    void this.#turns.lookUp(domain, companyId)
    return entry.kept
  }

  /** The remembered answer about the domain; null: it has to be looked up. */
  findKnown(domain: string): Kept | null {
    const entry = this.#entries.peek(domain)
    return entry === undefined || this.#now() >= entry.usableUntil ? null : entry.kept
  }

  /** Never rejects. */
  find(domain: string, companyId: string): Promise<Kept> {
    return this.#turns.lookUp(domain, companyId)
  }

  /**
   * Must be called when the limits of sites have changed. Recognises the known domains again, without looking them up.
   */
  recogniseAnew(): void {
    for (const [domain, entry] of this.#entries.entries()) {
      this.#leave(entry.site, domain)
      Object.assign(entry, this.#keep(domain, entry.found))
      this.#join(entry.site, domain)
    }
  }

  /** The domains that are known to belong to the site with this key. */
  domainsOf(site: string): Iterable<string> {
    return this.#domains.get(site) ?? []
  }

  #join(site: string, domain: string): void {
    const domains = this.#domains.get(site)
    if (domains === undefined) this.#domains.set(site, new Set([domain]))
    else domains.add(domain)
  }

  #leave(site: string, domain: string): void {
    const domains = this.#domains.get(site)
    domains?.delete(domain)
    if (domains?.size === 0) this.#domains.delete(site)
  }

  #keep(domain: string, { servers, mtaSts }: DomainServers): Pick<SiteEntry<Kept>, 'kept' | 'site'> {
    const { recognise, keep } = this.#options
    const { hosts } = servers
    const recognised = recognise(domain, hosts.kind === 'hosts' ? hosts.ranks : [])
    const site = siteOf(domain, servers, recognised)
    return { kept: keep(withPolicy(site, mtaSts), recognised), site: site.key }
  }

  async #lookUp(domain: string): Promise<Kept> {
    const [answer, policy] = await Promise.all([this.#ask(domain), this.#policyOf(domain)])
    const { hosts, mtaSts } =
      'failure' in policy ? { hosts: policy.failure, mtaSts: null } : { hosts: answer, ...policy }
    const now = this.#now()
    const failed = hosts.kind === 'none' && hosts.failure.finding === 'server'
    const before = this.#entries.get(domain)
    if (failed && before !== undefined && now < before.usableUntil) {
      // The known servers stay in use while a name server is down, so that domains still share their limits.
      before.askAt = now + FAILED_MS
      return before.kept
    }
    const believed = hosts.kind === 'hosts' ? FRESH_MS : failed ? FAILED_MS : NONE_MS
    const askAt = now + believed
    const usableUntil = hosts.kind === 'hosts' ? now + USABLE_MS : askAt
    const found = { servers: { hosts, until: askAt }, mtaSts }
    const entry = { ...this.#keep(domain, found), found, askAt, usableUntil }
    this.#entries.put(domain, entry, sizeOf(domain, hosts))
    if (this.#entries.has(domain)) this.#join(entry.site, domain)
    return entry.kept
  }

  /** Looks up the policy. While it is unknown whether there is one, no mail may leave. */
  async #policyOf(domain: string): Promise<{ mtaSts: MtaStsPolicy | null } | { failure: MailHosts }> {
    const { mtaSts } = this.#options
    if (mtaSts === undefined || domain.startsWith('[')) return { mtaSts: null }
    try {
      return { mtaSts: await mtaSts(domain) }
    } catch (error) {
      return { failure: policyUnknown(domain, error instanceof Error ? error.message : String(error)) }
    }
  }

  async #ask(domain: string): Promise<MailHosts> {
    const { resolver, ownName, patience = PATIENCE_MS } = this.#options
    const timeout = Promise.withResolvers<MailHosts>()
    const timer = setTimeout(() => timeout.resolve(lookupFailed(domain, 'TIMEOUT')), patience).unref()
    try {
      return await Promise.race([mailHosts(domain, resolver, { ownName }), timeout.promise])
    } catch (error) {
      return lookupFailed(domain, String(error))
    } finally {
      clearTimeout(timer)
    }
  }
}

/** The site that direct mail for the domain goes to. */
export function siteOf(domain: string, servers: MailServers, { provider, whole }: RecognisedSite): Site {
  const { hosts } = servers
  if (hosts.kind === 'none')
    return { name: domain, key: `domain:${domain}`, kind: 'direct', servers, provider }
  const names = hosts.ranks.flat()
  const more = names.length - 1
  // A name from DNS may equal that of any site, but it holds no line break.
  const all = `mx:${names.toSorted().join('\n')}`
  const key = all.length > LONGEST_KEY ? createHash('sha256').update(all).digest('hex') : all
  if (provider !== null && whole) {
    return { ...siteOfProvider(provider), serversKey: key, kind: 'direct', servers, provider }
  }
  return { name: more === 0 ? names[0]! : `${names[0]} +${more}`, key, kind: 'direct', servers, provider }
}

/** The beginning of the keys of sites that are large providers'. */
const PROVIDER = 'provider:'

/** The one site of all domains that a provider serves. */
export function siteOfProvider(provider: string): Pick<Site, 'key' | 'name'> {
  return { key: `${PROVIDER}${provider.toLowerCase()}`, name: provider }
}

/** Whether a site with this key is that of a large provider. */
export function isOfProvider(siteKey: string): boolean {
  return siteKey.startsWith(PROVIDER)
}

function withPolicy(site: Site, mtaSts: MtaStsPolicy | null): Site {
  return mtaSts === null ? site : { ...site, mtaSts }
}

function sizeOf(domain: string, hosts: MailHosts): number {
  if (hosts.kind === 'none') return domain.length + hosts.failure.message.length
  let size = domain.length
  for (const rank of hosts.ranks) for (const host of rank) size += host.length
  return size
}
