/** Reports about domains, sent and received. */
import { SharedPool } from '../../common/shared-pool.ts'
import { DAY_MS, utcDay } from '../../common/utc-day.ts'
import type {
  DmarcDaySum,
  DmarcDetail,
  DmarcReporterSum,
  DmarcSourceSum,
  DomainReportKind,
  DomainReportRow,
  KeepResult,
  ReceivedReport,
  ReportLimits,
  StoredTlsReport,
  TlsSessionCount,
} from '../domain-report-store.ts'
import { forgetBefore } from './forgetting.ts'
import type { Operations, Port, ReadPort } from './port.ts'
import { statement } from './statement.ts'

type ReportRow = Omit<StoredTlsReport, 'sentTo'> & { sentTo: string }
interface ReportCounts {
  all: number
  own: number
}
type DmarcDayRow = Omit<DmarcDaySum, 'verified'> & { verified: number | boolean }
type DmarcSourceRow = Omit<DmarcSourceSum, 'domains'> &
  Record<'firstDkim' | 'lastDkim' | 'firstSpf' | 'lastSpf', string | null>

/** Rows are written in one order, so that no two transactions wait for each other. */
const COUNT = statement(
  ({ rows }) => `INSERT INTO tls_sessions (domain, day, key, detail, sessions)
    SELECT j.domain, j.day, j.key, j.detail, j.sessions
    FROM ${rows('$1', { domain: 'text', day: 'text', key: 'text', detail: 'text', sessions: 'bigint' })}
    WHERE true ORDER BY j.domain, j.day, j.key
    ON CONFLICT (domain, day, key) DO UPDATE SET sessions = tls_sessions.sessions + excluded.sessions`,
)
const PLAN = statement(
  ({ rows }) => `INSERT INTO tls_reports (domain, day, state, due_at)
    SELECT j.domain, j.day, 'waiting', j."dueAt"
    FROM ${rows('$1', { domain: 'text', day: 'text', dueAt: 'bigint' })}
    WHERE true ORDER BY j.domain, j.day
    ON CONFLICT (domain, day) DO NOTHING`,
)
const SESSIONS = statement<TlsSessionCount>(`SELECT domain, day, key, detail, sessions FROM tls_sessions
  WHERE domain = $1 AND day = $2 ORDER BY sessions DESC, key LIMIT $3`)

const COLUMNS = `domain, day, state, due_at AS "dueAt", tries, sent_to AS "sentTo", sent_at AS "sentAt", fault`
const OF_DOMAIN = statement<ReportRow>(`SELECT ${COLUMNS} FROM tls_reports
  WHERE domain = $1 AND day >= $2 AND day <= $3 ORDER BY day DESC LIMIT $4`)
const OF_ALL = statement<ReportRow>(`SELECT ${COLUMNS} FROM tls_reports
  WHERE day >= $1 AND day <= $2 ORDER BY day DESC, domain DESC LIMIT $3`)
const FIRST_DAY = ''
const LAST_DAY = '9999'

const SOME_DUE = statement(
  "SELECT 1 AS due FROM tls_reports WHERE state = 'waiting' AND due_at <= $1 LIMIT 1",
)
const CLAIM = statement<ReportRow>(({ isAmong }) => {
  const due = isAmong(
    'domain, day',
    "FROM tls_reports WHERE state = 'waiting' AND due_at <= $1 ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED",
  )
  return `UPDATE tls_reports SET due_at = $2, tries = tries + 1 WHERE ${due} RETURNING ${COLUMNS}`
})
const NOTE = statement(`UPDATE tls_reports SET state = $3, due_at = $4, sent_to = $5, sent_at = $6, fault = $7
  WHERE domain = $1 AND day = $2`)

const OF_DAY = 'domain_id = $1 AND kind = $2 AND begin_at BETWEEN $3 AND $4'
const KNOWN = statement(`SELECT 1 AS known FROM domain_reports
  WHERE domain_id = $1 AND kind = $2 AND reporter = $3 AND report_id = $4`)
/**
 * The reports of a day with or without a proven author, and those of the author's organization among them: their
 * authors are at its domain or below it.
 */
