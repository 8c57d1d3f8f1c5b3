/** Which hosts take mail for a domain, in which order (RFC 5321 5.1, RFC 7505). */
import { isIP } from 'node:net'
import type { MxRecord, Resolver } from '../../dns/resolver.ts'
import type { RouteFailure } from '../outcome.ts'

export type MailHosts =
  /** Best first; at least one. An address literal stands for itself. */
  { kind: 'hosts'; hosts: string[] } | { kind: 'none'; failure: RouteFailure }

export interface HostsOptions {
  /** Our own name: a domain whose mail server we are ourselves would be a loop. Null: not looked for. */
  ownName: string | null
  /** From 0 to below 1; for the order among equals. */
  random?: () => number
}

/** More records than this are not looked at; no domain needs them, and each would be looked up. */
const MAX_RECORDS = 50

export async function mailHosts(
  domain: string,
  resolver: Pick<Resolver, 'mx'>,
  { ownName, random = Math.random }: HostsOptions,
): Promise<MailHosts> {
  if (domain.startsWith('[')) return literalHost(domain)
  const lookup = await resolver.mx(domain)
  switch (lookup.kind) {
    case 'failed':
      // RFC 5321 5.1: a look-up that failed must not be taken for one that found nothing.
      return refuse({
        finding: 'server',
        enhancedCode: '4.4.3',
        message: `DNS: the MX look-up of ${domain} failed (${lookup.reason})`,
      })
    case 'absent':
      if (lookup.reason === 'NODATA') return { kind: 'hosts', hosts: [domain] }
      return refuse({
        finding: 'dead-address',
        enhancedCode: '5.1.2',
        message: `DNS: the domain ${domain} does not exist`,
      })
    case 'found':
      return chooseHosts(domain, lookup.records, ownName, random)
  }
}

function chooseHosts(
  domain: string,
  records: MxRecord[],
  ownName: string | null,
  random: () => number,
): MailHosts {
  // RFC 7505 3: a null MX stands alone. Beside others it is a mistake, and the others count.
  const named = records.filter(({ exchange }) => exchange !== '')
  if (named.length === 0) {
    return refuse({
      finding: 'dead-address',
      code: 556,
      enhancedCode: '5.1.10',
      message: `The domain ${domain} says that it takes no mail (null MX)`,
    })
  }
  const own = ownName?.toLowerCase()
  // RFC 5321 5.1: when we are among the MX ourselves, only hosts better than us may be asked.
  const ownPreference = named.find(({ exchange }) => exchange === own)?.preference ?? Number.POSITIVE_INFINITY
  const better = named.filter(({ preference }) => preference < ownPreference)
  if (better.length === 0) {
    return refuse({
      finding: 'recipient',
      enhancedCode: '5.4.6',
      message: `Mail loop: the MX of ${domain} is this server itself (${own})`,
    })
  }
  // RFC 5321 5.1: equal preferences are spread. RFC 1035 3.3.9: an exchange is a name, never an address.
  const hosts = better
    .map((record) => ({ ...record, tie: random() }))
    .sort((a, b) => a.preference - b.preference || a.tie - b.tie)
    .slice(0, MAX_RECORDS)
    .map(({ exchange }) => exchange)
    .filter((exchange) => isIP(exchange) === 0)
  if (hosts.length > 0) return { kind: 'hosts', hosts: [...new Set(hosts)] }
  const example = better[0]?.exchange ?? ''
  return refuse({
    finding: 'recipient',
    enhancedCode: '5.4.4',
    message: `The MX records of ${domain} name no host but an IP address (${example}), which is not allowed in DNS`,
  })
}

/** RFC 5321 4.1.3: `[192.0.2.1]`, `[IPv6:2001:db8::1]`. */
function literalHost(domain: string): MailHosts {
  const ip = /^\[(?:IPv6:)?([0-9a-f.:]+)\]$/i.exec(domain)?.[1]
  if (ip !== undefined && isIP(ip) !== 0) return { kind: 'hosts', hosts: [ip] }
  return refuse({
    finding: 'recipient',
    enhancedCode: '5.1.2',
    message: `${domain} is not an address literal that mail can be sent to`,
  })
}

function refuse(failure: RouteFailure): MailHosts {
  return { kind: 'none', failure }
}
