/** The sites that waiting mail goes to. The store knows recipient domains only, so their mail servers are looked up. */
import { RecentEntries } from '../common/recent-entries.ts'
import { lookupFailed, type MailHosts, mailHosts } from '../delivery/path/mail-hosts.ts'
import { type Site, siteOfRoute } from '../delivery/path/path.ts'
import { siteOf } from '../delivery/path/site-directory.ts'
import type { SiteTable } from '../delivery/sites/site-table.ts'
import type { Operation } from './verb.ts'

/** Domains that are looked up at once: few, because delivery asks the same name servers. */
const AT_ONCE = 16
/** Milliseconds for all domains: each that is not known by then counts as a site of its own. */
const PATIENCE_MS = 15_000
/** Milliseconds for which an answer is used again. */
const FOUND_MS = 300_000
/** The same of a domain whose servers are not known: a look-up that fails may take long, and others are to be asked. */
const UNKNOWN_MS = 60_000
const MAX_REMEMBERED = 20_000

export interface WaitingSite extends Pick<Site, 'key' | 'name' | 'provider' | 'serversKey'> {
  /**
   * The recipient domain that stands for a site, because its servers are not known: only mail to the domain can be
   * paused or retried. Null: the servers are known.
   */
  domain: string | null
}

/** By recipient domain. A changed file of limits makes a new table, and all domains are recognised anew. */
const remembered = new WeakMap<SiteTable, RecentEntries<WaitingSite>>()

function rememberedBy(table: SiteTable): RecentEntries<WaitingSite> {
  let sites = remembered.get(table)
  if (sites === undefined) {
    sites = new RecentEntries(MAX_REMEMBERED)
    remembered.set(table, sites)
  }
  return sites
}

/**
 * The site of each recipient domain, for mail that takes POSTROAD_DELIVERY. Never rejects because of DNS. `domains`:
 * the most important first, in case that there is no time for all. `patience`: milliseconds for all of them.
 */
export async function sitesOfDomains(
  op: Operation,
  domains: Iterable<string>,
  patience = PATIENCE_MS,
): Promise<Map<string, WaitingSite>> {
  const { delivery, allowPrivateNetworks } = op.setup
  const sites = new Map<string, WaitingSite>()
  if (delivery.kind !== 'direct') {
    const only = { ...siteOfRoute(delivery), domain: null }
    for (const domain of domains) sites.set(domain, only)
    return sites
  }
  const [table, resolver] = [op.sites(), op.hosts()]
  const known = rememberedBy(table)
  const ownName = allowPrivateNetworks ? null : op.hostname
  /** The answer may come after the deadline: it is for the next who asks. */
  const lookUp = async (domain: string): Promise<WaitingSite> => {
    const hosts = await mailHosts(domain, resolver, { ownName }).catch((error) =>
      lookupFailed(domain, String(error)),
    )
    const site = siteAt(domain, hosts, table)
    known.set(domain, site, { ttl: site.domain === null ? FOUND_MS : UNKNOWN_MS })
    return site
  }
  const { promise: deadline, resolve } = Promise.withResolvers<null>()
  let isOver = false
  const timer = setTimeout(() => {
    isOver = true
    resolve(null)
  }, patience)
  const rest = new Set(domains).values()
  const work = async () => {
    for (const domain of rest) {
      const found = known.get(domain) ?? (isOver ? null : await Promise.race([lookUp(domain), deadline]))
      sites.set(domain, found ?? siteAt(domain, lookupFailed(domain, 'TIMEOUT'), table))
    }
  }
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    return sites
  } finally {
    clearTimeout(timer)
  }
}

function siteAt(domain: string, hosts: MailHosts, table: SiteTable): WaitingSite {
  const isFound = hosts.kind === 'hosts'
  const recognised = table.recognise(domain, isFound ? hosts.ranks : [])
  const { key, name, provider, serversKey } = siteOf(domain, { hosts, until: 0 }, recognised)
  return { key, name, provider, domain: isFound ? null : domain, ...(serversKey && { serversKey }) }
}
