/** Reports of receivers about our domains, and the TLS reports sent to the domains of recipients. */
import { setTimeout as delay } from 'node:timers/promises'
import type { SendingDomain } from '../accounts/account.ts'
import { type DmarcPolicy, publishedPolicy } from '../accounts/dmarc.ts'
import { reportsOf } from '../accounts/dns-records.ts'
import { DAY_MS, utcDay } from '../common/utc-day.ts'
import { MAX_REPORTED, policiesOf } from '../domain-reports/sent/day-report.ts'
import { domainOf } from '../mail/address/address-domain.ts'
import type { TlsPolicyResult, TlsSessionResult } from '../mail/domain-report/tls-report.ts'
import type { DmarcDaySum, DmarcSourceSum, StoredTlsReport } from '../store/store.ts'
import { dmarcAdvice } from './dmarc-advice.ts'
import { OperateError } from './error.ts'
import { domainName, findDomain } from './find.ts'
import { serviceNames } from './service-names.ts'
import { type Operation, verb } from './verb.ts'

/** Days that the summary covers. */
const SPAN_DAYS = 30
const MAX_SOURCES = 200
/** Reporters that the advice compares: the ones that saw the largest shares of messages fail. */
const MAX_REPORTERS = 1_000
/** Names that are shown: strangers choose them. */
const MAX_NAMES = 50
/** TLS reports that are listed, and results of each day in the reports of others. */
const MAX_REPORTS = 100
const MAX_RESULTS = 50
/** Ms for the look-up of the policy. */
const POLICY_WITHIN_MS = 5_000

/** Messages in reports whose author nothing proves. */
export interface UnverifiedReports {
  messages: number
  failing: number
  /** Names that these reports give. */
  reporters: string[]
}

export interface DmarcSummary {
  domain: string
  /** The first day, by UTC. */
  since: string
  /** The number of days that verified reports cover: those with a valid signature of their sender. */
  days: number
  /** Domains that these came from. */
  reporters: string[]
  /** In DNS; null: there is none, or it is not valid; `unknown`: DNS was not asked, or did not answer. */
  policy: DmarcPolicy | 'unknown' | null
  /** Messages in verified reports. */
  messages: number
  /** Verified messages that pass, by a signature or by SPF. */
  passing: number
  /** Verified messages that `p=quarantine` and `p=reject` concern. */
  failing: number
  unverified: UnverifiedReports
  /** In all reports. Sources with the most failing messages first, then those with the most messages. */
  sources: DmarcSourceSum[]
  /** The next step of the policy, as a sentence. It follows from verified reports alone. */
  advice: string
}

/** The senders that use the domain, the mail that passes DMARC, and the mail that a stricter policy would stop. */
export const showDmarc = verb('read', async (op, input: { domain: string }): Promise<DmarcSummary> => {
  return await dmarcOf(op, findDomain(op, input.domain))
})

/** The same summary without a check of rights, for verbs that have found the domain. */
export async function dmarcOf(
  op: Pick<Operation, 'store' | 'now' | 'hostname' | 'setup' | 'accounts' | 'resolver'>,
  domain: SendingDomain,
): Promise<DmarcSummary> {
  const { id, name } = domain
  const since = utcDay(op.now() - SPAN_DAYS * DAY_MS)
  const most = { sources: MAX_SOURCES, reporters: MAX_REPORTERS }
  const { days, sources, reporters } = await op.store.dmarcSums(id, since, most)
  const verifiedDays = days.filter(({ verified }) => verified)
  const verified = { ...sumOf(verifiedDays), days: verifiedDays.length }
  const unverified = sumOf(days.filter((day) => !day.verified))
  const proven = reporters.filter(({ author }) => author !== null)
  const others = reporters.filter(({ author }) => author === null)
  // Without reports nothing depends on it.
  const policy = days.length === 0 ? 'unknown' : await policyInTime(name, op)
  const address = reportsOf(domain, serviceNames(op, domain))
  return {
    domain: name,
    since,
    reporters: distinct(proven.map(({ author }) => domainOf(author ?? ''))),
    policy,
    ...verified,
    passing: verified.messages - verified.failing,
    unverified: { ...unverified, reporters: distinct(others.map((each) => each.name)) },
    sources,
    advice: dmarcAdvice({
      ...verified,
      reporters: proven,
      unverified: unverified.messages,
      policy,
      address,
    }),
  }
}

/** The owner of the domain decides how long its name servers take, and a page waits for the answer. */
async function policyInTime(
  name: string,
  op: Pick<Operation, 'resolver'>,
): Promise<DmarcPolicy | null | 'unknown'> {
  return await Promise.race([
    publishedPolicy(name, op.resolver()),
    delay(POLICY_WITHIN_MS, 'unknown' as const, { ref: false }),
  ])
}

const distinct = (names: readonly string[]) => [...new Set(names)].slice(0, MAX_NAMES).toSorted()

function sumOf(days: readonly DmarcDaySum[]): Pick<DmarcDaySum, 'messages' | 'failing'> {
  const sum = (of: (day: DmarcDaySum) => number) => days.reduce((total, day) => total + of(day), 0)
  return { messages: sum((day) => day.messages), failing: sum((day) => day.failing) }
}

/** The results of one day of sessions with a domain, and the state of the report about them. */
export interface TlsReportDescription extends StoredTlsReport {
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
    const kept = await op.store.tlsReports({ domain: name, day, limit: MAX_REPORTS })
    const reports: TlsReportDescription[] = []
    for (const report of kept) reports.push(await described(op, report))
    const own = op.accounts.domains.filter((each) => each.name === name)
    const received = await Promise.all(own.map(({ id }) => receivedOf(op, id, day)))
    return { reports, received: received.flat() }
  },
  null,
)

/** Reports of other mail systems about sessions with the servers of the domain. */
export const receivedTlsReports = verb(
  'read',
  async (op, input: { domain: string }): Promise<ReceivedTlsResult[]> =>
    await receivedOf(op, findDomain(op, input.domain).id),
)

async function described(op: Operation, report: StoredTlsReport): Promise<TlsReportDescription> {
  const counts = await op.store.tlsSessions(report.domain, report.day, MAX_REPORTED)
  const policies = policiesOf(report.domain, counts)
  const sum = (of: (policy: TlsPolicyResult) => number) => policies.reduce((all, each) => all + of(each), 0)
  return {
    ...report,
    successful: sum(({ successful }) => successful),
    failed: sum(({ failed }) => failed),
    policies,
  }
}

/** `only`: this day; absent: all that the summary covers. */
async function receivedOf(
  op: Pick<Operation, 'store' | 'now'>,
  id: string,
  only?: string,
): Promise<ReceivedTlsResult[]> {
  const now = op.now()
  const days = { from: only ?? utcDay(now - SPAN_DAYS * DAY_MS), to: only ?? utcDay(now + DAY_MS) }
  const rows = await op.store.domainReportRows(id, 'tls', days, MAX_RESULTS)
  return rows.map(({ day, detail, amount }) => ({
    ...(JSON.parse(detail) as TlsSessionResult),
    day,
    sessions: amount,
  }))
}

function isDay(text: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN
  // February 31 would be March 3.
  return !Number.isNaN(time) && utcDay(time) === text
}
