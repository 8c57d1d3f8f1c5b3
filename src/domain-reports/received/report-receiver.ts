/** Takes in reports about domains of this installation, by mail or over HTTP. */

import type { SendingDomain } from '../../accounts/account.ts'
import { DAY_MS } from '../../common/utc-day.ts'
import type { DmarcReport } from '../../mail/domain-report/dmarc-report.ts'
import type { TlsReport } from '../../mail/domain-report/tls-report.ts'
import { MOST_UNPACKED } from '../../mail/domain-report/unpack.ts'
import type { DomainReportKind, DomainReportStore, ReceivedReport } from '../../store/store.ts'
import { WorkerDied } from '../../workers/error.ts'
import { jobAt } from '../../workers/job.ts'
import type { Workers } from '../../workers/workers.ts'
import type { KindOfReport, ReadReport, ReportOctets } from './read-report.ts'
import { dmarcRows, type SummedUpRows, tlsRows } from './sum-up.ts'

export interface ReportReceiverParts {
  store: Pick<DomainReportStore, 'keepDomainReport'>
  /** The domain of this name whose company has proven that it owns it. */
  heldDomain(name: string): SendingDomain | undefined
  workers: Workers
  /** Unix ms. */
  now(): number
}

export type ReportReceipt =
  /** The report is stored durably. `isNew` is false if it had been received before; it counts only once. */
  | { kind: DomainReportKind; isNew: boolean; domains: string[] }
  | { kind: 'refused'; reason: string }
  /** The author could not be verified yet; the sender should send the report again. */
  | { kind: 'put_off' }
  /** The mail carries no report. */
  | { kind: 'none' }

/** The author of a report that came by mail. */
export interface VerifiedAuthor {
  /** The address, in lower case; null: nothing proves it. */
  address: string | null
  /** It may be proven later. */
  unfinished: boolean
}

export interface MailedReport {
  /** Only domains of this company count; absent: of all. */
  companyId?: string | undefined
  /** Who sent it, as the workers share their time: see TaskOptions. */
  party: string
  /** Called for a report about a domain of ours. */
  author(): Promise<VerifiedAuthor>
}

/** The receipt of a report, durable when it resolves; rejects when the store takes no commits. */
export interface ReportReceiver {
  receiveMail(raw: Uint8Array, mailed: MailedReport): Promise<ReportReceipt>
  /** A TLS report about this domain, as it was posted. `party`: see MailedReport. */
  receiveTlsReport(octets: Uint8Array, domainId: string, party: string): Promise<ReportReceipt>
}

/** The most unpacked octets for each packed octet, because unpacking is the cost. */
const MOST_RATIO = 1_000
const READ = jobAt<ReportOctets, ReadReport>(new URL('./read-report-job.ts', import.meta.url))
/** The company whose turns reports of strangers take. */
export const REPORTERS = 'domain-reports'

/** The oldest, and the longest, period of a report. Genuine reports are daily and recent. */
const OLDEST_MS = 60 * DAY_MS
const LONGEST_MS = 32 * DAY_MS
/**
 * The most reports about one domain and day, of one author among them, and the number of rows after which their sources
 * are not stored. Reports with and without a proven author are limited separately: forged reports take no
 * room of genuine ones.
 */
export const MOST_OF_DAY = { reports: 500, ofAuthor: 250, rows: 5_000 }

/**
 * The most domains that one report counts for, because each takes a commit. A report about `com` would concern most
 * domains.
 */
const MOST_DOMAINS = 100

/** A domain of this installation, and the part of the report about it. */
interface DomainPart {
  domain: SendingDomain
  /** `verified`: the author of the report is proven. */
  rowsOf(verified: boolean): SummedUpRows
}

export function reportReceiver(parts: ReportReceiverParts): ReportReceiver {
  return {
    async receiveMail(octets, { companyId, party, author }) {
      const isOwn = (domain: SendingDomain) => companyId === undefined || domain.companyId === companyId
      return await keep(parts, await read(parts, { form: 'mail', octets }, party), { isOwn, author })
    },
    async receiveTlsReport(octets, domainId, party) {
      const isOwn = ({ id }: SendingDomain) => id === domainId
      const report = await read(parts, { form: 'tls', octets }, party)
      return await keep(parts, report, { isOwn, author: unknownAuthor })
    },
  }
}

