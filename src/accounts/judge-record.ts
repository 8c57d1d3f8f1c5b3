/** Judges a record found in DNS against the required one. */
import { DkimRecordError, parseDkimRecord } from '../mail/dkim/key.ts'
import { recordsOfVersion } from '../mail/dns-tags.ts'
import { TLS_REPORTS_PATH } from '../mail/domain-report/report-address.ts'
import { reportUris } from '../mail/domain-report/tls-report-record.ts'
import type { RecordState } from './account.ts'
import { type DmarcPolicy, type DmarcRecord, type DmarcText, dmarcRecordsIn, parseDmarc } from './dmarc.ts'
import type { DnsRecord, ServiceNames } from './dns-records.ts'
import { hostNames, isLastTerm, lackingTerms, withOwnTerms } from './own-spf.ts'
import { MAX_SPF_LOOKUPS, type SpfVerdict, spfRecordsIn, spfTerms } from './spf.ts'

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

/**
 * @param found the values under its name, at least one
 * @param verdict for an SPF record: what it says about this service
 */
export function judgeRecord(
  record: DnsRecord,
  names: ServiceNames,
  found: readonly string[],
  verdict: SpfVerdict | null = null,
): Judgement {
  if (record.type === 'CNAME') return judgeCname(record, found)
  switch (record.kind) {
    case 'dkim':
      return judgeDkim(record, found)
    case 'spf':
    case 'return_path_spf':
      return judgeSpf(record, names, found, verdict)
    case 'return_path_mx':
      return judgeMx(record, found)
    case 'return_path_owner':
      return judgeOwner(record, found)
    case 'dmarc':
      return judgeDmarc(record, found)
    case 'dmarc_report':
      return judgeReportPermission(record, found)
    case 'tls_report':
      return judgeTlsReports(record, found)
  }
}

/** A mail server tries the hosts in order of preference, and bounces that arrive at another one are lost here. */
function judgeMx(record: DnsRecord, found: readonly string[]): Judgement {
  const others = found.filter((value) => value.slice(value.indexOf(' ') + 1) !== record.value)
  if (others.length === 0) return RIGHT
  const advice =
    others.length === found.length
      ? `The MX record of ${record.name} names another host.`
      : `${record.name} has other MX records as well, and bounces that arrive there are lost. Keep only the one shown.`
  return different(advice)
}

/** Other records under the name may name other domains. */
function judgeOwner({ name, value }: DnsRecord, found: readonly string[]): Judgement {
  const isThere = found.some((text) => text.trim().toLowerCase() === value)
  return isThere ? RIGHT : missing(`No TXT record at ${name} is ${value}.`)
}

/** Judges only the target of the record. checkDelegation judges the record at the target. */
function judgeCname({ name, value }: DnsRecord, found: readonly string[]): Judgement {
  return found.includes(value) ? RIGHT : different(`The CNAME record at ${name} does not lead to ${value}.`)
}

