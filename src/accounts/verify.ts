/** Compares the records that a domain needs with those in DNS. */
import type { SendingDomain } from './account.ts'
import { type DnsRecord, dnsRecords } from './dns-records.ts'
import { type Judgement, judgeRecord } from './judge-record.ts'

/** The result of asking DNS for TXT records; `failed`: DNS did not answer, which says nothing about the record. */
export type TxtAnswer =
  | { kind: 'found'; records: string[] }
  | { kind: 'absent'; reason: string }
  | { kind: 'failed'; reason: string }

export interface TxtResolver {
  txt(name: string): Promise<TxtAnswer>
}

export interface RecordCheck extends DnsRecord, Judgement {
  /** All TXT values found under the name. */
  found: string[]
}

export interface Verification {
  records: RecordCheck[]
  /** True when every required record is right. */
  verified: boolean
  /** True when DNS did not answer for a required record: ask again later before drawing a conclusion. */
  uncertain: boolean
}

/** Asks for every record at once. Rejects only when the resolver does. */
export async function verifyDomain(
  domain: SendingDomain,
  hostname: string,
  resolver: TxtResolver,
): Promise<Verification> {
  const wanted = dnsRecords(domain, hostname)
  const checks = wanted.map((record) => checkRecord(domain, record, hostname, resolver))
  const records = await Promise.all(checks)
  const required = records.filter((record) => record.required)
  return {
    records,
    verified: required.length > 0 && required.every((record) => record.state === 'right'),
    uncertain: required.some((record) => record.state === 'unknown'),
  }
}

/** Checks one of the records of a domain. */
export async function checkRecord(
  { name }: Pick<SendingDomain, 'name'>,
  record: DnsRecord,
  hostname: string,
  resolver: TxtResolver,
): Promise<RecordCheck> {
  const answer = await resolver.txt(record.name)
  const nothing = { ...record, found: [], explanation: null, suggestion: null }
  if (answer.kind === 'failed') {
    const advice = `DNS did not answer for ${record.name} (${answer.reason}), so the record could not be checked. Try again.`
    return { ...nothing, state: 'unknown', advice }
  }
  const found = answer.kind === 'found' ? answer.records : []
  if (found.length > 0) return { ...record, found, ...judgeRecord(record, hostname, found) }
  const advice =
    (await elsewhere(name, record, hostname, resolver)) ?? `There is no TXT record at ${record.name}.`
  return { ...nothing, state: 'missing', advice }
}

/** How many levels above the domain its zone may begin. */
const MOST_PARENTS = 3

/**
 * Providers append the zone to each name: a full name then holds it twice, and a name meant within the domain ends up
 * directly below the zone.
 */
async function elsewhere(
  domain: string,
  record: DnsRecord,
  hostname: string,
  resolver: TxtResolver,
): Promise<string | null> {
  const short = record.name.slice(0, -domain.length)
  const places = zonesOf(domain).flatMap((zone) => [
    { zone, name: `${record.name}.${zone}` },
    // A record without a prefix stands where it belongs.
    ...(zone === domain || short === '' ? [] : [{ zone, name: short + zone }]),
  ])
  const standing = await Promise.all(
    places.map(async ({ name }) => {
      const answer = await resolver.txt(name)
      return answer.kind === 'found' && judgeRecord(record, hostname, answer.records).state === 'right'
    }),
  )
  const place = places.find((_, index) => standing[index])
  if (place === undefined) return null
  const { zone, name } = place
  const entered = record.name === zone ? '@' : record.name.slice(0, -zone.length - 1)
  return `The record is at ${name}: your DNS provider appends ${zone} to each name. Enter ${entered} as the name there.`
}

/** The domain, and the parents that may be its zone: never a top-level domain. */
function zonesOf(domain: string): string[] {
  const labels = domain.split('.')
  const most = Math.min(labels.length - 1, MOST_PARENTS)
  return Array.from({ length: Math.max(most, 1) }, (_, above) => labels.slice(above).join('.'))
}