const COUNTED = statement<ReportCounts>(`SELECT count(*) AS "all",
    count(CASE WHEN substr(author, length(author) - length($6::text)) IN ('@' || $6, '.' || $6) THEN 1 END) AS own
  FROM domain_reports WHERE ${OF_DAY} AND (author IS NULL) = $5::boolean`)
/** A row when the reports of the day have more than the given number of rows. */
const FULL = statement(`SELECT 1 AS full_day FROM domain_report_rows
  WHERE domain_id = $1 AND kind = $2 AND day = $3 AND verified = $5::boolean LIMIT 1 OFFSET $4`)
const KEEP = statement(`INSERT INTO domain_reports
    (domain_id, kind, reporter, report_id, begin_at, end_at, received_at, amount, failing, author)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (domain_id, kind, reporter, report_id) DO NOTHING`)
/**
 * The columns repeat the detail of a DMARC report, because the sums read them from an index. The column `policy` is not
 * written: the sums no longer need it, and nodes of earlier versions take NULL for a policy that could not be read. A
 * migration may remove it once no node writes it.
 */
const ADD = statement(
  ({ rows }) => `INSERT INTO domain_report_rows
      (domain_id, kind, day, key, detail, amount, source, dkim, spf, disposition, dkim_domain, spf_domain, verified)
    SELECT $1::text, $2::text, j.day, j.key, j.detail, j.amount,
      j.source, j.dkim, j.spf, j.disposition, j."dkimDomain", j."spfDomain",
      $4::boolean
    FROM ${rows('$3', {
      day: 'text',
      key: 'text',
      detail: 'text',
      amount: 'bigint',
      source: 'text',
      dkim: 'boolean',
      spf: 'boolean',
      disposition: 'text',
      dkimDomain: 'text',
      spfDomain: 'text',
    })}
    WHERE true ORDER BY j.day, j.key
    ON CONFLICT (domain_id, kind, day, key) DO UPDATE SET amount = domain_report_rows.amount + excluded.amount`,
)
/** Fills these columns in rows from nodes of a version without them: nodes may be updated one by one. */
const FILL = statement(({ engine }) => {
  const [detail, flag] = engine === 'postgres' ? ['detail::json', '::boolean'] : ['detail', '']
  const field = (name: string) => `${detail} ->> '${name}'`
  return `UPDATE domain_report_rows SET source = substr(${field('source')}, 1, 45),
      dkim = (${field('dkim')})${flag}, spf = (${field('spf')})${flag},
      disposition = ${field('disposition')}, dkim_domain = ${field('dkimDomain')}, spf_domain = ${field('spfDomain')}
    WHERE domain_id = $1 AND kind = 'dmarc' AND dkim IS NULL`
})
const RECEIVED = statement<ReceivedReport>(`SELECT domain_id AS "domainId", kind, reporter,
    report_id AS "reportId", begin_at AS "begin", end_at AS "end", received_at AS "receivedAt", amount, failing, author
  FROM domain_reports WHERE domain_id = $1 AND kind = $2 ORDER BY begin_at DESC LIMIT $3`)
/** A busy day has many rows, and their details are long, so only the details of the largest rows are read. */
const ROWS = statement<DomainReportRow>(`SELECT r.day, r.key, r.detail, r.amount
  FROM (SELECT day, key, row_number() OVER (PARTITION BY day ORDER BY amount DESC, key) AS place
    FROM domain_report_rows WHERE domain_id = $1 AND kind = $2 AND day BETWEEN $3 AND $4) AS l
  JOIN domain_report_rows r ON r.domain_id = $1 AND r.kind = $2 AND r.day = l.day AND r.key = l.key
  WHERE l.place <= $5 ORDER BY r.day DESC, r.amount DESC, r.key`)

/** Anybody may write a report: as numbers with a fraction, no sum is too large for its reader. */
const sum = (amount: string) => `CAST(sum(${amount}) AS double precision)`
const sumWhere = (condition: string) => sum(`CASE WHEN ${condition} THEN amount ELSE 0 END`)
const FAILING = sumWhere('NOT dkim AND NOT spf')
/**
 * Selects rows of DMARC reports by the condition of the index, whose rows are a quarter as large as those of the table.
 */
