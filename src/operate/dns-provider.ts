/** The zone that the records of a domain are entered in, and the DNS provider that holds it. */
import { type DnsProvider, dnsProviderOf } from '../accounts/dns-providers.ts'
import { zonesOf } from '../accounts/zones.ts'
import { findDomain } from './find.ts'
import { verb } from './verb.ts'

export interface DnsZone {
  /** Null: DNS has no zone that could be the domain's, or did not answer. */
  zone: string | null
  /** The names of its servers, in alphabetical order. */
  nameServers: string[]
  /** Null: not one that is known. */
  provider: DnsProvider | null
}

const UNKNOWN: DnsZone = { zone: null, nameServers: [], provider: null }

/** Asks DNS for the name servers of the domain, then for those of the names above it. */
export const findDomainZone = verb('see', async (op, { domain }: { domain: string }): Promise<DnsZone> => {
  const hosts = op.hosts()
  for (const zone of zonesOf(findDomain(op, domain).name)) {
    const answer = await hosts.ns(zone)
    // A name above could have servers of its own: it must not be taken for the zone of a name that is not known.
    if (answer.kind === 'failed') return UNKNOWN
    // The servers at the end of an alias are those of another zone.
    if (answer.kind === 'absent' || answer.alias !== undefined) continue
    const nameServers = answer.records.toSorted()
    return { zone, nameServers, provider: dnsProviderOf(nameServers) }
  }
  return UNKNOWN
})
