/** The sites as each node sees them. A report ends with its node. */
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
/** Removes the report of a node that has ended. */
export const FORGET_REPORT = statement('DELETE FROM site_reports WHERE node = $1')
export const FORGET_REPORTS = statement('DELETE FROM site_reports')

export const siteReportReads = {
  *siteReports(port) {
    const rows = yield* port.read.all(ALL)
    return rows.map((row) => ({ ...row, sites: sitesOf(row.sites) }))
  },
} satisfies Operations<ReadPort>

/** A node of an earlier version reports no sources. */
function sitesOf(text: string): SiteState[] {
  return (JSON.parse(text) as SiteState[]).map((site) => ({ ...site, sources: site.sources ?? [] }))
}

export const siteReportWrites = {
  *reportSites({ write }, { node, at, sites }) {
    yield* write.run(REPORT, node, Math.round(at), JSON.stringify(sites))
  },
} satisfies Operations<Port>