const SINCE = 'WHERE domain_id = $1 AND dkim IS NOT NULL AND day >= $2'
const DAYS = statement<DmarcDayRow>(`SELECT day, verified, ${sum('amount')} AS messages, ${FAILING} AS failing
  FROM domain_report_rows ${SINCE} GROUP BY day, verified ORDER BY day DESC, verified DESC`)
const SOURCES = statement<DmarcSourceRow>(`SELECT source, ${sum('amount')} AS messages,
    ${sumWhere('NOT verified')} AS unverified,
    ${sumWhere('dkim')} AS dkim, ${sumWhere('spf')} AS spf, ${FAILING} AS failing,
    ${sumWhere("disposition = 'quarantine'")} AS quarantined, ${sumWhere("disposition = 'reject'")} AS rejected,
    min(dkim_domain) AS "firstDkim", max(dkim_domain) AS "lastDkim",
    min(spf_domain) AS "firstSpf", max(spf_domain) AS "lastSpf"
  FROM domain_report_rows ${SINCE} GROUP BY source
  ORDER BY ${sumWhere('verified AND NOT dkim AND NOT spf')} DESC, failing DESC, messages DESC, source LIMIT $3`)
/**
 * Without a proven author the name that a report gives is all that is known of its reporter. Sorted by the share of
 * failing messages, not by their number, so that a reporter that invents large numbers displaces no other.
 */
const REPORTERS =
  statement<DmarcReporterSum>(`SELECT max(reporter) AS name, author, ${sum('amount')} AS messages,
    ${sum('failing')} AS failing
  FROM domain_reports WHERE domain_id = $1 AND kind = 'dmarc' AND begin_at >= $2
  GROUP BY author, CASE WHEN author IS NULL THEN reporter ELSE '' END
  ORDER BY (author IS NULL), ${sum('failing')} / CASE WHEN sum(amount) > 100 THEN ${sum('amount')} ELSE 100 END DESC,
    messages DESC, name, author LIMIT $3`)

const FORGET_DAYS = [
  forgetBefore('tls_sessions', 'domain, day, key', 'day'),
  forgetBefore('tls_reports', 'domain, day', 'day'),
  forgetBefore('domain_report_rows', 'domain_id, kind, day, key', 'day'),
]
const FORGET_REPORTS = forgetBefore('domain_reports', 'domain_id, kind, reporter, report_id', 'begin_at')

export const domainReportReads = {
  *tlsSessions(port, domain, day, limit) {
    return yield* port.read.all(SESSIONS, domain, day, limit)
  },

  *tlsReports(port, { domain, day, limit }) {
    const days = [day ?? FIRST_DAY, day ?? LAST_DAY] as const
    const rows =
      domain === undefined
        ? yield* port.read.all(OF_ALL, ...days, limit)
        : yield* port.read.all(OF_DOMAIN, domain, ...days, limit)
    return rows.map(reportOf)
  },

  *domainReports(port, domainId, kind, limit) {
    return (yield* port.read.all(RECEIVED, domainId, kind, limit)).map(receivedOf)
  },

  *dmarcSums(port, domainId, since, most) {
    return yield* port.snapshot(function* (db) {
      const sources = yield* db.all(SOURCES, domainId, since, most.sources)
      const days = yield* db.all(DAYS, domainId, since)
      return {
        days: days.map((day) => ({ ...day, verified: Boolean(day.verified) })),
        sources: sources.map(sourceOf),
        reporters: yield* db.all(REPORTERS, domainId, Date.parse(since), most.reporters),
      }
    })
  },

  *domainReportRows(port, domainId, kind, { from, to }, ofDay) {
    return yield* port.read.all(ROWS, domainId, kind, from, to, ofDay)
  },
} satisfies Operations<ReadPort>

