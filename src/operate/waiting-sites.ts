/** The sites that waiting mail goes to. The store knows recipient domains only, so their mail servers are looked up. */
import { LRUCache } from 'lru-cache'
import { lookupFailed, mailHosts } from '../delivery/path/mail-hosts.ts'
import { type Site, siteOfRoute } from '../delivery/path/path.ts'
import { siteOf } from '../delivery/path/site-directory.ts'
import type { SiteTable } from '../delivery/sites/site-table.ts'
import type { Operation } from './verb.ts'

/** Domains that are looked up at once: few, because delivery asks the same name servers. */
const AT_ONCE = 16
/** Milliseconds after which no further domain is looked up: each of the rest counts as a site of its own. */
const PATIENCE_MS = 15_000
/** Milliseconds for which an answer is used again. */
const FOUND_MS = 300_000
/** The same of a domain whose servers are not known: a look-up that fails may take long, and others are to be asked. */
const UNKNOWN_MS = 60_000
const MOST_REMEMBERED = 20_000

export interface WaitingSite extends Pick<Site, 'key' | 'name' | 'provider' | 'serversKey'> {
  /**
   * The recipient domain that stands for a site, because its servers are not known: only mail to the domain can be
   * paused or retried. Null: the servers are known.
   */
  domain: string | null
}

/** By recipient domain. A changed file of limits makes a new table, and all domains are recognised anew. */
const remembered = new WeakMap<SiteTable, LRUCache<string, WaitingSite>>()

function rememberedBy(table: SiteTable): LRUCache<string, WaitingSite> {
  let sites = remembered.get(table)
  if (sites === undefined) {
    sites = new LRUCache({ max: MOST_REMEMBERED })
    remembered.set(table, sites)
  }
  return sites
}

/**
 * The site of each recipient domain, for mail that takes POSTROAD_DELIVERY. Never rejects because of DNS. `domains`:
 * the most important first, in case that there is no time for all.
 */
export async function sitesOfDomains(
  op: Operation,
  domains: Iterable<string>,
): Promise<Map<string, WaitingSite>> {
  const { delivery, allowPrivateNetworks } = op.setup
  const sites = new Map<string, WaitingSite>()
  if (delivery.kind !== 'direct') {
    const only = { ...siteOfRoute(delivery), domain: null }
    for (const domain of domains) sites.set(domain, only)
    return sites
  }
  const [table, resolver, end] = [op.sites(), op.hosts(), performance.now() + PATIENCE_MS]
  const known = rememberedBy(table)
  const ownName = allowPrivateNetworks ? null : op.hostname
  const siteOfDomain = async (domain: string): Promise<WaitingSite> => {
    const before = known.get(domain)
    if (before !== undefined) return before
    const isInTime = performance.now() < end
    const hosts = isInTime
      ? await mailHosts(domain, resolver, { ownName }).catch((error) => lookupFailed(domain, String(error)))
      : lookupFailed(domain, 'TIMEOUT')
    const ranks = hosts.kind === 'hosts' ? hosts.ranks : []
    const recognised = table.recognise(domain, ranks)
    const { key, name, provider, serversKey } = siteOf(domain, { hosts, until: 0 }, recognised)
    const isFound = hosts.kind === 'hosts'
    const site = { key, name, provider, domain: isFound ? null : domain, ...(serversKey && { serversKey }) }
    if (isInTime) known.set(domain, site, { ttl: isFound ? FOUND_MS : UNKNOWN_MS })
    return site
  }
  const rest = new Set(domains).values()
  const lookUp = async () => {
    for (const domain of rest) sites.set(domain, await siteOfDomain(domain))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lookUp))
  return sites
}