/** @param record the TXT record that is wanted */
export function judgeDkim(record: Pick<DnsRecord, 'name' | 'value'>, found: readonly string[]): Judgement {
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
 * @param verdict what the record says about the addresses of this service; null: they are not known
 */
function judgeSpf(
  record: DnsRecord,
  { sendingHosts, relayed }: ServiceNames,
  found: readonly string[],
  verdict: SpfVerdict | null,
): Judgement {
  const records = spfRecordsIn(found)
  if (records.length === 0) return missing('There is no SPF record (v=spf1) among the TXT records.')
  if (records.length > 1) {
    return different(
      `There are ${records.length} SPF records, so receivers ignore all of them (RFC 7208 4.5). Merge them into one.`,
      withOwnTerms(records.map(spfTerms), sendingHosts),
    )
  }
  const terms = spfTerms(records[0]!)
  const lacking = lackingTerms(terms, sendingHosts)
  if (verdict?.fault) {
    // No record is suggested, because it would repeat the fault.
    return different(lacking.length === 0 ? verdict.fault : `${verdict.fault} Also add ${lacking.join(' ')}.`)
  }
  const suggestion = withOwnTerms([terms], sendingHosts)
  if (lacking.length === 0) return { ...RIGHT, explanation: explanationOf(verdict, restOfSpf(terms)) }
  if (verdict !== null && isAllowed(verdict)) {
    const by = [...new Set(verdict.allowedBy.values())].join(' and ')
    const explanation = explanationOf(verdict, `${by} allows ${hostNames(sendingHosts)}.`, restOfSpf(terms))
    return { ...RIGHT, explanation }
  }
  if (verdict?.silent) {
    const advice = `DNS did not answer for ${verdict.silent}, which the SPF record refers to. Try again.`
    return { ...RIGHT, state: 'unknown', advice }
  }
  if (relayed && terms.some((term) => !isLastTerm(term))) {
    const explanation = 'Mail leaves through a relay; only its operator knows which term allows it.'
    return { ...RIGHT, explanation: explanationOf(verdict, explanation) }
  }
  const denied = [...(verdict?.allowedBy ?? [])]
    .filter(([, term]) => term === null)
    .map(([address]) => address)
  const missingTerms = lacking.join(' ')
  if (denied.length === 0) {
    return different(
      `The SPF record of ${record.name} does not name ${missingTerms}; add it, unless another term already allows this service.`,
      suggestion,
    )
  }
  return different(
    `The SPF record of ${record.name} does not allow ${denied.join(' and ')}, from which mail of this domain leaves. Add ${missingTerms}.`,
    suggestion,
  )
}

function isAllowed({ allowedBy }: SpfVerdict): boolean {
  return allowedBy.size > 0 && [...allowedBy.values()].every((term) => term !== null)
}

/** The sentences, and the number of look-ups when the record comes near the limit. */
function explanationOf(verdict: SpfVerdict | null, ...sentences: (string | null)[]): string | null {
  const near = verdict !== null && verdict.lookups > MAX_SPF_LOOKUPS - 3
  const lookups = near ? `It needs ${verdict.lookups} of ${MAX_SPF_LOOKUPS} DNS look-ups.` : null
  const known = [...sentences, lookups].filter((sentence) => sentence !== null)
  return known.length === 0 ? null : known.join(' ')
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

const POLICIES: Readonly<Record<DmarcPolicy, string>> = {
  none: 'p=none: mail that fails the checks is treated as before. Once all mail is signed, p=quarantine protects the domain.',
  quarantine: 'p=quarantine: mail that fails the checks goes to the spam folder.',
  reject: 'p=reject: mail that fails the checks is refused.',
}

function judgeDmarc(record: DnsRecord, found: readonly string[]): Judgement {
  const records = dmarcRecordsIn(found)
  if (records.length === 0) return missing(`There is no DMARC record (v=DMARC1) at ${record.name}.`)
  if (records.length > 1) {
    return different(
      `There are ${records.length} DMARC records, so receivers ignore all of them (RFC 7489 6.6.3). Keep one.`,
    )
  }
  const explanation = meaningOf(parseDmarc(records[0]!))
  if (explanation !== null) return { ...RIGHT, explanation, ...reportsElsewhere(record, records[0]!) }
  // RFC 7489 6.3: the tag is required.
  return different('The DMARC record has no policy: add p=none, p=quarantine or p=reject.')
}

/** A domain without a record of its own has that of its organizational domain. */
export function judgeDmarcAbove(record: Pick<DnsRecord, 'value'>, { domain, text }: DmarcText): Judgement {
  const meaning = meaningOf(parseDmarc(text, { isAbove: true }))
  if (meaning === null)
    return different(`The DMARC record of ${domain}, which holds for this domain, has no policy.`)
  const uri = lackingUri(record, text)
  const advice =
    uri && `Reports about this domain do not come here: add ${uri} to rua= of the record at _dmarc.${domain}.`
  return {
    ...RIGHT,
    explanation: `The record of ${domain} holds for this domain as well. ${meaning}`,
    advice,
  }
}

/** RFC 7489 7.1: any record of the version allows it. */
function judgeReportPermission({ name }: DnsRecord, found: readonly string[]): Judgement {
  return dmarcRecordsIn(found).length > 0 ? RIGHT : missing(`There is no DMARC record (v=DMARC1) at ${name}.`)
}

function judgeTlsReports(record: DnsRecord, found: readonly string[]): Judgement {
  const records = recordsOfVersion('TLSRPTv1', found)
  if (records.length === 0)
    return missing(`There is no record for TLS reports (v=TLSRPTv1) at ${record.name}.`)
  if (records.length > 1) {
    return different(
      `There are ${records.length} records for TLS reports, so servers send none (RFC 8460 3). Keep one.`,
    )
  }
  const uris = reportUris(records)
  if (uris.length === 0)
    return different('The record for TLS reports names no address (rua=mailto: or rua=https:).')
  // The URL of this service, which the console shows, names the domain in a token.
  if (uris.some((uri) => URL.parse(uri)?.pathname.startsWith(TLS_REPORTS_PATH))) return RIGHT
  return { ...RIGHT, ...reportsElsewhere(record, records[0]!) }
}

/** Advice about a record whose reports go to other addresses only. It is right all the same. */
function reportsElsewhere(
  record: Pick<DnsRecord, 'value'>,
  text: string,
): Pick<Judgement, 'advice' | 'suggestion'> {
  const uri = lackingUri(record, text)
  if (uri === null) return { advice: null, suggestion: null }
  return {
    advice: `The reports that this record asks for do not come here: add ${uri} to its rua=.`,
    suggestion: withReportsTo(uri, text),
  }
}

const RUA = /(?<=(?:^|;)[ \t]{0,20}rua[ \t]{0,20}=[ \t]{0,20})[^;\s][^;]*/i

/** The URI for reports in the wanted record, if the found one does not name it; null: it does, or none is wanted. */
function lackingUri({ value }: Pick<DnsRecord, 'value'>, text: string): string | null {
  const uri = RUA.exec(value)?.[0] ?? null
  // RFC 7489 6.2: a limit of size may follow.
  const named = (RUA.exec(text)?.[0] ?? '')
    .split(',')
    .map((each) => each.trim().replace(/![0-9]{1,9}[kmgt]?$/i, ''))
  return named.some((each) => each.toLowerCase() === uri?.toLowerCase()) ? null : uri
}

function withReportsTo(uri: string, text: string): string {
  if (RUA.test(text)) return text.replace(RUA, (uris) => `${uris.trimEnd()},${uri}`)
  return `${text.replace(/[;\s]{1,20}$/, '')}; rua=${uri}`
}

/** Null: the record has no policy. DKIM is aligned in either mode, because mail is signed for the domain in From. */
function meaningOf({ policy, strictSpf, isTest }: DmarcRecord): string | null {
  if (policy === null) return null
  const sentences = [POLICIES[policy]]
  if (isTest) sentences.push('t=y: receivers apply the next milder policy.')
  if (strictSpf) sentences.push('aspf=s: only DKIM is aligned, because the return path is another host.')
  return sentences.join(' ')
}

/** The advice when a record could not be judged. */
export function noAnswerAdvice(name: string, reason: string): string {
  return `DNS did not answer for ${name} (${reason}), so the record could not be checked. Try again.`
}

function different(advice: string, suggestion: string | null = null): Judgement {
  return { state: 'different', advice, explanation: null, suggestion }
}

function missing(advice: string): Judgement {
  return { state: 'missing', advice, explanation: null, suggestion: null }
}
