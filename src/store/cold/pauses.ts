/** The operator's pauses. Nodes read them, and leave paused mail out of their claims. */
import type { Pause, PauseScope } from '../store.ts'
import { companyNumber } from './companies.ts'
import type { Operations, ParameterValue, Port, PortSteps, ReadPort } from './port.ts'
import { type ColdStatement, statement } from './statement.ts'

const LIST = statement<Pause>(`SELECT c.id AS "companyId", nullif(p.domain, '') AS domain, p.since
  FROM pauses p LEFT JOIN companies c ON c.num = p.company ORDER BY p.company, p.domain`)
const ADD = statement(
  'INSERT INTO pauses (company, domain, since) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
)
const END = statement('DELETE FROM pauses WHERE company = $1 AND domain = $2')
const LIST_SITES = statement<SitePauseRow>(`SELECT c.id AS "companyId", p.site, p.name, p.since
  FROM site_pauses p LEFT JOIN companies c ON c.num = p.company ORDER BY p.company, p.site`)
const ADD_SITE = statement(
  'INSERT INTO site_pauses (company, site, name, since) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
)
const END_SITE = statement('DELETE FROM site_pauses WHERE company = $1 AND site = $2')

interface SitePauseRow extends Pick<Pause, 'companyId' | 'since'> {
  site: string
  name: string
}

/**
 * A row of mail `q` that no pause covers. With OFFSET, PostgreSQL looks at a row at a time: as a join, it expects one
 * row to be left of all, and reads and sorts them all for the first.
 */
const NOT_PAUSED = `NOT EXISTS (
    SELECT 1 FROM pauses p WHERE p.company IN (0, q.company) AND p.domain IN ('', q.domain) LIMIT 1 OFFSET 0
  )`

/** The `+ 0` makes PostgreSQL take the index by time. */
const waitingBy = (ready: string) =>
  `(SELECT q.due_at AS at FROM queue q WHERE q.lease IS NULL AND ${ready} AND ${NOT_PAUSED} ORDER BY q.due_at + 0 LIMIT 1)`

const OLDEST_DUE = statement<{ at: number | null }>(({ engine }) =>
  engine === 'postgres'
    ? `SELECT min(at) AS at FROM (${waitingBy('q.ready')} UNION ALL ${waitingBy('NOT q.ready')}) AS chosen`
    : `SELECT q.due_at AS at FROM lanes q INDEXED BY lanes_by_due WHERE ${NOT_PAUSED} ORDER BY q.due_at LIMIT 1`,
)

export const pauseReads = {
  *pauses(port) {
    const pauses = yield* port.read.all(LIST)
    const ofSites = yield* port.read.all(LIST_SITES)
    return [
      ...pauses,
      ...ofSites.map(({ companyId, site: key, name, since }) => {
        return { companyId, domain: null, site: { key, name }, since }
      }),
    ]
  },

  *oldestDue(port) {
    return (yield* port.read.one(OLDEST_DUE))?.at ?? null
  },
} satisfies Operations<ReadPort>

export const pauseWrites = {
  *pause(port, { since, ...scope }) {
    const { site } = scope
    const at = Math.round(since)
    if (site === undefined) yield* change(port, ADD, scope, at)
    else yield* change(port, ADD_SITE, scope, site.name, at)
  },

  *resume(port, scope) {
    return yield* change(port, scope.site === undefined ? END : END_SITE, scope)
  },
} satisfies Operations<Port>

/** True when something was changed. Company 0 stands for all companies, and an empty domain for all domains. */
function* change(
  port: Port,
  statement: ColdStatement,
  { companyId, domain, site }: PauseScope,
  ...more: ParameterValue[]
): PortSteps<boolean> {
  const company = companyId === null ? 0 : yield* companyNumber(port, companyId)
  return yield* port.notice('stops', function* (db) {
    return (yield* db.run(statement, company, site?.key ?? domain ?? '', ...more)) > 0
  })
}
