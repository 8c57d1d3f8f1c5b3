/** The rows of a report about one domain, summed up by day, source and result. */
import { utcDay } from '../../common/utc-day.ts'
import type { DmarcReport } from '../../mail/domain-report/dmarc-report.ts'
import type { TlsPolicyResult, TlsSessionResult } from '../../mail/domain-report/tls-report.ts'
import type { DmarcDetail, DomainReportRow, DomainReportRows } from '../../store/store.ts'
import { detailKey } from '../detail.ts'

/** The most rows with a source that one report adds; the rest counts without source. */
const MAX_ROWS = 1_000

/** The rows of a report, and its messages or sessions. */
export interface ReportRows {
  amount: number
  /** Messages that pass neither DKIM nor SPF; of a TLS report 0. */
  failing: number
  rows: DomainReportRows
}

export function dmarcRows(
  records: DmarcReport['records'],
  { begin, policy, verified }: Pick<DmarcReport, 'begin' | 'policy'> & Pick<DmarcDetail, 'verified'>,
): ReportRows {
  const details = records.map(
    ({ messages, source, headerFrom, dkim, spf, disposition, dkimDomain, spfDomain }) => {
      const seen = { source, headerFrom, dkim, spf, disposition, dkimDomain, spfDomain }
      const detail: DmarcDetail = { ...seen, policy, verified }
      return { detail, amount: messages }
    },
  )
  const rows = summedUp(details, utcDay(begin), (detail) => ({
    ...detail,
    source: null,
    headerFrom: '',
    dkimDomain: null,
    spfDomain: null,
  }))
  return { rows, amount: sumOf(records), failing: sumOf(records.filter(({ dkim, spf }) => !dkim && !spf)) }
}

const sumOf = (records: DmarcReport['records']) => records.reduce((sum, { messages }) => sum + messages, 0)

/** The rows leave out the text of the policy, which may be long and would be in every one. */
export function tlsRows(policies: readonly TlsPolicyResult[], begin: number): ReportRows {
  const details = policies.flatMap(({ type, successful, failures, failed }) => {
    const known = failures.map(({ sessions, ...failure }) => ({ failure, amount: sessions }))
    const named = known.reduce((sum, { amount }) => sum + amount, 0)
    const unnamed = Math.max(0, failed - named)
    const all = [
      { failure: null, amount: successful },
      ...known,
      { failure: UNNAMED_FAILURE, amount: unnamed },
    ]
    return all.map(({ failure, amount }): { detail: TlsSessionResult; amount: number } => ({
      detail: { type, policy: [], hosts: [], failure },
      amount,
    }))
  })
  const rows = summedUp(details, utcDay(begin), ({ type, failure }) => ({
    type,
    policy: [],
    hosts: [],
    failure: failure && { ...UNNAMED_FAILURE, result: failure.result },
  }))
  return { rows, amount: details.reduce((sum, { amount }) => sum + amount, 0), failing: 0 }
}

const UNNAMED_FAILURE: NonNullable<TlsSessionResult['failure']> = {
  result: 'validation-failure',
  sourceAddress: null,
  host: null,
  address: null,
  reason: null,
}

/** The largest first. */
function summedUp<Detail>(
  details: readonly { detail: Detail; amount: number }[],
  day: string,
  withoutSource: (detail: Detail) => Detail,
): DomainReportRows {
  const some = details.filter(({ amount }) => amount > 0).toSorted((a, b) => b.amount - a.amount)
  const named = new Map<string, DomainReportRow>()
  const unnamed = new Map<string, DomainReportRow>()
  for (const { detail, amount } of some) {
    const bare = withoutSource(detail)
    add(named, named.size < MAX_ROWS ? detail : bare, amount, day)
    add(unnamed, bare, amount, day)
  }
  return { named: [...named.values()], unnamed: [...unnamed.values()] }
}

function add(rows: Map<string, DomainReportRow>, value: unknown, amount: number, day: string): void {
  const detail = JSON.stringify(value)
  const key = detailKey(detail)
  const row = rows.get(key)
  if (row === undefined) rows.set(key, { day, key, detail, amount })
  else row.amount += amount
}