export const domainReportWrites = {
  *countTlsSessions(port, counts, due) {
    yield* port.transaction(function* (db) {
      yield* db.run(PLAN, due)
      yield* db.run(COUNT, counts)
    })
  },

  *claimTlsReports(port, { now, until, limit }) {
    if ((yield* port.read.one(SOME_DUE, now)) === undefined) return []
    return (yield* port.write.all(CLAIM, now, until, limit)).map(reportOf)
  },

  *noteTlsReport(port, { domain, day, state, dueAt, sentTo, sentAt, fault }) {
    const faultText = fault?.replaceAll('\0', '') ?? null
    yield* port.write.run(NOTE, domain, day, state, dueAt, JSON.stringify(sentTo), sentAt, faultText)
  },

  *keepDomainReport(port, report, { named, unnamed }, most) {
    const { domainId, kind, reporter, begin, end, receivedAt, amount, failing, author, organization } = report
    return yield* port.transaction<KeepResult>(function* (db) {
      const names = [domainId, kind, reporter, keptId(report)] as const
      if ((yield* db.one(KNOWN, ...names)) !== undefined) return 'repeated'
      const midnight = begin - (begin % DAY_MS)
      const ofDay = [domainId, kind, midnight, midnight + DAY_MS - 1] as const
      const isVerified = author !== null
      const counted = yield* db.one(COUNTED, ...ofDay, !isVerified, organization ?? '')
      const shortage = shortageOf(isVerified, counted!, most)
      if (shortage !== null) return shortage
      const period = [begin, end, receivedAt] as const
      const kept = yield* db.run(KEEP, ...names, ...period, amount, failing, author)
      if (kept === 0) return 'repeated'
      if (kind === 'dmarc') yield* db.run(FILL, domainId)
      const of = utcDay(midnight)
      const isFull = (yield* db.one(FULL, domainId, kind, of, most.rows - 1, isVerified)) !== undefined
      yield* db.run(ADD, domainId, kind, withColumns(kind, isFull ? unnamed : named), isVerified)
      return 'kept'
    })
  },

  *forgetDomainReports(port, before, limit) {
    const day = utcDay(before)
    let removed = 0
    for (const forget of FORGET_DAYS) removed += yield* port.write.run(forget, day, limit)
    return removed + (yield* port.write.run(FORGET_REPORTS, Math.round(before), limit))
  },
} satisfies Operations<Port>

/** Why a day has no room for another report; null: it has. */
function shortageOf(
  isVerified: boolean,
  { all, own }: ReportCounts,
  { proven, others }: ReportLimits,
): 'day_full' | 'share_used' | null {
  if (!isVerified) return all < others ? null : 'day_full'
  const pool = new SharedPool(proven)
  pool.take(all)
  if (pool.exhausted) return 'day_full'
  return pool.allows(own) ? null : 'share_used'
}

function reportOf(row: ReportRow): StoredTlsReport {
  return { ...row, sentTo: JSON.parse(row.sentTo) as string[] }
}

/**
 * The id of a report, with its author, so that nobody else can take it. Without a proven author it begins with the
 * mark; the ids of earlier versions have no mark.
 */
function keptId({ author, reportId }: Pick<ReceivedReport, 'author' | 'reportId'>): string {
  return `${author ?? ''}${AUTHOR_MARK}${reportId}`
}

/** A character that neither ids nor addresses contain. */
const AUTHOR_MARK = '\n'

function receivedOf(report: ReceivedReport): ReceivedReport {
  return { ...report, reportId: report.reportId.slice(report.reportId.indexOf(AUTHOR_MARK) + 1) }
}

function withColumns(kind: DomainReportKind, rows: readonly DomainReportRow[]): readonly object[] {
  if (kind !== 'dmarc') return rows
  return rows.map((row) => ({ ...(JSON.parse(row.detail) as DmarcDetail), ...row }))
}

function sourceOf({ firstDkim, lastDkim, firstSpf, lastSpf, ...sums }: DmarcSourceRow): DmarcSourceSum {
  const domains = [firstDkim, lastDkim, firstSpf, lastSpf].filter((name) => name !== null)
  return { ...sums, domains: [...new Set(domains)] }
}
