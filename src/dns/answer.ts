/** The requested records in an answer, and their lifetime. */
import { isIP } from 'node:net'
import type { Answer as DnsRecord, MxData, TlsaData, TxtData } from 'dns-packet'
import type { Lookup } from './lookup.ts'
import type { Fresh } from './lookup-cache.ts'
import type { DnsAnswer, RecordType } from './message.ts'
import { nameOf } from './name.ts'

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

/** The data of each type, as `dns-packet` decodes it. */
export interface RecordData {
  A: string
  AAAA: string
  CNAME: string
  MX: MxData
  NS: string
  PTR: string
  TLSA: TlsaData
  TXT: TxtData
}

interface RecordOf<Type extends RecordType> {
  name: string
  ttl?: number
  data: RecordData[Type]
}

/**
 * Reads the records of `type` at `name`, or at the end of its chain of aliases. `parse` returns null for data that is
 * not valid.
 */
export function lookupOf<Type extends RecordType, T>(
  { rcode, isValidated, answers, authorities }: DnsAnswer,
  name: string,
  type: Type,
  parse: (data: RecordData[Type]) => T | null,
): Fresh<T> {
  if (rcode === NXDOMAIN) return absence('NXDOMAIN', authorities)
  const chain = type === 'CNAME' ? { end: name, seconds: LONGEST_TTL } : endOfChain(answers, name)
  if (chain === null) return failure('CNAMELOOP')
  let { seconds } = chain
  const records: T[] = []
  for (const record of answers) {
    const its = asType(record, type)
    if (its === null || nameOf(its.name) !== chain.end) continue
    const parsed = parse(its.data)
    if (parsed === null) return failure('BADRESP')
    records.push(parsed)
    seconds = Math.min(seconds, ttlOf(its.ttl))
  }
  if (records.length === 0) {
    // RFC 2308 2.2: name servers without a SOA record are a referral, which says nothing about the records.
    return isReferral(authorities) ? failure('REFERRAL') : absence('NODATA', authorities)
  }
  const lookup: Lookup<T> = { kind: 'found', records }
  if (isValidated) lookup.secure = true
  if (chain.end !== name) lookup.alias = chain.end
  return { lookup, seconds }
}

/** The result of a look-up that no server answered. */
export function failure(reason: string): Fresh<never> {
  return { lookup: { kind: 'failed', reason }, seconds: FAILED_TTL }
}

/** The result for a name that cannot exist. */
export function noSuchName(): Fresh<never> {
  return absence('NXDOMAIN', [])
}

/** RFC 2308 5: for the TTL of the SOA record or its last field, whichever is shorter. */
function absence(reason: 'NXDOMAIN' | 'NODATA', authorities: DnsRecord[]): Fresh<never> {
  const soa = authorities.find((record) => record.type === 'SOA')
  const seconds =
    soa?.type === 'SOA' ? Math.min(LONGEST_ABSENCE, ttlOf(soa.ttl), ttlOf(soa.data.minimum)) : UNKNOWN_ABSENCE
  return { lookup: { kind: 'absent', reason }, seconds }
}

function isReferral(authorities: DnsRecord[]): boolean {
  return authorities.some(({ type }) => type === 'NS') && !authorities.some(({ type }) => type === 'SOA')
}

/**
 * The name to ask for next; null: the answer is complete. A resolver puts a whole chain of aliases into its answer (RFC
 * 1034 4.3.1), but some forwarders stop at the first alias.
 */
export function unfinishedAlias(
  { rcode, answers, authorities }: DnsAnswer,
  name: string,
  type: RecordType,
): string | null {
  if (rcode !== 0 || type === 'CNAME' || authorities.some((record) => record.type === 'SOA')) return null
  const end = endOfChain(answers, name)?.end ?? name
  const isComplete = answers.some((record) => asType(record, type) !== null)
  return end === name || isComplete ? null : end
}

/** Null for a chain that is endless, or too long. */
function endOfChain(answers: DnsRecord[], name: string): { end: string; seconds: number } | null {
  const aliases = answers.map((record) => asType(record, 'CNAME')).filter((record) => record !== null)
  let end = name
  let seconds = LONGEST_TTL
  for (let links = 0; links <= LONGEST_CHAIN; links++) {
    const link = aliases.find((record) => nameOf(record.name) === end)
    if (link === undefined) return { end, seconds }
    end = nameOf(link.data)
    seconds = Math.min(seconds, ttlOf(link.ttl))
  }
  return null
}

function asType<Type extends RecordType>(record: DnsRecord, type: Type): RecordOf<Type> | null {
  const isIt = record.type === type && 'class' in record && record.class === 'IN'
  return isIt ? (record as unknown as RecordOf<Type>) : null
}

/** RFC 2181 8: a TTL with the highest bit set counts as zero. */
function ttlOf(ttl = 0): number {
  return ttl > 0x7fffffff ? 0 : ttl
}

export function addressOf(family: 4 | 6): (data: string) => { address: string; family: 4 | 6 } | null {
  return (address) => (isIP(address) === family ? { address, family } : null)
}
