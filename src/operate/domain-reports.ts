/** Reports of receivers about our domains, and the TLS reports sent to the domains of recipients. */
import type { SendingDomain } from '../accounts/account.ts'
import { reportsOf } from '../accounts/dns-records.ts'
import { DAY_MS, utcDay } from '../common/utc-day.ts'
import type { DmarcDetail } from '../domain-reports/detail.ts'
import { MOST_REPORTED, policiesOf } from '../domain-reports/sent/day-report.ts'
import type { Disposition } from '../mail/domain-report/dmarc-report.ts'
import type { TlsPolicyResult, TlsSessionResult } from '../mail/domain-report/tls-report.ts'
import type { KeptTlsReport } from '../store/store.ts'
import { dmarcAdvice } from './dmarc-advice.ts'
import { OperateError } from './error.ts'
import { domainName, findDomain } from './find.ts'
import { serviceNames } from './service-names.ts'
import { type Operation, verb } from './verb.ts'

/** Days that the summary covers. */
const SPAN_DAYS = 30
const MOST_ROWS = 20_000
const MOST_SOURCES = 200
const MOST_REPORTS = 100

/** A server that sends as the domain, or all sources that no report names. */
export interface DmarcSource {
  /** Its address; null: sources that are not named. */
  source: string | null
  messages: number
  /** Messages with an aligned signature, with aligned SPF, and with neither. */
  dkim: number
  spf: number
  failing: number
  quarantined: number
  rejected: number
  /** Domains that it signed for, or sent from. */
  domains: string[]
}

export interface DmarcSummary {
  domain: string
  /** The first day, by UTC. */
  since: string
  /** The number of days that reports cover. */
  days: number
  reporters: string[]
  /** The policy that receivers saw last; null: unknown. */
  policy: Disposition | null
  messages: number
  /** Messages that pass, by a signature or by SPF. */
  passing: number
  /** Messages that `p=quarantine` and `p=reject` concern. */
  failing: number
  /** Sources with the most failing messages first, then those with the most messages. */
  sources: DmarcSource[]
  /** The next step of the policy, as a sentence. */
  advice: string
}

/** The senders that use the domain, the mail that passes DMARC, and the mail that a stricter policy would stop. */
export const showDmarc = verb('read', async (op, input: { domain: string }): Promise<DmarcSummary> => {
  return await dmarcOf(op, findDomain(op, input.domain))
})

/** The same summary without a check of rights, for verbs that have found the domain. */
export async function dmarcOf(
  op: Pick<Operation, 'store' | 'now' | 'hostname' | 'setup' | 'accounts'>,
  domain: SendingDomain,
): Promise<DmarcSummary> {
  const { id, name } = domain
  const since = utcDay(op.now() - SPAN_DAYS * DAY_MS)
  const [rows, reports] = await Promise.all([
    op.store.domainReportRows(id, 'dmarc', since, MOST_ROWS),
    op.store.domainReports(id, 'dmarc', MOST_REPORTS),
  ])
  const sources = new Map<string | null, DmarcSource>()
  let policy: Disposition | null = null
  for (const { detail, amount } of rows) {
    const seen = JSON.parse(detail) as DmarcDetail
    policy ??= seen.policy
    addTo(sources, seen, amount)
  }
  const all = [...sources.values()]
  const sum = (of: (source: DmarcSource) => number) => all.reduce((total, source) => total + of(source), 0)
  const messages = sum((source) => source.messages)
  const failing = sum((source) => source.failing)
  const days = new Set(rows.map(({ day }) => day)).size
  const facts = { since, days, policy, messages, passing: messages - failing, failing }
  return {
    domain: name,
    ...facts,
    reporters: [...new Set(reports.map(({ reporter }) => reporter))].toSorted(),
    sources: all.toSorted((a, b) => b.failing - a.failing || b.messages - a.messages).slice(0, MOST_SOURCES),
    advice: dmarcAdvice({ ...facts, address: reportsOf(domain, serviceNames(op, domain)) }),
  }
}

function addTo(sources: Map<string | null, DmarcSource>, seen: DmarcDetail, amount: number): void {
  const { source, dkim, spf, disposition, dkimDomain, spfDomain } = seen
  let sum = sources.get(source)
  if (sum === undefined) {
    const none = { messages: 0, dkim: 0, spf: 0, failing: 0, quarantined: 0, rejected: 0 }
    sum = { source, ...none, domains: [] }
    sources.set(source, sum)
  }
  sum.messages += amount
  if (dkim) sum.dkim += amount
  if (spf) sum.spf += amount
  if (!dkim && !spf) sum.failing += amount
  if (disposition === 'quarantine') sum.quarantined += amount
  if (disposition === 'reject') sum.rejected += amount
  for (const domain of [dkimDomain, spfDomain]) {
    if (domain !== null && sum.domains.length < 5 && !sum.domains.includes(domain)) sum.domains.push(domain)
  }
}

/** The results of one day of sessions with a domain, and the state of the report about them. */
export interface TlsReportDescription extends KeptTlsReport {
  successful: number
  failed: number
  policies: TlsPolicyResult[]
}

/** Sessions of others with the mail servers of a domain of ours. */
export interface ReceivedTlsResult extends TlsSessionResult {
  day: string
  sessions: number
}

export interface TlsReports {
  reports: TlsReportDescription[]
  received: ReceivedTlsResult[]
}

/** The counts of sessions, and the reports that were sent. `domain`: of recipients, or our own. */
export const listTlsReports = verb(
  'operate',
  async (op, { domain, day }: { domain?: string; day?: string }): Promise<TlsReports> => {
    if (day !== undefined && !isDay(day)) {
      throw new OperateError('invalid', `"${day}" is not a day; write one like ${utcDay(op.now())}`)
    }
    const name = domain === undefined ? undefined : domainName(domain)
    const kept = await op.store.tlsReports({ domain: name, day, limit: MOST_REPORTS })
    const reports: TlsReportDescription[] = []
    for (const report of kept) reports.push(await described(op, report))
    const own = op.accounts.domains.filter((each) => each.name === name)
    const received = await Promise.all(own.map(({ id }) => receivedOf(op, id)))
    return { reports, received: received.flat().filter((each) => day === undefined || each.day === day) }
  },
  null,
)

/** Reports of other mail systems about sessions with the servers of the domain. */
export const receivedTlsReports = verb(
  'read',
  async (op, input: { domain: string }): Promise<ReceivedTlsResult[]> =>
    await receivedOf(op, findDomain(op, input.domain).id),
)

async function described(op: Operation, report: KeptTlsReport): Promise<TlsReportDescription> {
  const counts = await op.store.tlsSessions(report.domain, report.day, MOST_REPORTED)
  const policies = policiesOf(report.domain, counts)
  const sum = (of: (policy: TlsPolicyResult) => number) => policies.reduce((all, each) => all + of(each), 0)
  return {
    ...report,
    successful: sum(({ successful }) => successful),
    failed: sum(({ failed }) => failed),
    policies,
  }
}

async function receivedOf(op: Pick<Operation, 'store' | 'now'>, id: string): Promise<ReceivedTlsResult[]> {
  const since = utcDay(op.now() - SPAN_DAYS * DAY_MS)
  const rows = await op.store.domainReportRows(id, 'tls', since, MOST_REPORTED)
  return rows.map(({ day, detail, amount }) => ({
    ...(JSON.parse(detail) as TlsSessionResult),
    day,
    sessions: amount,
  }))
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text))
}
