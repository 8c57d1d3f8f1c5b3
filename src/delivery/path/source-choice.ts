import type { SourcePool } from '../../accounts/account.ts'
import { poolAddresses } from '../../accounts/pool-addresses.ts'
import type { SourceAddress } from '../../config/settings.ts'
import type { Email } from '../../email/fields.ts'
import { restrictedTo, type Source, sourcesOf } from './source.ts'

/** The fields of an email that decide its source. */
export type SourceFields = Pick<Email, 'id' | 'companyId' | 'domainId' | 'source'>

export interface SourceChoiceParts {
  /** POSTROAD_SOURCE_ADDRESSES. */
  addresses: readonly SourceAddress[] | null
  /** EHLO name where the system chooses the address. */
  hostname: string
  /** Returns a new array whenever a pool has changed. */
  pools(): readonly SourcePool[]
  /** Name of the pool of a domain or its company; null: none is assigned. */
  poolOf(mail: Pick<SourceFields, 'domainId' | 'companyId'>): string | null
  /** Whether mail can leave from the address. */
  isHere?(address: string): boolean
  /**
   * The reason why mail can leave from none of the addresses that it may leave from, as a sentence without a final dot.
   * Absent: that of a node.
   */
  whyNone?(addresses: readonly string[]): string
}

/** The name of the source whose address the system chooses, which every node has. */
export const GENERAL_SOURCE = 'default'

/** The sources that mail may leave from on this node. */
export class SourceChoice {
  /**
   * The source whose address the system chooses. Mail through a relay uses it, and without POSTROAD_SOURCE_ADDRESSES
   * all mail.
   */
  readonly general: Source
  readonly #parts: SourceChoiceParts
  readonly #sources: readonly Source[]
  #pools: readonly SourcePool[] = []
  /** Sources by the name of their pool, or by the address that the sender chose. */
  readonly #known = new Map<string | null, readonly Source[]>()

  constructor(parts: SourceChoiceParts) {
    this.#parts = parts
    this.#sources = sourcesOf(parts.addresses ?? [])
    this.general = { name: GENERAL_SOURCE, helo: parts.hostname }
  }

  /**
   * At least one, the best first. The order is the same for each attempt of an email, because greylisting servers
   * remember the address that they have seen.
   */
  of(mail: SourceFields): readonly Source[] {
    const pools = this.#parts.pools()
    if (this.#sources.length === 0 && pools.length === 0) return [this.general]
    if (pools !== this.#pools) this.forget()
    this.#pools = pools
    const wanted = mail.source ?? this.#parts.poolOf(mail)
    let sources = this.#known.get(wanted)
    if (sources === undefined) {
      sources = this.#find(wanted)
      this.#known.set(wanted, sources)
    }
    return sources.length === 1 ? sources : inOrderFor(mail.id, sources)
  }

  /** At least one: the sources that mail can leave from, whichever pools have them. */
  all(): Source[] {
    const here = this.#sources.flatMap((source) => this.#hereOf(source) ?? [])
    return here.length > 0 ? here : [this.general]
  }

  /** The names of the sources that mail can leave from, whichever pools have them. */
  present(): string[] {
    return this.#sources.flatMap((source) => this.#hereOf(source)?.name ?? [])
  }

  /** Must be called when a usable address has been added or removed. */
  forget(): void {
    this.#known.clear()
  }

  #find(wanted: string | null): readonly Source[] {
    const addresses = this.#chosenAddresses(wanted)
    if (addresses === null) return [this.general]
    const here = this.#among(new Set(addresses)).flatMap((source) => this.#hereOf(source) ?? [])
    if (here.length > 0) return here
    const missing = this.#parts.whyNone?.(addresses) ?? noneOnNode(wanted)
    return [{ name: `none:${wanted ?? ''}`, helo: this.#parts.hostname, missing }]
  }

  /** The part of the source that mail can leave from; null: none. */
  #hereOf(source: Source): Source | null {
    const { ipv4 = null, ipv6 = null } = source.addresses ?? {}
    const { isHere = () => true } = this.#parts
    const present = [ipv4, ipv6].filter((address) => address !== null && isHere(address))
    return restrictedTo(source, new Set(present as string[]))
  }

  /** Null: the system chooses. */
  #chosenAddresses(wanted: string | null): readonly string[] | null {
    const all = (this.#parts.addresses ?? []).map(({ address }) => address)
    // The sender may have chosen an address instead of a pool.
    const addresses = poolAddresses({ pools: this.#pools, all }, wanted) ?? [wanted!]
    // No pool is wanted, and no address is set.
    return addresses === all && all.length === 0 ? null : addresses
  }

  #among(addresses: ReadonlySet<string>): Source[] {
    return this.#sources.flatMap((source) => restrictedTo(source, addresses) ?? [])
  }
}

function noneOnNode(wanted: string | null): string {
  return wanted === null
    ? 'mail can leave from none of the addresses in POSTROAD_SOURCE_ADDRESSES on this node'
    : `mail can leave from no source address of ${wanted} on this node`
}

/**
 * Highest random weight: mail spreads evenly, and a source that comes or goes changes the first choice only of the mail
 * that it gets or had.
 */
function inOrderFor(id: string, sources: readonly Source[]): Source[] {
  return sources
    .map((source) => ({ source, weight: weightOf(id, source.name) }))
    .sort((a, b) => b.weight - a.weight)
    .map(({ source }) => source)
}

/** FNV-1a, finished by the mixing steps of MurmurHash3. */
function weightOf(id: string, name: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193)
  for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
