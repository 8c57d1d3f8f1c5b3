/** The sites as each node sees them. The report of a node that has ended is kept until the next one starts. */
import type { SiteReport, SiteState } from '../site-state.ts'
import type { Operations, Port, ReadPort } from './port.ts'
import { statement } from './statement.ts'

type ReportRow = Omit<SiteReport, 'sites'> & { sites: string }

const ALL = statement<ReportRow>(
  `SELECT r.node, r.at, r.sites FROM site_reports r JOIN nodes n ON n.token = r.node ORDER BY r.node`,
)
const REPORT = statement(
  `INSERT INTO site_reports (node, at, sites) VALUES ($1, $2, $3)
    ON CONFLICT (node) DO UPDATE SET at = excluded.at, sites = excluded.sites`,
  'site_report',
)
const TAKE_PAST = statement<ReportRow>(
  'DELETE FROM site_reports WHERE node NOT IN (SELECT token FROM nodes) RETURNING node, at, sites',
)

export const siteReportReads = {
  *siteReports(port) {
    return (yield* port.read.all(ALL)).map(reportOf)
  },
} satisfies Operations<ReadPort>

function reportOf(row: ReportRow): SiteReport {
  return { ...row, sites: sitesOf(row.sites) }
}

/** A node of an earlier version reports no sources. */
function sitesOf(text: string): SiteState[] {
  return (JSON.parse(text) as SiteState[]).map((site) => ({ ...site, sources: site.sources ?? [] }))
}

export const siteReportWrites = {
  *reportSites({ write }, { node, at, sites }) {
    yield* write.run(REPORT, node, Math.round(at), JSON.stringify(sites))
  },

  *takePastReports({ write }) {
    return (yield* write.all(TAKE_PAST)).map(reportOf)
  },
} satisfies Operations<Port>
