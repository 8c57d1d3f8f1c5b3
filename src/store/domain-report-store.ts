/** Reports about domains: those that we send about recipients' domains, and those that others send about ours. */
import type { PoolShape } from '../common/shared-pool.ts'
import type { Disposition } from '../mail/domain-report/dmarc-report.ts'
import type { DomainReportKind } from '../mail/domain-report/report-mail.ts'

export type { DomainReportKind }

/** Sessions with servers of a domain that had the same policy and the same result. */
export interface TlsSessionCount {
  domain: string
  /** In UTC: `2026-11-28`. */
  day: string
  /** Equal for equal details. */
  key: string
  /** As JSON. */
  detail: string
  sessions: number
}

/**
 * - `waiting`: the day has not ended, or the report has not been sent.
 * - `unwanted`: the domain does not ask for reports.
 * - `failed`: no server accepted it for a day, or too many had been sent before it.
 */
type TlsReportState = 'waiting' | 'sent' | 'unwanted' | 'failed'

/** The report about a recipients' domain and a day. */
export interface StoredTlsReport {
  domain: string
  day: string
  state: TlsReportState
  /** Unix ms. */
  dueAt: number
  tries: number
  /** URIs that have got it. */
  sentTo: string[]
  sentAt: number | null
  fault: string | null
}

interface TlsReportFilter {
  domain?: string | undefined
  day?: string | undefined
  limit: number
}

/** A report that somebody sent about a domain of ours. */
export interface ReceivedReport {
  domainId: string
  kind: DomainReportKind
  /** The organization that the report names. */
  reporter: string
  /** The address that it came from, if a signature proves that; null: anybody may have written it. */
  author: string | null
  /** Unique for each reporter. */
  reportId: string
  /** Unix ms. */
  begin: number
  end: number
  receivedAt: number
  /** Messages, or sessions. */
  amount: number
  /** Messages that pass neither DKIM nor SPF; of a TLS report 0. */
  failing: number
}

/** A report for which there may be no room. */
export interface IncomingReport extends ReceivedReport {
  /** The organization of the author, which is the domain of the author or one above it; null: there is no author. */
  organization: string | null
}

/**
 * - `kept`: it counts.
 * - `repeated`: it has been kept before.
 * - `day_full`: the domain may have no further report of that day.
 * - `share_used`: the organization has used up its share of the reports of that day.
 */
export type KeepResult = 'kept' | 'repeated' | 'day_full' | 'share_used'

/** The detail of a row of DMARC reports: messages that receivers saw. `source` null: they came from many sources. */
export interface DmarcDetail {
  source: string | null
  headerFrom: string
  dkim: boolean
  spf: boolean
  disposition: Disposition
  /** The policy that the receiver saw; null: it could not be read. */
  policy: Disposition | null
  dkimDomain: string | null
  spfDomain: string | null
  /** The author of the report is proven. */
  verified: boolean
}

/** A row of reports, summed up. */
export interface DomainReportRow {
  day: string
  /** Equal for equal details. */
  key: string
  /** As JSON; of a DMARC report a `DmarcDetail`. */
  detail: string
  amount: number
}

/** The messages of a day, by reports with or without a proven author. */
export interface DmarcDaySum {
  day: string
  verified: boolean
  messages: number
  /** Messages without an aligned signature and without aligned SPF. */
  failing: number
}

/** The messages of a server that sends as the domain. */
export interface DmarcSourceSum {
  /** Its address; null: sources that are not named. */
  source: string | null
  messages: number
  /** Messages that only reports without a proven author name. */
  unverified: number
  /** Messages with an aligned signature, with aligned SPF, and with neither. */
  dkim: number
  spf: number
  failing: number
  quarantined: number
  rejected: number
  /** Domains that it signed for, or sent from: the first and the last of each by name, without those that repeat. */
  domains: string[]
}

/** The messages that one reporter saw. */
export interface DmarcReporterSum {
  /** The organization that its reports name. */
  name: string
  /** The address that they came from, proven by a signature; null: anybody may have written them in this name. */
  author: string | null
  messages: number
  failing: number
}

interface DmarcSums {
  /** All days with messages, the newest first. */
  days: DmarcDaySum[]
  /** Sorted by failing messages in verified reports, then in other reports, then by all messages; the most first. */
  sources: DmarcSourceSum[]
  /** Those with a proven author first, and among these those that saw the largest share of messages fail. */
  reporters: DmarcReporterSum[]
}

/** The rows of a report. `named`: as it is; `unnamed`: with less detail, so that they add up to a few rows. */
export interface DomainReportRows {
  named: readonly DomainReportRow[]
  unnamed: readonly DomainReportRow[]
}

/**
 * Limits for a day. `proven`: the room for reports with a proven author, which organizations share; `others`: the most
 * other reports; `rows`: the most rows.
 */
export interface ReportLimits {
  proven: PoolShape
  others: number
  rows: number
}

export interface DomainReportStore {
  /** Adds to the counts. `dueAt`: when the report about a day is sent, by domain and day. */
  countTlsSessions(
    counts: readonly TlsSessionCount[],
    due: readonly Pick<StoredTlsReport, 'domain' | 'day' | 'dueAt'>[],
  ): Promise<void>
  /** The most frequent first. */
  tlsSessions(domain: string, day: string, limit: number): Promise<TlsSessionCount[]>
  /** The newest day first. */
  tlsReports(filter: TlsReportFilter): Promise<StoredTlsReport[]>
  /** Takes reports that are due. Until `until`, no other node sends them. Each claim counts as a try. */
  claimTlsReports(claim: { now: number; until: number; limit: number }): Promise<StoredTlsReport[]>
  noteTlsReport(report: StoredTlsReport): Promise<void>
  /**
   * Once the day has `most.rows` rows, adds the unnamed rows instead of the named ones. Reports with a proven author
   * are counted apart from others.
   */
  keepDomainReport(report: IncomingReport, rows: DomainReportRows, most: ReportLimits): Promise<KeepResult>
  /** The newest first. */
  domainReports(domainId: string, kind: DomainReportKind, limit: number): Promise<ReceivedReport[]>
  /** The DMARC reports about a domain from a day on, summed up. */
  dmarcSums(domainId: string, since: string, most: { sources: number; reporters: number }): Promise<DmarcSums>
  /** The largest rows of each day, `ofDay` of them at most; the newest day and then the largest first. */
  domainReportRows(
    domainId: string,
    kind: DomainReportKind,
    days: { from: string; to: string },
    ofDay: number,
  ): Promise<DomainReportRow[]>
  /** Forgets days before this time (Unix ms), a little of each kind. Returns the number of removed rows. */
  forgetDomainReports(before: number, limit: number): Promise<number>
}
