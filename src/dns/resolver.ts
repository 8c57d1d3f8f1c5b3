import { isIP } from 'node:net'
import { failure, lookupOf, noSuchName, unfinishedAlias } from './answer.ts'
import { DnsClient } from './client.ts'
import { BADRESP, NoReply } from './exchange.ts'
import type { Lookup } from './lookup.ts'
import { type CacheableLookup, LookupCache } from './lookup-cache.ts'
import type { DnsAnswer } from './message.ts'
import { isHostName, isName, nameOf, normalize, reverseName } from './name.ts'
import { configuredServers, nameServers } from './name-server.ts'
import type { MxRecord, RecordData, RecordType, TlsaRecord } from './record.ts'

/** The most questions about one name, to follow aliases that a forwarder has left unfinished. */
const MAX_ASKED = 4

export interface HostAddress {
  address: string
  family: 4 | 6
}

export interface ResolverOptions {
  /** `ip` or `ip:port` (`[v6]:port`) each; empty: the system's. */
  servers?: string[]
  /** Servers whose AD bit is trusted, in addition to those on loopback. */
  validating?: string[]
  /** Milliseconds that the first try waits for an answer; each further one waits twice as long. */
  timeout?: number
  /** Tries per server. */
  tries?: number
  /** Records remembered per type. */
  cacheSize?: number
  /** A monotonic clock in milliseconds. */
  now?: () => number
}

/** The settings of the service about DNS. */
interface DnsSettings {
  /** POSTROAD_DNS_SERVERS. */
  dnsServers: string[]
  /** POSTROAD_DNS_VALIDATING. */
  dnsValidating: string[]
}

export function configuredResolver({ dnsServers, dnsValidating }: DnsSettings): Resolver {
  return new Resolver({ servers: dnsServers, validating: dnsValidating })
}

/** Makes the look-ups of delivery and domain verification, with a cache of its own per instance. */
export class Resolver {
  readonly #client: DnsClient
  readonly #mx: LookupCache<MxRecord>
  readonly #v4: LookupCache<HostAddress>
  readonly #v6: LookupCache<HostAddress>
  readonly #txt: LookupCache<string>
  readonly #cname: LookupCache<string>
  readonly #names: LookupCache<string>
  readonly #nameServers: LookupCache<string>
  readonly #tlsa: LookupCache<TlsaRecord>

  /** Throws when `servers` holds something that is not an IP address with an optional port. */
  constructor(options: ResolverOptions = {}) {
    const {
      servers = [],
      validating = [],
      timeout = 3000,
      tries = 2,
      cacheSize = 20_000,
      now = () => performance.now(),
    } = options
    const named = nameServers(configuredServers(servers), validating)
    this.#client = new DnsClient({ servers: named, timeout, tries, now })
    this.#mx = new LookupCache(cacheSize, now)
    this.#v4 = new LookupCache(cacheSize, now)
    this.#v6 = new LookupCache(cacheSize, now)
    this.#txt = new LookupCache(cacheSize, now)
    this.#cname = new LookupCache(cacheSize, now)
    this.#names = new LookupCache(cacheSize, now)
    this.#nameServers = new LookupCache(cacheSize, now)
    this.#tlsa = new LookupCache(cacheSize, now)
  }

  /** In the server's order. Records that name no host are left out. */
  mx(name: string): Promise<Lookup<MxRecord>> {
    return this.#lookUp(this.#mx, name, 'MX', (record) => (isHostName(record.exchange) ? record : null))
  }

  /**
   * A and AAAA of a host, IPv6 first. One family suffices: the failure of the other one shows only when there is
   * nothing else.
   */
  async addresses(name: string): Promise<Lookup<HostAddress>> {
    const [six, four] = await Promise.all([
      this.#lookUp(this.#v6, name, 'AAAA', inFamily(6)),
      this.#lookUp(this.#v4, name, 'A', inFamily(4)),
    ])
    if (six.kind === 'found' && four.kind === 'found') {
      const { secure, ...both }: typeof four = { ...six, records: [...six.records, ...four.records] }
      // An answer that nobody vouches for could add any address.
      return secure && four.secure ? { ...both, secure } : both
    }
    if (six.kind === 'found') return six
    if (four.kind === 'found') return four
    if (six.kind === 'failed') return six
    if (four.kind === 'failed') return four
    // Some servers answer NXDOMAIN for the AAAA of a name that has other records, so the A answer is the more reliable
    // one.
    return four
  }

  txt(name: string): Promise<Lookup<string>> {
    return this.#lookUp(this.#txt, name, 'TXT', (text) => text)
  }

  /** The names of an address (PTR, RFC 1035 3.5) that a host may have. */
  async names(address: string): Promise<Lookup<string>> {
    if (isIP(address) === 0) return { kind: 'absent', reason: 'NXDOMAIN' }
    return await this.#lookUp(this.#names, reverseName(address), 'PTR', hostName)
  }

  cname(name: string): Promise<Lookup<string>> {
    return this.#lookUp(this.#cname, name, 'CNAME', (target) => target)
  }

  /** The name servers of a zone. A name within a zone has none (RFC 1034 4.2.1). */
  ns(name: string): Promise<Lookup<string>> {
    return this.#lookUp(this.#nameServers, name, 'NS', hostName)
  }

  /** `name` is that of a service, such as `_25._tcp.mx.example.com` (RFC 6698 3). */
  tlsa(name: string): Promise<Lookup<TlsaRecord>> {
    return this.#lookUp(this.#tlsa, name, 'TLSA', (record) => record)
  }

  #lookUp<Type extends RecordType, T>(
    cache: LookupCache<T>,
    name: string,
    type: Type,
    use: (data: RecordData[Type]) => T | null,
  ): Promise<Lookup<T>> {
    const asked = normalize(name)
    return cache.get(asked, () => this.#ask(asked, type, use))
  }

  async #ask<Type extends RecordType, T>(
    name: string,
    type: Type,
    use: (data: RecordData[Type]) => T | null,
  ): Promise<CacheableLookup<T>> {
    if (!isName(name)) return noSuchName()
    try {
      return lookupOf(await this.#whole(name, type), nameOf(name), use)
    } catch (error) {
      return failure(error instanceof NoReply ? error.reason : String(error))
    }
  }

  /** The answer. If it ends within a chain of aliases, the rest of the chain is added. */
  async #whole<Type extends RecordType>(name: string, type: Type): Promise<DnsAnswer<Type>> {
    let whole = await this.#client.ask(name, type)
    for (let asked = 1; asked < MAX_ASKED; asked++) {
      const next = unfinishedAlias(whole, nameOf(name))
      if (next === null) return whole
      // A name with octets in zone-file form cannot be asked for.
      if (!isName(next) || next.includes('\\')) throw new NoReply(BADRESP)
      const rest = await this.#client.ask(next, type)
      whole = {
        ...rest,
        aliases: [...whole.aliases, ...rest.aliases],
        isValidated: whole.isValidated && rest.isValidated,
      }
    }
    throw new NoReply('CNAMELOOP')
  }
}

function inFamily(family: 4 | 6): (address: string) => HostAddress {
  return (address) => ({ address, family })
}

function hostName(name: string): string | null {
  return isHostName(name) ? name : null
}
