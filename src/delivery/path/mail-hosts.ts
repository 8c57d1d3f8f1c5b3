/** The hosts that take mail for a domain, in order (RFC 5321 5.1, RFC 7505). */
import { isIP } from 'node:net'
import type { MxRecord } from '../../dns/record.ts'
import type { Resolver } from '../../dns/resolver.ts'
import type { Finding } from '../judge/finding.ts'

export type MailHosts =
  /** Groups of equal preference, best first; at least one host, each once. An address literal stands for itself. */
  | {
      kind: 'hosts'
      ranks: string[][]
      /** Nobody can have changed the names on the way (RFC 7672 2.2.1). */
      secure?: true
    }
  | { kind: 'none'; failure: NoHosts }

/** The reason why no server takes mail for the domain; `server`: not known now. */
export interface NoHosts {
  finding: Extract<Finding, 'server' | 'dead-address' | 'recipient'>
  code?: number
  /** RFC 3463. */
  enhancedCode: string
  message: string
}

export interface HostsOptions {
  /** Our own name: a domain whose mail server is ourselves would be a loop. Null: not checked. */
  ownName: string | null
}

/** Further records are ignored; no domain needs them, and each would be looked up. */
const MAX_RECORDS = 50

export async function mailHosts(
  domain: string,
  resolver: Pick<Resolver, 'mx'>,
  { ownName }: HostsOptions,
): Promise<MailHosts> {
  if (domain.startsWith('[')) return literalHost(domain)
  const lookup = await resolver.mx(domain)
  switch (lookup.kind) {
    case 'failed':
      return lookupFailed(domain, lookup.reason)
    case 'absent':
      // The domain itself is the host, so its addresses tell whether the answers are validated (RFC 7672 2.2.2).
      if (lookup.reason === 'NODATA') return { kind: 'hosts', ranks: [[domain]], secure: true }
      // No suppression: a registration that lapsed comes back, a resolver in trouble may deny every domain, and another
      // try costs no server anything.
      return refuse({
        finding: 'recipient',
        enhancedCode: '5.1.2',
        message: `DNS: the domain ${domain} does not exist`,
      })
    case 'found':
      return withSecurity(chooseHosts(domain, lookup.records, ownName), lookup.secure === true)
  }
}

function withSecurity(hosts: MailHosts, isSecure: boolean): MailHosts {
  return hosts.kind === 'hosts' && isSecure ? { ...hosts, secure: true } : hosts
}

function chooseHosts(domain: string, records: MxRecord[], ownName: string | null): MailHosts {
  // RFC 5321 5.1: the domain has MX records, so it is not its own mail server.
  if (records.length === 0) {
    return refuse({
      finding: 'recipient',
      enhancedCode: '5.4.4',
      message: `The MX records of ${domain} have characters that no name of a host has`,
    })
  }
  // RFC 7505 3: a null MX must be the only record. Beside others it is a mistake, and the others count.
  const named = records.filter(({ exchange }) => exchange !== '')
  if (named.length === 0) {
    return refuse({
      finding: 'dead-address',
      code: 556,
      enhancedCode: '5.1.10',
      message: `The domain ${domain} does not accept mail (null MX)`,
    })
  }
  const own = ownName?.toLowerCase()
  // RFC 5321 5.1: when we are among the MX hosts ourselves, only hosts of a better preference than ours may be asked.
  const ownPreference = named.find(({ exchange }) => exchange === own)?.preference ?? Number.POSITIVE_INFINITY
  const better = named.filter(({ preference }) => preference < ownPreference)
  if (better.length === 0) {
    return refuse({
      finding: 'recipient',
      enhancedCode: '5.4.6',
      message: `Mail loop: the MX of ${domain} is this server itself (${own})`,
    })
  }
  // RFC 1035 3.3.9: an exchange is a name, never an address.
  const taken = new Set<string>()
  const ranks = new Map<number, string[]>()
  for (const { preference, exchange } of inOrderOf(better).slice(0, MAX_RECORDS)) {
    if (isIP(exchange) !== 0 || taken.has(exchange)) continue
    taken.add(exchange)
    const rank = ranks.get(preference)
    if (rank === undefined) ranks.set(preference, [exchange])
    else rank.push(exchange)
  }
  if (ranks.size > 0) return { kind: 'hosts', ranks: [...ranks.values()] }
  const example = better[0]?.exchange ?? ''
  return refuse({
    finding: 'recipient',
    enhancedCode: '5.4.4',
    message: `The MX records of ${domain} name an IP address (${example}) instead of a host, which DNS does not allow`,
  })
}

/** RFC 5321 5.1: hosts of equal preference are tried in random order. */
export function hostOrder(ranks: string[][], random: () => number = Math.random): string[] {
  if (ranks.length === 1 && ranks[0]!.length === 1) return ranks[0]!
  return ranks.flatMap((rank) => inRandomOrder(rank, random))
}

/** RFC 5321 5.1: a failed look-up must not be taken for one that found nothing. */
export function lookupFailed(domain: string, reason: string): MailHosts {
  return refuse({
    finding: 'server',
    enhancedCode: '4.4.3',
    message: `DNS: the MX lookup of ${domain} failed (${reason})`,
  })
}

/** Of a domain whose MTA-STS policy could not be read from our own store. */
export function policyUnknown(domain: string, reason: string): MailHosts {
  return refuse({
    finding: 'server',
    enhancedCode: '4.3.0',
    message: `Whether ${domain} has an MTA-STS policy could not be found out: ${reason}`,
  })
}

/** By preference, equals in random order: when there are too many records, no server is always the one left out. */
function inOrderOf(records: MxRecord[]): MxRecord[] {
  return inRandomOrder(records).sort((a, b) => a.preference - b.preference)
}

function inRandomOrder<Item>(items: readonly Item[], random: () => number = Math.random): Item[] {
  return items
    .map((item) => ({ item, tie: random() }))
    .sort((a, b) => a.tie - b.tie)
    .map(({ item }) => item)
}

/** RFC 5321 4.1.3: `[192.0.2.1]`, `[IPv6:2001:db8::1]`. */
function literalHost(domain: string): MailHosts {
  const ip = /^\[(?:IPv6:)?([0-9a-f.:]+)\]$/i.exec(domain)?.[1]
  if (ip !== undefined && isIP(ip) !== 0) return { kind: 'hosts', ranks: [[ip]] }
  return refuse({
    finding: 'recipient',
    enhancedCode: '5.1.2',
    message: `${domain} is not an address literal that mail can be delivered to`,
  })
}

function refuse(failure: NoHosts): MailHosts {
  return { kind: 'none', failure }
}
