/** The requested records in an answer, and their lifetime. */
import type { Lookup } from './lookup.ts'
import type { CacheableLookup } from './lookup-cache.ts'
import type { DnsAnswer } from './message.ts'
import type { RecordData, RecordType } from './record.ts'

/** CNAME records that are followed, one after the other. */
const LONGEST_CHAIN = 16
/** Seconds: an answer is not kept longer, whatever its TTL, so that a moved mail server is noticed within the hour. */
const LONGEST_TTL = 3600
/** Seconds: RFC 2308 5 allows more, but a corrected zone should count soon. */
const LONGEST_ABSENCE = 300
/** Seconds for an absence without SOA, whose TTL is unknown. */
const UNKNOWN_ABSENCE = 30
/** Seconds: long enough to spare a struggling server the same question from every message of a burst. */
const FAILED_TTL = 5
const NXDOMAIN = 3

/**
 * Reads the records at `name`, or at the end of its chain of aliases. `use` returns null for a record that cannot be
 * used, so the result may have none.
 */
export function lookupOf<Type extends RecordType, T>(
  { rcode, isValidated, records, aliases, ...authorities }: DnsAnswer<Type>,
  name: string,
  use: (data: RecordData[Type]) => T | null,
): CacheableLookup<T> {
  if (rcode === NXDOMAIN) return absence('NXDOMAIN', authorities)
  const chain = endOfChain(aliases, name)
  if (chain === null) return failure('CNAMELOOP')
  const there = records.filter((record) => record.name === chain.end)
  if (there.length === 0) {
    // RFC 2308 2.2: name servers without a SOA record are a referral, which says nothing about the records.
    const isReferral = authorities.hasNameServers && authorities.soa === null
    return isReferral ? failure('REFERRAL') : absence('NODATA', authorities)
  }
  const used = there.map(({ data }) => use(data)).filter((record) => record !== null)
  const lookup: Lookup<T> = { kind: 'found', records: used }
  if (isValidated) lookup.secure = true
  if (chain.end !== name) lookup.alias = chain.end
  return { lookup, seconds: Math.min(chain.seconds, ...there.map(({ ttl }) => secondsOf(ttl))) }
}

/** The result of a look-up that no server answered. */
export function failure(reason: string): CacheableLookup<never> {
  return { lookup: { kind: 'failed', reason }, seconds: FAILED_TTL }
}

/** The result for a name that cannot exist. */
export function noSuchName(): CacheableLookup<never> {
  return absence('NXDOMAIN', { soa: null })
}

/** RFC 2308 5: for the TTL of the SOA record or its last field, whichever is shorter. */
function absence(reason: 'NXDOMAIN' | 'NODATA', { soa }: Pick<DnsAnswer, 'soa'>): CacheableLookup<never> {
  const seconds =
    soa === null ? UNKNOWN_ABSENCE : Math.min(LONGEST_ABSENCE, secondsOf(soa.ttl), secondsOf(soa.minimum))
  return { lookup: { kind: 'absent', reason }, seconds }
}

/**
 * The name to ask for next; null: the answer is complete. A resolver puts a whole chain of aliases into its answer (RFC
 * 1034 4.3.1), but some forwarders stop at the first alias.
 */
export function unfinishedAlias({ rcode, records, aliases, soa }: DnsAnswer, name: string): string | null {
  if (rcode !== 0 || soa !== null || records.length > 0) return null
  const end = endOfChain(aliases, name)?.end ?? name
  return end === name ? null : end
}

/** Null for a chain that is endless, or too long. */
function endOfChain(aliases: DnsAnswer['aliases'], name: string): { end: string; seconds: number } | null {
  let end = name
  let seconds = LONGEST_TTL
  for (let links = 0; links <= LONGEST_CHAIN; links++) {
    const link = aliases.find((alias) => alias.name === end)
    if (link === undefined) return { end, seconds }
    end = link.data
    seconds = Math.min(seconds, secondsOf(link.ttl))
  }
  return null
}

/** RFC 2181 8: a TTL with the highest bit set counts as zero. */
function secondsOf(ttl: number): number {
  return ttl > 0x7fffffff ? 0 : ttl
}