async function read(
  { workers }: ReportReceiverParts,
  sent: ReportOctets,
  party: string,
): Promise<ReadReport> {
  try {
    const weight = Math.min(sent.octets.byteLength * MOST_RATIO, MOST_UNPACKED)
    return await workers.run(READ, sent, { company: REPORTERS, party, weight })
  } catch (error) {
    if (error instanceof WorkerDied)
      return { kind: 'unreadable', reason: 'The report is too large to be read.' }
    throw error
  }
}

const unknownAuthor = async (): Promise<VerifiedAuthor> => ({ address: null, unfinished: false })

interface KeptTerms extends Pick<MailedReport, 'author'> {
  /** Whether the report may be about this domain. */
  isOwn(domain: SendingDomain): boolean
}

async function keep(
  { store, heldDomain, now }: ReportReceiverParts,
  read: ReadReport,
  { isOwn, author }: KeptTerms,
): Promise<ReportReceipt> {
  if (read.kind === 'none') return read
  if (read.kind === 'unreadable') return refused(read.reason)
  const { begin, end } = read.report
  const at = now()
  // A day that has not begun could be filled before any genuine report about it exists.
  if (begin > at || begin < at - OLDEST_MS || end - begin > LONGEST_MS) {
    return refused('The report is not about a recent day.')
  }
  const { reporter, parts } = reportedParts(read, heldDomain)
  const own = parts.filter(({ domain }) => isOwn(domain)).slice(0, MOST_DOMAINS)
  if (own.length === 0) return refused('The report is not about a domain of this installation.')
  const { kind } = read
  // Nothing follows from TLS reports.
  const { address, unfinished } = await (kind === 'dmarc' ? author : unknownAuthor)()
  if (unfinished) return { kind: 'put_off' }
  let isNew = false
  for (const { domain, rowsOf } of own) {
    const { amount, failing, rows } = rowsOf(address !== null)
    const report: ReceivedReport = {
      domainId: domain.id,
      kind,
      begin,
      end,
      receivedAt: at,
      amount,
      failing,
      reporter,
      author: address,
      reportId: read.report.reportId,
    }
    if (await store.keepDomainReport(report, rows, MOST_OF_DAY)) isNew = true
  }
  return { kind, isNew, domains: own.map(({ domain }) => domain.name) }
}

function refused(reason: string): ReportReceipt {
  return { kind: 'refused', reason }
}

function reportedParts(
  read: KindOfReport,
  heldDomain: ReportReceiverParts['heldDomain'],
): { reporter: string; parts: DomainPart[] } {
  switch (read.kind) {
    case 'dmarc':
      return { reporter: read.report.reporter, parts: dmarcParts(read.report, heldDomain) }
    case 'tls':
      return { reporter: read.report.organization, parts: tlsParts(read.report, heldDomain) }
  }
}

/**
 * The domain whose policy was applied; or, if that is not ours, those below it that mail came from, because a domain
 * below it has no policy of its own (RFC 9989 4.10).
 */
function dmarcParts(
  { domain: name, records, ...facts }: DmarcReport,
  heldDomain: ReportReceiverParts['heldDomain'],
): DomainPart[] {
  const domain = heldDomain(name)
  if (domain !== undefined)
    return [{ domain, rowsOf: (verified) => dmarcRows(records, { ...facts, verified }) }]
  const below = records.filter(({ headerFrom }) => headerFrom.endsWith(`.${name}`))
  return [...Map.groupBy(below, ({ headerFrom }) => headerFrom)].flatMap(([from, those]) => {
    const held = heldDomain(from)
    if (held === undefined) return []
    return [{ domain: held, rowsOf: (verified) => dmarcRows(those, { ...facts, verified }) }]
  })
}

function tlsParts(
  { policies, begin }: TlsReport,
  heldDomain: ReportReceiverParts['heldDomain'],
): DomainPart[] {
  return [...Map.groupBy(policies, ({ domain }) => domain)].flatMap(([name, those]) => {
    const domain = heldDomain(name)
    return domain === undefined ? [] : [{ domain, rowsOf: () => tlsRows(those, begin) }]
  })
}
