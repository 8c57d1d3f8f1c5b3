/** The sites that waiting mail goes to. The store knows recipient domains only, so their mail servers are looked up. */
import { lookupFailed, mailHosts } from '../delivery/path/mail-hosts.ts'
import { type Site, siteOfRoute } from '../delivery/path/path.ts'
import { siteOf } from '../delivery/path/site-directory.ts'
import type { Operation } from './verb.ts'

/** Domains that are looked up at once. */
const AT_ONCE = 64
/** Milliseconds after which no further domain is looked up: each of the rest counts as a site of its own. */
const PATIENCE_MS = 15_000

export type WaitingSite = Pick<Site, 'key' | 'name' | 'provider'>

/** The site of each recipient domain, for mail that takes POSTROAD_DELIVERY. Never rejects because of DNS. */
export async function sitesOfDomains(
  op: Operation,
  domains: Iterable<string>,
): Promise<Map<string, WaitingSite>> {
  const { delivery, allowPrivateNetworks } = op.setup
  const sites = new Map<string, WaitingSite>()
  if (delivery.kind !== 'direct') {
    const only = siteOfRoute(delivery)
    for (const domain of domains) sites.set(domain, only)
    return sites
  }
  const [table, resolver, end] = [op.sites(), op.hosts(), performance.now() + PATIENCE_MS]
  const ownName = allowPrivateNetworks ? null : op.hostname
  const siteOfDomain = async (domain: string): Promise<WaitingSite> => {
    const hosts =
      performance.now() < end
        ? await mailHosts(domain, resolver, { ownName }).catch((error) => lookupFailed(domain, String(error)))
        : lookupFailed(domain, 'TIMEOUT')
    const ranks = hosts.kind === 'hosts' ? hosts.ranks : []
    return siteOf(domain, { hosts, until: 0 }, table.recognise(domain, ranks))
  }
  const rest = new Set(domains).values()
  const lookUp = async () => {
    for (const domain of rest) sites.set(domain, await siteOfDomain(domain))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lookUp))
  return sites
}
