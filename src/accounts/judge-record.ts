/** Judges a record found in DNS against the required one. */
import { DkimRecordError, parseDkimRecord } from '../mail/dkim/key.ts'
import type { RecordState } from './account.ts'
import type { DnsRecord } from './dns-records.ts'

export interface Judgement {
  state: RecordState
  /** The fault and the remedy; null when right. */
  advice: string | null
  /** The meaning of the published record for receivers; null when it is exactly the required one. */
  explanation: string | null
  /** The record to publish instead, when that is neither the found nor the required one. */
  suggestion: string | null
}

const RIGHT: Judgement = { state: 'right', advice: null, explanation: null, suggestion: null }

/** @param found the TXT values under its name, at least one */
export function judgeRecord(record: DnsRecord, hostname: string, found: readonly string[]): Judgement {
  if (record.kind === 'dkim') return judgeDkim(record, found)
  if (record.kind === 'spf') return judgeSpf(hostname, found)
  return judgeDmarc(record, found)
}

function judgeDkim(record: DnsRecord, found: readonly string[]): Judgement {
  // RFC 6376 3.6.2.2: with more than one TXT record under the name, verifiers' behaviour is undefined.
  if (found.length > 1) {
    return different(`There are ${found.length} TXT records at ${record.name}; keep only the one shown.`)
  }
  try {
    const published = parseDkimRecord(found[0]!)
    const wanted = parseDkimRecord(record.value)
    if (published.publicKey === '')
      return different('The published record revokes the key (its p= is empty).')
    if (published.keyType !== wanted.keyType) {
      return different(
        `The published record holds a key of type ${published.keyType}, not ${wanted.keyType}.`,
      )
    }
    if (published.hashes.length > 0 && !published.hashes.includes('sha256')) {
      return different('The published record does not allow sha256 (tag h=).')
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
      `The published record was cut off: it holds only the first ${published.length} of ${wanted.length} characters of the key. ` +
      'Publish it as several strings of at most 255 characters, as the zone file lines show.'
    )
  }
  return 'The published record holds a different key.'
}

/**
 * Only a direct mention of the host is searched for: an SPF record may allow the host in other ways, which its owner
 * knows best.
 */
function judgeSpf(hostname: string, found: readonly string[]): Judgement {
  const records = found.filter((text) => /^v=spf1(\s|$)/i.test(text))
  if (records.length === 0) return missing('There is no SPF record (v=spf1) among the TXT records.')
  if (records.length > 1) {
    return different(
      `There are ${records.length} SPF records, so receivers ignore all of them (RFC 7208 4.5). Merge them into one.`,
      withHost(records.flatMap(spfTerms), hostname),
    )
  }
  const terms = spfTerms(records[0]!)
  if (namesHost(terms, hostname)) return { ...RIGHT, explanation: restOfSpf(terms) }
  return different(
    `The SPF record does not name a:${hostname}; add it, unless another term already allows this service.`,
    withHost(terms, hostname),
  )
}

/** The terms after `v=spf1`. */
function spfTerms(record: string): string[] {
  return record.trim().split(/\s+/).slice(1)
}

function namesHost(terms: readonly string[], hostname: string): boolean {
  return terms.some((term) => term.toLowerCase().replace(/^\+/, '') === `a:${hostname}`)
}

/** RFC 7208 5.1: terms after `all` are ignored, and 6.1: `redirect` counts only when nothing else matched. */
const LAST = /^(?:[+?~-]?all$|redirect=)/i

/**
 * One record with these terms: each once, with the host among them, and with the last `all` or `redirect` at the end.
 */
function withHost(terms: readonly string[], hostname: string): string {
  const allowing = terms.filter((term) => !LAST.test(term))
  const last = terms.findLast((term) => LAST.test(term)) ?? '~all'
  const own = namesHost(allowing, hostname) ? [] : [`a:${hostname}`]
  return ['v=spf1', ...new Set([...own, ...allowing]), last].join(' ')
}

function restOfSpf(terms: readonly string[]): string | null {
  const all = terms.find((term) => /^[+?~-]?all$/i.test(term))?.toLowerCase()
  if (all === 'all' || all === '+all') {
    return `It ends with ${all}, which lets anyone send for this domain. Use ~all or -all.`
  }
  if (all === '-all') return 'It ends with -all: receivers should refuse mail from other hosts.'
  if (all === '~all') return 'It ends with ~all: receivers should treat mail from other hosts as suspicious.'
  return null
}

const POLICIES: Readonly<Record<string, string>> = {
  none: 'p=none: mail that fails the checks is treated as before. Once all mail is signed, p=quarantine protects the domain.',
  quarantine: 'p=quarantine: mail that fails the checks goes to the spam folder.',
  reject: 'p=reject: mail that fails the checks is refused.',
}

function judgeDmarc(record: DnsRecord, found: readonly string[]): Judgement {
  const records = found.filter((text) => /^v=DMARC1\s*(;|$)/.test(text))
  if (records.length === 0) return missing(`There is no DMARC record (v=DMARC1) at ${record.name}.`)
  if (records.length > 1) {
    return different(
      `There are ${records.length} DMARC records, so receivers ignore all of them (RFC 7489 6.6.3). Keep one.`,
    )
  }
  const policy = /;\s*p\s*=\s*([a-z]+)/i.exec(records[0]!)?.[1]?.toLowerCase()
  const explanation = policy === undefined ? undefined : POLICIES[policy]
  if (explanation !== undefined) return { ...RIGHT, explanation }
  // RFC 7489 6.3: the tag is required.
  return different('The DMARC record has no policy: add p=none, p=quarantine or p=reject.')
}

function different(advice: string, suggestion: string | null = null): Judgement {
  return { state: 'different', advice, explanation: null, suggestion }
}

function missing(advice: string): Judgement {
  return { state: 'missing', advice, explanation: null, suggestion: null }
}
