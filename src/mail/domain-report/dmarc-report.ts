/** DMARC aggregate reports (RFC 7489 appendix C, RFC 9990), whatever their namespace. */
import { isIP } from 'node:net'
import { toAsciiDomain } from '../address/idn.ts'
import { DomainReportError } from './report-error.ts'
import { readXml } from './xml-reader.ts'

export type Disposition = 'none' | 'quarantine' | 'reject'

export interface DmarcReport {
  /** The organization that reports. */
  reporter: string
  /** Unique for each reporter. */
  reportId: string
  /** Unix ms. */
  begin: number
  end: number
  /** The domain whose policy was applied. All domains are in lower case, and A-labels where they are valid. */
  domain: string
  policy: Disposition | null
  records: DmarcReportRecord[]
}

/** Messages from one source with the same results. */
export interface DmarcReportRecord {
  /** The address of the sending server. */
  source: string
  messages: number
  disposition: Disposition
  /** A valid signature is aligned with the author domain. */
  dkim: boolean
  /** SPF passed for a domain that is aligned with the author domain. */
  spf: boolean
  /** The author domain. */
  headerFrom: string
  /** The first domain whose signature was checked, and the first domain that SPF was checked for; null: none. */
  dkimDomain: string | null
  spfDomain: string | null
}

/** The most records of one report. */
const MAX_RECORDS = 10_000
const MAX_MESSAGES = 1_000_000_000
const LONGEST_NAME = 255

/** The elements that are read, by their paths within the report. */
const FACTS: ReadonlySet<string> = new Set([
  'report_metadata/org_name',
  'report_metadata/report_id',
  'report_metadata/date_range/begin',
  'report_metadata/date_range/end',
  'policy_published/domain',
  'policy_published/p',
])
/** The same within a record. */
const RECORD_FACTS: ReadonlySet<string> = new Set([
  'row/source_ip',
  'row/count',
  'row/policy_evaluated/disposition',
  'row/policy_evaluated/dkim',
  'row/policy_evaluated/spf',
  'identifiers/header_from',
  'auth_results/dkim/domain',
  'auth_results/spf/domain',
])
/** The depth of the deepest of them, the root included. */
const DEEPEST_FACT = 5

/** Throws a DomainReportError. */
export function readDmarcReport(xml: string): DmarcReport {
  const reader = new DmarcReader()
  readXml(xml, reader)
  return reader.report()
}

class DmarcReader {
  readonly #path: string[] = []
  readonly #records: DmarcReportRecord[] = []
  readonly #facts = new Map<string, string>()
  #record = new Map<string, string>()

  open(name: string): void {
    this.#path.push(name)
    if (this.#path.length === 2 && name === 'record') this.#record = new Map()
  }

  close(_: string, text: string): void {
    const path = this.#path
    const [root, section] = path
    if (root === 'feedback' && section === 'record') {
      if (path.length === 2) this.#end()
      else this.#keep(this.#record, RECORD_FACTS, 2, text)
    } else if (root === 'feedback') this.#keep(this.#facts, FACTS, 1, text)
    path.pop()
  }

  /** Keeps the text of the current element if its path is in `read`, and only the first text of a path. */
  #keep(facts: Map<string, string>, read: ReadonlySet<string>, from: number, text: string): void {
    // The length is compared first: joining long names for each of a million elements would take too long.
    if (text === '' || this.#path.length > DEEPEST_FACT) return
    const path = this.#path.slice(from).join('/')
    if (read.has(path) && !facts.has(path)) facts.set(path, text)
  }

  #end(): void {
    const record = recordOf(this.#record)
    if (record === null) return
    if (this.#records.length >= MAX_RECORDS) {
      throw new DomainReportError(`The report has more than ${MAX_RECORDS} records.`)
    }
    this.#records.push(record)
  }

  report(): DmarcReport {
    const fact = (path: string) => this.#facts.get(path) ?? ''
    const domain = domainOf(fact('policy_published/domain'))
    const reporter = nameOf(fact('report_metadata/org_name'))
    const reportId = nameOf(fact('report_metadata/report_id'))
    const begin = secondsOf(fact('report_metadata/date_range/begin'))
    const end = secondsOf(fact('report_metadata/date_range/end'))
    if (domain === null || reporter === null || reportId === null || begin === null || end === null) {
      throw new DomainReportError('The XML is no DMARC aggregate report.')
    }
    if (end < begin) throw new DomainReportError('The report ends before it begins.')
    const policy = dispositionOf(fact('policy_published/p'))
    return { reporter, reportId, begin, end, domain, policy, records: this.#records }
  }
}

/** Null for a record without a source, a count or an author domain. */
function recordOf(facts: ReadonlyMap<string, string>): DmarcReportRecord | null {
  const fact = (path: string) => facts.get(path) ?? ''
  // The zone of an address may be of any length, and says nothing to others (RFC 4007 11.2).
  const source = fact('row/source_ip').split('%', 1)[0]!
  const messages = Number(fact('row/count'))
  const headerFrom = domainOf(fact('identifiers/header_from'))
  if (isIP(source) === 0 || !Number.isInteger(messages) || messages < 1 || headerFrom === null) return null
  return {
    source,
    messages: Math.min(messages, MAX_MESSAGES),
    disposition: dispositionOf(fact('row/policy_evaluated/disposition')) ?? 'none',
    dkim: fact('row/policy_evaluated/dkim').toLowerCase() === 'pass',
    spf: fact('row/policy_evaluated/spf').toLowerCase() === 'pass',
    headerFrom,
    dkimDomain: domainOf(fact('auth_results/dkim/domain')),
    spfDomain: domainOf(fact('auth_results/spf/domain')),
  }
}

/** RFC 9990: `pass` says that the policy did not apply, as `none` does. */
function dispositionOf(text: string): Disposition | null {
  const word = text.toLowerCase()
  if (word === 'pass') return 'none'
  return word === 'none' || word === 'quarantine' || word === 'reject' ? word : null
}

function domainOf(text: string): string | null {
  const name = text.toLowerCase().replace(/\.$/, '')
  if (name.length > LONGEST_NAME || !/^[\p{L}\p{M}\p{N}._-]+$/u.test(name)) return null
  return toAsciiDomain(name).ascii ?? name
}

function nameOf(text: string): string | null {
  const name = text.replace(/[\p{Cc}\s]+/gu, ' ').trim()
  return name === '' || name.length > LONGEST_NAME ? null : name
}

function secondsOf(text: string): number | null {
  return /^\d{1,11}$/.test(text) ? Number(text) * 1_000 : null
}
