import { isIP } from 'node:net'
import type { HostAddress, Resolver } from '../../dns/resolver.ts'
import {
  type AddressGuard,
  interfaceAddresses,
  isNear,
  isPublicIpv6,
  refusalKind,
} from '../../network/private-address.ts'
import type { RouteFailure } from '../outcome.ts'
import { reaches, type Source } from '../path/source.ts'
import { SmtpError } from '../smtp/error.ts'
import type { SmtpTarget } from '../smtp/target.ts'

/** The addresses at which to try a host, in order and at least one; or the reason why there is none. */
export type ServerAddresses =
  | { kind: 'addresses'; addresses: string[] }
  | { kind: 'none'; failure: RouteFailure }

/** Milliseconds for which IPv6 is tried last after a failure that means there is no way out over it. */
const IPV6_PAUSE = 5 * 60_000

/** Where a connection goes. With a proxy, it begins in another machine's network. */
type ConnectTarget = Pick<SmtpTarget, 'address' | 'proxy'>

/**
 * Remembers whether this machine can reach IPv6 at all, so that not every delivery has to find out anew. `own`: the
 * addresses of this machine.
 */
export class Ipv6Reachability {
  readonly #own: () => string[]
  #unreachableUntil = Number.NEGATIVE_INFINITY
  /** An IPv6 address beyond our own network has been reached. */
  #hasWorked = false

  constructor(own = interfaceAddresses) {
    this.#own = own
  }

  get likely(): boolean {
    return performance.now() >= this.#unreachableUntil
  }

  /** Learns from a connection that failed. */
  recordFailure(way: ConnectTarget, error: unknown): void {
    if (isIP(way.address) === 6 && this.hasNoWayOut(way, error))
      this.#unreachableUntil = performance.now() + IPV6_PAUSE
  }

