/** The mail servers of the recipient domains: two each, addresses of the loopback network, some with STARTTLS. */
import type { Zone } from '../harness/dns.ts'
import { DOMAINS } from './mail.ts'
import { POLICY_DOMAINS } from './policy.ts'

export interface MailServer {
  index: number
  name: string
  address: string
  domain: number
  /** Offers STARTTLS; with a valid certificate where the domain has a policy. */
  tls: boolean
  /** Ms there and back: to a server that is far away, envelopes are written behind final dots. */
  link: number
}

/** Domains whose servers are far away. */
const FAR_DOMAINS = [1, 2, 6]
const FAR_MS = 20

/** Seconds for which an answer may be kept. */
export const TTL = 5

export const SERVERS: readonly MailServer[] = Array.from({ length: DOMAINS * 2 }, (_, index) => {
  const domain = index >> 1
  const which = index % 2 === 0 ? 'a' : 'b'
  return {
    index,
    name: `${which}.mx${domain}.test`,
    address: `127.17.${domain}.${(index % 2) + 1}`,
    domain,
    tls: domain % 4 === 1 || POLICY_DOMAINS.includes(domain),
    link: FAR_DOMAINS.includes(domain) ? FAR_MS : 0,
  }
})

/** The MX record of a domain; half of the domains prefer one server, the others neither. */
function mxOf(domain: number): string[] {
  const second = domain % 2 === 0 ? 20 : 10
  return [`10 a.mx${domain}.test`, `${second} b.mx${domain}.test`]
}

export function rightZone(): Zone {
  const zone: Zone = {}
  for (let domain = 0; domain < DOMAINS; domain++)
    zone[`in${domain}.test/MX`] = { values: mxOf(domain), ttl: TTL }
  for (const { name, address } of SERVERS) zone[`${name}/A`] = { values: [address], ttl: TTL }
  return zone
}
