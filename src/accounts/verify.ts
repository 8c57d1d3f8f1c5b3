/** Compares what a domain's owner was asked to publish with what DNS says. */
import { DkimRecordError, parseDkimRecord } from '../mail/dkim/key.ts'
import type { RecordState, SendingDomain } from './account.ts'
import { type DnsRecord, dnsRecords } from './dns-records.ts'

/** What asking DNS for TXT records came to; `failed` is DNS not answering, which says nothing about the record. */
export type TxtAnswer =
  | { kind: 'found'; records: string[] }
  | { kind: 'absent'; reason: string }
  | { kind: 'failed'; reason: string }

export interface TxtResolver {
  txt(name: string): Promise<TxtAnswer>
}

export interface RecordCheck extends DnsRecord {
  state: RecordState
  /** The TXT values found under the name, the other ones too. */
  found: string[]
  /** What is wrong and what to do; null when right. */
  advice: string | null
}

export interface Verification {
  records: RecordCheck[]
  /** True when every required record is right. */
  verified: boolean
  /** True when a required record could not be asked for: ask again later before drawing a conclusion. */
  uncertain: boolean
}

/** Asks for every record at once. Rejects only when the resolver does. */
export async function verifyDomain(
  domain: SendingDomain,
  hostname: string,
  resolver: TxtResolver,
): Promise<Verification> {
  const records = await Promise.all(
    dnsRecords(domain, hostname).map(async (record) =>
      compare(record, hostname, await resolver.txt(record.name)),
    ),
  )
  const required = records.filter((record) => record.required)
  return {
    records,
    verified: required.length > 0 && required.every((record) => record.state === 'right'),
    uncertain: required.some((record) => record.state === 'unknown'),
  }
}

function compare(record: DnsRecord, hostname: string, answer: TxtAnswer): RecordCheck {
  if (answer.kind === 'failed') {
    const advice = `DNS gave no answer for ${record.name} (${answer.reason}); this says nothing about the record. Try again.`
    return { ...record, state: 'unknown', found: [], advice }
  }
  const found = answer.kind === 'found' ? answer.records : []
  if (found.length === 0) {
    return { ...record, state: 'missing', found, advice: `There is no TXT record at ${record.name}.` }
  }
  const result = judge(record, hostname, found)
  return { ...record, found, ...result }
}

type Judgement = Pick<RecordCheck, 'state' | 'advice'>
const RIGHT: Judgement = { state: 'right', advice: null }

function judge(record: DnsRecord, hostname: string, found: string[]): Judgement {
  if (record.kind === 'dkim') return judgeDkim(record, found)
  if (record.kind === 'spf') return judgeSpf(hostname, found)
  return judgeDmarc(record, found)
}

function judgeDkim(record: DnsRecord, found: string[]): Judgement {
  // RFC 6376 3.6.2.2: with more than one TXT record under the name, what a verifier does is undefined.
  if (found.length > 1) {
    return different(`There are ${found.length} TXT records at ${record.name}; leave only the one shown.`)
  }
  try {
    const published = parseDkimRecord(found[0]!)
    const wanted = parseDkimRecord(record.value)
    if (published.publicKey === '') return different('The record found revokes the key (its p= is empty).')
    if (published.keyType !== wanted.keyType) {
      return different(`The record found is for a ${published.keyType} key, not for ${wanted.keyType}.`)
    }
    if (published.hashes.length > 0 && !published.hashes.includes('sha256')) {
      return different('The record found does not allow sha256 (tag h=).')
    }
    if (published.publicKey !== wanted.publicKey)
      return different(differentKey(published.publicKey, wanted.publicKey))
    return RIGHT
  } catch (error) {
    if (error instanceof DkimRecordError) return different(error.message)
    throw error
  }
}

function differentKey(published: string, wanted: string): string {
  if (wanted.startsWith(published)) {
    return (
      `The record found holds only the first ${published.length} of ${wanted.length} characters of the key: it was cut off. ` +
      'Publish it as several strings of at most 255 characters (the zone-file form shows them).'
    )
  }
  return 'The record found holds another key.'
}

/**
 * Only the direct mention is looked for: an SPF record may allow the host by other ways, which its owner knows best.
 */
function judgeSpf(hostname: string, found: string[]): Judgement {
  const records = found.filter((text) => /^v=spf1(\s|$)/i.test(text))
  if (records.length === 0)
    return { state: 'missing', advice: 'There is no SPF record (v=spf1) among the TXT records.' }
  if (records.length > 1) {
    return different(
      `There are ${records.length} SPF records; receivers then ignore all (RFC 7208 4.5). Make them one.`,
    )
  }
  const terms = records[0]!.toLowerCase().split(/\s+/)
  if (terms.some((term) => term.replace(/^\+/, '') === `a:${hostname}`)) return RIGHT
  return different(
    `The SPF record does not name a:${hostname}; add it, unless another term already allows this service.`,
  )
}

function judgeDmarc(record: DnsRecord, found: string[]): Judgement {
  const records = found.filter((text) => /^v=DMARC1\s*(;|$)/.test(text))
  if (records.length === 1) return RIGHT
  if (records.length === 0)
    return { state: 'missing', advice: `There is no DMARC record (v=DMARC1) at ${record.name}.` }
  return different(
    `There are ${records.length} DMARC records; receivers then ignore all (RFC 7489 6.6.3). Leave one.`,
  )
}

function different(advice: string): Judgement {
  return { state: 'different', advice }
}