  /** Learns from a connection that has been opened. */
  recordSuccess(way: ConnectTarget): void {
    if (!this.#hasWorked) this.#hasWorked = leavesOverIpv6(way)
  }

  /**
   * True when the failure means that this machine has no way out: no route, or no address of its own in that family. A
   * host that cannot be reached, or a time-out, concerns only that host; but on a machine without a public IPv6
   * address, a router may drop its packets or report the host as unreachable. So these count there until a connection
   * over IPv6 has succeeded.
   */
  hasNoWayOut(way: ConnectTarget, error: unknown): boolean {
    if (!(error instanceof SmtpError) || error.stage !== 'connect') return false
    const code = error.kind === 'timeout' ? 'ETIMEDOUT' : errnoOf(error)
    // Over IPv4 it mostly means that a source address has gone, or that no port is free.
    if (code === 'EADDRNOTAVAIL') return isIP(way.address) === 6
    if (code === 'ENETUNREACH' || code === 'EAFNOSUPPORT') return true
    if (code !== 'EHOSTUNREACH' && code !== 'ETIMEDOUT') return false
    return leavesOverIpv6(way) && !this.#hasWorked && !this.#own().some(isPublicIpv6)
  }
}

function leavesOverIpv6({ address, proxy }: ConnectTarget): boolean {
  return proxy === undefined && isIP(address) === 6 && !isNear(address)
}

/** `IPv4` or `IPv6`. */
export function familyName(address: string): string {
  return `IPv${isIP(address)}`
}

function errnoOf(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined
  return 'code' in error && typeof error.code === 'string' ? error.code : errnoOf(error.cause)
}

/**
 * Families alternate, so that a family that leads nowhere costs one try and not all of them (RFC 8305 4). IPv6 goes
 * first (RFC 6724) unless it is known not to work here. The order within a family is the resolver's.
 */
export function alternate(addresses: HostAddress[], ipv6First: boolean): string[] {
  const six = addresses.filter(({ family }) => family === 6).map(({ address }) => address)
  const four = addresses.filter(({ family }) => family === 4).map(({ address }) => address)
  const [first, second] = ipv6First ? [six, four] : [four, six]
  const length = Math.max(first.length, second.length)
  return Array.from({ length }, (_, i) => [first[i], second[i]])
    .flat()
    .filter((address) => address !== undefined)
}

/** The addresses of a mail host that may be connected to. */
export async function allowedAddresses(
  host: string,
  domain: string,
  resolver: Pick<Resolver, 'addresses'>,
  guard: AddressGuard,
  ipv6: Ipv6Reachability,
): Promise<ServerAddresses> {
  const found = await lookUp(host, domain, resolver, guard, ipv6)
  if (found.kind === 'none') return found
  let refusal = ''
  const allowed = found.addresses.filter((address) => {
    const reason = guard(address)
    refusal ||= reason ?? ''
    return reason === null
  })
  if (allowed.length > 0) return { kind: 'addresses', addresses: allowed }
  const refused = refusedHost(host, domain, refusal, guard)
  Object.assign(refused.failure, { refusedAddress: true, detail: refusal })
  return refused
}

function refusedHost(host: string, domain: string, refusal: string, guard: AddressGuard) {
  const kind = refusalKind(refusal)
  if (kind === 'own') {
    return none('5.4.6', `${host}, a mail server of ${domain}, leads back to this service`)
  }
  if (kind === 'special') return nowhere(host, domain, guard)
  // The mail waits, because the operator can put another mail server, or another source address, in its place.
  const message = `${host}, a mail server of ${domain}, is a machine that this service sends from`
  return { kind: 'none' as const, failure: { finding: 'server' as const, enhancedCode: '4.4.6', message } }
}

/**
 * The same sentence whether the host has no address or one that is not allowed: a sender may name any host, and must
 * not learn which names the DNS of our own network has.
 */
function nowhere(host: string, domain: string, guard: AddressGuard) {
  const allowed = guard('127.0.0.1') === null ? 'address' : 'public address'
  let sentence = `DNS: ${host}, a mail server of ${domain}, has no ${allowed}`
  if (host === domain) sentence = `DNS: ${domain} has no mail server (MX) and no ${allowed}`
  else if (isIP(host) !== 0) sentence = `${domain} is not a public address`
  // RFC 3463 3.5 names exactly this case for X.4.4: the name is there, without anything to route by.
  return none('5.4.4', sentence)
}

/** Leaves out the addresses of a family in which the source has no address. */
export function reachableAddresses(
  found: ServerAddresses,
  host: string,
  source: Pick<Source, 'addresses'>,
): ServerAddresses {
  if (found.kind === 'none' || source.addresses === undefined) return found
  const addresses = found.addresses.filter((address) => reaches(source, address))
  if (addresses.length > 0) return { kind: 'addresses', addresses }
  const theirs = familyName(found.addresses[0]!)
  const ours = theirs === 'IPv6' ? 'IPv4' : 'IPv6'
  const message = `${host} has only ${theirs} addresses, and the source of this mail only an ${ours} address`
  return {
    kind: 'none',
    failure: { finding: 'unreachable', enhancedCode: '4.4.4', message, unreachable: true, noWayOut: true },
  }
}

/** DNS did not say which addresses the host has. */
export function failedLookUp(host: string, reason: string): RouteFailure {
  const message = `DNS: the address lookup of ${host} failed (${reason})`
  return { finding: 'server', enhancedCode: '4.4.3', message }
}

async function lookUp(
  host: string,
  domain: string,
  resolver: Pick<Resolver, 'addresses'>,
  guard: AddressGuard,
  ipv6: Ipv6Reachability,
): Promise<ServerAddresses> {
  if (isIP(host) !== 0) return { kind: 'addresses', addresses: [host] }
  if (host === 'localhost' || host.endsWith('.localhost')) {
    // RFC 6761 6.3: such names mean the machine that asks, whatever DNS says.
    return none('5.4.4', `${host}, a mail server of ${domain}, is not a public host name`)
  }
  const lookup = await resolver.addresses(host)
  switch (lookup.kind) {
    case 'found':
      return { kind: 'addresses', addresses: alternate(lookup.records, ipv6.likely) }
    case 'failed':
      return { kind: 'none', failure: failedLookUp(host, lookup.reason) }
    case 'absent': {
      const absent = nowhere(host, domain, guard)
      absent.failure.detail = 'DNS has no address of it'
      return absent
    }
  }
}

function none(enhancedCode: string, message: string): { kind: 'none'; failure: RouteFailure } {
  return { kind: 'none', failure: { finding: 'recipient', enhancedCode, message } }
}
