/** Compares the records that a domain needs with those in DNS. */
import { isAtOrBelow } from '../mail/address/address-domain.ts'
import type { SendingDomain } from './account.ts'
import { checkDelegation } from './check-delegation.ts'
import { dmarcAbove } from './dmarc.ts'
import { type DnsRecord, dnsRecords, type ServiceNames } from './dns-records.ts'
import { judgeDmarcAbove, judgeRecord, noAnswerAdvice } from './judge-record.ts'
import type { SendingHost } from './own-spf.ts'
import type { RecordCheck, RecordResolver } from './record-check.ts'
import { readSpf, type SpfAnswer, type SpfVerdict, spfRecordsIn } from './spf.ts'
import { zonesOf } from './zones.ts'

export interface Verification {
  records: RecordCheck[]
  /** True when every required record is right. */
  verified: boolean
  /** True when DNS did not answer for a required record: ask again later before drawing a conclusion. */
  uncertain: boolean
}

/** Looks up all records at the same time. Rejects only when the resolver does. */
export async function verifyDomain(
  domain: SendingDomain,
  names: ServiceNames,
  resolver: RecordResolver,
): Promise<Verification> {
  const wanted = dnsRecords(domain, names)
  const checks = wanted.map((record) => checkRecord(domain, record, names, resolver))
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
  names: ServiceNames,
  resolver: RecordResolver,
): Promise<RecordCheck> {
  const delegated = record.target === null ? null : await checkDelegation(record, record.target, resolver)
  if (delegated !== null) return delegated
  const answer = await valuesOf(record.type, record.name, resolver)
  if (answer.kind === 'failed') return uncheckedRecord(record, answer.reason)
  const found = answer.kind === 'found' ? answer.records : []
  if (found.length > 0) {
    const verdict = await spfVerdict(record, names, found, resolver)
    const judgement = judgeRecord(record, names, found, verdict)
    if (record.kind !== 'dmarc' || judgement.state !== 'missing') return { ...record, found, ...judgement }
  }
  const above = record.kind === 'dmarc' ? await dmarcAbove(name, resolver) : null
  if (above === 'failed') return uncheckedRecord(record, 'a name above')
  if (above !== null) return { ...record, found: [above.text], ...judgeDmarcAbove(record, above) }
  const advice =
    (await elsewhere(name, record, names, resolver)) ?? `There is no ${record.type} record at ${record.name}.`
  return { ...record, found: [], state: 'missing', advice, explanation: null, suggestion: null }
}

/** The check of a record about which DNS says nothing. */
export function uncheckedRecord(record: DnsRecord, reason: string): RecordCheck {
  const advice = noAnswerAdvice(record.name, reason)
  return { ...record, found: [], state: 'unknown', advice, explanation: null, suggestion: null }
}

async function valuesOf(
  type: DnsRecord['type'],
  name: string,
  resolver: RecordResolver,
): Promise<SpfAnswer<string>> {
  if (type === 'TXT') return await resolver.txt(name)
  if (type === 'CNAME') return await resolver.cname(name)
  const answer = await resolver.mx(name)
  if (answer.kind !== 'found') return answer
  const hosts = answer.records.toSorted((a, b) => a.preference - b.preference)
  return { kind: 'found', records: hosts.map(({ preference, exchange }) => `${preference} ${exchange}`) }
}

/** Null: the record is not an SPF record, or DNS does not have exactly one. */
async function spfVerdict(
  { kind, name }: DnsRecord,
  { sendingHosts }: ServiceNames,
  found: readonly string[],
  resolver: RecordResolver,
): Promise<SpfVerdict | null> {
  const [record, ...others] = kind === 'spf' || kind === 'return_path_spf' ? spfRecordsIn(found) : []
  if (record === undefined || others.length > 0) return null
  const addresses = await Promise.all(sendingHosts.map((host) => addressesOfHost(host, resolver)))
  return await readSpf(name, record, [...new Set(addresses.flat())], resolver)
}

async function addressesOfHost(
  { name, addresses }: SendingHost,
  resolver: RecordResolver,
): Promise<readonly string[]> {
  if (addresses.length > 0) return addresses
  const answer = await resolver.addresses(name)
  return answer.kind === 'found' ? answer.records.map(({ address }) => address) : []
}

/**
 * Looks for the record at names that result from a common mistake. DNS providers append the zone to each name that is
 * entered, so a full name ends with the zone twice, and a name meant within the domain ends up directly below the zone.
 */
async function elsewhere(
  domain: string,
  record: DnsRecord,
  names: ServiceNames,
  resolver: RecordResolver,
): Promise<string | null> {
  // The zone of a return path outside the domain is not known.
  if (!isAtOrBelow(record.name, domain)) return null
  const short = record.name.slice(0, -domain.length)
  const places = zonesOf(domain).flatMap((zone) => [
    { zone, name: `${record.name}.${zone}` },
    // A name without a prefix is the right one.
    ...(zone === domain || short === '' ? [] : [{ zone, name: short + zone }]),
  ])
  const standing = await Promise.all(
    places.map(async ({ name }) => {
      const answer = await valuesOf(record.type, name, resolver)
      // None of the records there may name a host.
      if (answer.kind !== 'found' || answer.records.length === 0) return false
      return judgeRecord(record, names, answer.records).state === 'right'
    }),
  )
  const place = places.find((_, index) => standing[index])
  if (place === undefined) return null
  const { zone, name } = place
  const entered = record.name === zone ? '@' : record.name.slice(0, -zone.length - 1)
  return `The record is at ${name}: your DNS provider appends ${zone} to each name. Enter ${entered} as the name there.`
}
