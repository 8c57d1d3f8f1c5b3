import { Resolver as CaresResolver } from 'node:dns/promises'
import type { Lookup } from './lookup.ts'
import { type Fresh, LookupCache } from './lookup-cache.ts'

export interface MxRecord {
  /** Lower-case host name without a final dot; `''` is the root, as in a null MX (RFC 7505). */
  exchange: string
  preference: number
}

export interface HostAddress {
  address: string
  family: 4 | 6
}

export interface ResolverOptions {
  /** `ip` or `ip:port` (`[v6]:port`) each; empty: the system's. */
  servers?: string[]
  /** Milliseconds that the first try waits for an answer; each further one waits twice as long. */
  timeout?: number
  /** Tries per server. */
  tries?: number
  /** Records remembered per type. */
  cacheSize?: number
  /** A monotonic clock in milliseconds. */
  now?: () => number
}

/** Seconds. The API of c-ares does not report the TTL of these types, so they are kept only for a short time. */
const UNKNOWN_TTL = 60
/**
 * Seconds: an answer that there is nothing is kept for a short time (RFC 2308 5 allows more; a corrected zone should
 * count soon).
 */
const ABSENT_TTL = 30
/** Seconds: long enough to spare a struggling server the same question from every message of a burst. */
const FAILED_TTL = 5
/** Seconds: an answer is not kept longer, whatever its TTL, so that a moved mail server is noticed within the hour. */
const LONGEST_TTL = 3600

/** Makes the look-ups of delivery and domain verification, through c-ares, with a cache of its own per instance. */
export class Resolver {
  readonly #dns: CaresResolver
  readonly #mx: LookupCache<MxRecord>
  readonly #v4: LookupCache<HostAddress>
  readonly #v6: LookupCache<HostAddress>
  readonly #txt: LookupCache<string>
  readonly #cname: LookupCache<string>
  readonly #names: LookupCache<string>

  /** Throws when `servers` holds something that is not an IP address with an optional port. */
  constructor(options: ResolverOptions = {}) {
    const {
      servers = [],
      timeout = 3000,
      tries = 2,
      cacheSize = 20_000,
      now = () => performance.now(),
    } = options
    this.#dns = new CaresResolver({ timeout, tries })
    if (servers.length > 0) this.#dns.setServers(servers)
    this.#mx = new LookupCache(cacheSize, now)
    this.#v4 = new LookupCache(cacheSize, now)
    this.#v6 = new LookupCache(cacheSize, now)
    this.#txt = new LookupCache(cacheSize, now)
    this.#cname = new LookupCache(cacheSize, now)
    this.#names = new LookupCache(cacheSize, now)
  }

  /** In the server's order. */
  mx(name: string): Promise<Lookup<MxRecord>> {
    return cacheLookups(this.#mx, name, async (asked) => {
      const records = await this.#dns.resolveMx(asked)
      return records.map((mx) => ({ exchange: normalize(mx.exchange), preference: mx.priority }))
    })
  }

  /**
   * A and AAAA of a host, IPv6 first. One family suffices: the failure of the other one shows only when there is
   * nothing else.
   */
  async addresses(name: string): Promise<Lookup<HostAddress>> {
    const asked = normalize(name)
    const [six, four] = await Promise.all([
      this.#v6.get(asked, () => askAddresses(6, () => this.#dns.resolve6(asked, { ttl: true }))),
      this.#v4.get(asked, () => askAddresses(4, () => this.#dns.resolve4(asked, { ttl: true }))),
    ])
    const records = [six, four].flatMap((lookup) => (lookup.kind === 'found' ? lookup.records : []))
    if (records.length > 0) return { kind: 'found', records }
    if (six.kind === 'failed') return six
    if (four.kind === 'failed') return four
    // Some servers answer NXDOMAIN for the AAAA of a name that has other records, so the A answer is the more reliable
    // one.
    return four
  }

  /** The strings of each record are joined, as for SPF and DKIM (RFC 7208 3.3, RFC 6376 3.6.2.2). */
  txt(name: string): Promise<Lookup<string>> {
    return cacheLookups(this.#txt, name, async (asked) => {
      return (await this.#dns.resolveTxt(asked)).map((strings) => strings.join(''))
    })
  }

  /** The names of an address (PTR, RFC 1035 3.5). */
  names(address: string): Promise<Lookup<string>> {
    return cacheLookups(this.#names, address, async (asked) =>
      (await this.#dns.reverse(asked)).map(normalize),
    )
  }

  cname(name: string): Promise<Lookup<string>> {
    return cacheLookups(this.#cname, name, async (asked) =>
      (await this.#dns.resolveCname(asked)).map(normalize),
    )
  }
}

function normalize(name: string): string {
  return name.toLowerCase().replace(/\.$/, '')
}

function cacheLookups<T>(
  cache: LookupCache<T>,
  name: string,
  query: (asked: string) => Promise<T[]>,
): Promise<Lookup<T>> {
  const asked = normalize(name)
  return cache.get(asked, () => ask(UNKNOWN_TTL, () => query(asked)))
}

async function askAddresses(
  family: 4 | 6,
  query: () => Promise<{ address: string; ttl: number }[]>,
): Promise<Fresh<HostAddress>> {
  let seconds = LONGEST_TTL
  const found = await ask(LONGEST_TTL, async () => {
    const records = await query()
    seconds = Math.min(seconds, ...records.map(({ ttl }) => ttl))
    return records.map(({ address }) => ({ address, family }))
  })
  return found.lookup.kind === 'found' ? { ...found, seconds } : found
}

async function ask<T>(ttl: number, query: () => Promise<T[]>): Promise<Fresh<T>> {
  try {
    const records = await query()
    // A CNAME that leads to nothing comes back as a success without records.
    if (records.length === 0) return { lookup: { kind: 'absent', reason: 'NODATA' }, seconds: ABSENT_TTL }
    return { lookup: { kind: 'found', records }, seconds: ttl }
  } catch (error) {
    const lookup = failureOf(error)
    return { lookup, seconds: lookup.kind === 'absent' ? ABSENT_TTL : FAILED_TTL }
  }
}

type Failure = Exclude<Lookup<never>, { kind: 'found' }>

function failureOf(error: unknown): Failure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'EUNKNOWN'
  if (code === 'ENODATA') return { kind: 'absent', reason: 'NODATA' }
  // EBADNAME: not a name that DNS can hold (empty or overlong label), so it does not exist either (RFC 1035 2.3.4).
  if (code === 'ENOTFOUND' || code === 'EBADNAME') return { kind: 'absent', reason: 'NXDOMAIN' }
  return { kind: 'failed', reason: code.replace(/^E/, '') }
}
