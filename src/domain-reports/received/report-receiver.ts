/** Takes in reports about domains of this installation, by mail or over HTTP. */

import type { SendingDomain } from '../../accounts/account.ts'
import { namedFew } from '../../common/named-few.ts'
import type { PoolShape } from '../../common/shared-pool.ts'
import { DAY_MS, utcDay } from '../../common/utc-day.ts'
import { organizationOf } from '../../dns/organization.ts'
import { domainOf } from '../../mail/address/address-domain.ts'
import type { DmarcReport } from '../../mail/domain-report/dmarc-report.ts'
import type { TlsReport } from '../../mail/domain-report/tls-report.ts'
import { MAX_UNPACKED } from '../../mail/domain-report/unpack.ts'
import type {
  DomainReportKind,
  DomainReportStore,
  IncomingReport,
  KeepResult,
  ReportLimits,
} from '../../store/store.ts'
import { WorkerDied } from '../../workers/error.ts'
import { jobAt } from '../../workers/job.ts'
import type { TaskOptions, Workers } from '../../workers/workers.ts'
import type { AnyDomainReport, ReadReport, ReportOctets } from './read-report.ts'
import { dmarcRows, type ReportRows, tlsRows } from './report-rows.ts'

export interface ReportReceiverParts {
  store: Pick<DomainReportStore, 'keepDomainReport'>
  /** The domain of this name whose company has proven that it owns the name. */
  heldDomain(name: string): SendingDomain | undefined
  workers: Workers
  /** Unix ms. */
  now(): number
}

/** The report is stored durably. `isNew` is false if it had been received before; it counts only once. */
export interface CountedReport {
  kind: DomainReportKind
  isNew: boolean
  /** The domains that it counts for. */
  domains: string[]
  /** Why it does not count for others; absent: it counts for all. */
  note?: string
}

export type ReportReceipt =
  | CountedReport
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
  /** The company that handed it in: only its domains count. Absent: all do. */
  companyId?: string | undefined
  /** The sender, for the turns of the workers: see TaskOptions. */
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
const MAX_RATIO = 1_000
const READ = jobAt<ReportOctets, ReadReport>(new URL('./read-report-job.ts', import.meta.url))
/** The company whose turns reports of strangers take. */
export const REPORTERS = 'domain-reports'

/** The oldest, and the longest, period of a report. Genuine reports are daily and recent. */
const OLDEST_MS = 60 * DAY_MS
const LONGEST_MS = 32 * DAY_MS
/**
 * The reports about one domain and day with a proven author. Anybody can be a proven author under cheap domains, so
 * organizations share the room: one alone has 89, an eleventh still gets 28 after ten have taken all that they can, and
 * 200 are kept for organizations that have none yet. Genuine organizations send one report a day, or 24.
 */
const PROVEN_OF_DAY: PoolShape = { size: 1_000, kept: 200, timesFree: 1 / 8 }
/**
 * `others`: those without a proven author, so that forged reports take no room of genuine ones. `rows`: from that
 * number on, sources are not stored.
 */
export const MAX_OF_DAY: ReportLimits = { proven: PROVEN_OF_DAY, others: 500, rows: 5_000 }

/**
 * The most domains that one report counts for, because each takes a commit. A report about `com` would concern most
 * domains.
 */
const MAX_DOMAINS = 100

/** A domain of this installation, and the part of the report about it. */
interface DomainPart {
  domain: SendingDomain
  /** `verified`: the author of the report is proven. */
  rowsOf(verified: boolean): ReportRows
}

export function reportReceiver(parts: ReportReceiverParts): ReportReceiver {
  return {
    async receiveMail(octets, { companyId, party, author }) {
      const isOwn = (domain: SendingDomain) => companyId === undefined || domain.companyId === companyId
      const report = await read(parts, { form: 'mail', octets }, { company: companyId ?? REPORTERS, party })
      return await keep(parts, report, { isOwn, author })
    },
    async receiveTlsReport(octets, domainId, party) {
      const isOwn = ({ id }: SendingDomain) => id === domainId
      const report = await read(parts, { form: 'tls', octets }, { company: REPORTERS, party })
      return await keep(parts, report, { isOwn, author: unknownAuthor })
    },
  }
}

async function read(
  { workers }: ReportReceiverParts,
  sent: ReportOctets,
  turn: Pick<TaskOptions, 'company' | 'party'>,
): Promise<ReadReport> {
  try {
    const weight = Math.min(sent.octets.byteLength * MAX_RATIO, MAX_UNPACKED)
    return await workers.run(READ, sent, { ...turn, weight })
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
  const own = parts.filter(({ domain }) => isOwn(domain)).slice(0, MAX_DOMAINS)
  if (own.length === 0) return refused('The report is not about a domain of this installation.')
  const { kind } = read
  // A TLS report needs no proven author, because nothing follows from it.
  const { address, unfinished } = await (kind === 'dmarc' ? author : unknownAuthor)()
  if (unfinished) return { kind: 'put_off' }
  const organization = address === null ? null : organizationOf(domainOf(address))
  const kept: { name: string; result: KeepResult }[] = []
  for (const { domain, rowsOf } of own) {
    const { amount, failing, rows } = rowsOf(address !== null)
    const report: IncomingReport = {
      domainId: domain.id,
      kind,
      begin,
      end,
      receivedAt: at,
      amount,
      failing,
      reporter,
      author: address,
      organization,
      reportId: read.report.reportId,
    }
    const result = await store.keepDomainReport(report, rows, MAX_OF_DAY)
    kept.push({ name: domain.name, result })
  }
  const named = (...results: KeepResult[]) =>
    kept.flatMap(({ name, result }) => (results.includes(result) ? [name] : []))
  const domains = named('kept', 'repeated')
  const note = shortageText(utcDay(begin), organization, named('day_full'), named('share_used'))
  if (domains.length === 0) return refused(note)
  return { kind, isNew: named('kept').length > 0, domains, ...(note !== '' && { note }) }
}

/** `full`: domains whose day has no room; `used`: those for which the organization has used its share. */
function shortageText(
  day: string,
  organization: string | null,
  full: readonly string[],
  used: readonly string[],
): string {
  const sentences = [
    full.length > 0 && `There is no room for more reports about ${namedFew(full, 'and')} on ${day}.`,
    used.length > 0 &&
      `${organization} has used its share of the reports about ${namedFew(used, 'and')} on ${day}.`,
  ]
  return sentences.filter((sentence) => sentence !== false).join(' ')
}

function refused(reason: string): ReportReceipt {
  return { kind: 'refused', reason }
}

function reportedParts(
  read: AnyDomainReport,
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
