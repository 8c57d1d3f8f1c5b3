/** The operator's pauses. Nodes read them, and leave paused mail out of their claims. */
import type { Pause, PauseScope } from '../store.ts'
import { companyNumber } from './companies.ts'
import type { Operations, ParameterValue, Port, PortSteps, ReadPort } from './port.ts'
import { type ColdStatement, statement } from './statement.ts'

/** The condition that the pause `p` has not ended by itself by the time of the given parameter. */
const notOver = (parameter: string) => `(p.until IS NULL OR p.until > ${parameter})`

/**
 * The same, and that no operator has ended it: then it is over for every node, whatever its clock shows. Ended pauses
 * stay for a while, because the age of their mail counts from their end.
 */
export const inForce = (parameter: string) => `(p.ended IS NULL AND ${notOver(parameter)})`

/** When the pause `p` has ended, or will end; NULL: only an operator ends it. */
const END_OF_PAUSE = 'coalesce(p.ended, p.until)'

const LIST =
  statement<Pause>(`SELECT c.id AS "companyId", nullif(p.domain, '') AS domain, p.since, p.until, p.reason
  FROM pauses p LEFT JOIN companies c ON c.num = p.company WHERE ${inForce('$1')} ORDER BY p.company, p.domain`)
/** A pause that has ended is replaced as a whole. */
const taken = (isInForce: typeof inForce) =>
  `since = CASE WHEN ${isInForce('excluded.since')} THEN p.since ELSE excluded.since END,
    until = excluded.until, reason = excluded.reason`
const ADD =
  statement(`INSERT INTO pauses AS p (company, domain, since, until, reason) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (company, domain) DO UPDATE SET ${taken(inForce)}, ended = NULL`)
/** A node of an earlier version reads the end from `until` alone. */
const END = statement(
  `UPDATE pauses AS p SET ended = $3, until = -CAST($3 AS bigint) WHERE company = $1 AND domain = $2 AND ${inForce('$3')}`,
)
const FORGET = statement(`DELETE FROM pauses AS p WHERE ${END_OF_PAUSE} < $1`)
const FORGET_SITES = statement('DELETE FROM site_pauses WHERE until < $1')
const LIST_SITES =
  statement<SitePauseRow>(`SELECT c.id AS "companyId", p.site, p.name, p.since, p.until, p.reason
  FROM site_pauses p LEFT JOIN companies c ON c.num = p.company WHERE ${notOver('$1')} ORDER BY p.company, p.site`)
const ADD_SITE = statement(`INSERT INTO site_pauses AS p (company, site, since, until, reason, name)
  VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (company, site) DO UPDATE SET ${taken(notOver)}`)
const END_SITE = statement('DELETE FROM site_pauses WHERE company = $1 AND site = $2')

interface SitePauseRow extends Omit<Pause, 'domain' | 'site'> {
  site: string
  name: string
}

/**
 * The latest ends of pauses (older ones matter to nobody), and 0, from which all mail counts that no pause has covered.
 * `which`: a further condition on the pause `p`.
 */
const endsOf = (which = 'TRUE') => `SELECT 0 AS at UNION ALL SELECT at FROM (
    SELECT DISTINCT ${END_OF_PAUSE} AS at FROM pauses p
    WHERE ${END_OF_PAUSE} <= $1 AND ${which} ORDER BY 1 DESC LIMIT 20
  ) AS last`

/**
 * The condition that no pause covers the mail `q` and is in force or has ended after the end `e`. OFFSET makes
 * PostgreSQL check one row at a time: for a join it would expect few rows to be left, and read and sort all rows to
 * find the first.
 */
const NOT_PAUSED = `NOT EXISTS (
    SELECT 1 FROM pauses p WHERE p.company IN (0, q.company) AND p.domain IN ('', q.domain)
      AND (${inForce('$1')} OR ${END_OF_PAUSE} > e.at)
    LIMIT 1 OFFSET 0
  )`

/**
 * Mail that several pauses covered is late since the end of the last one, so it is left out for the earlier ends.
 * `first`: the first due time of the other mail.
 */
const oldestOf = (
  ends: string,
  first: string,
) => `SELECT min(CASE WHEN due > ended THEN due ELSE ended END) AS at
    FROM (SELECT e.at AS ended, (${first}) AS due FROM (${ends}) AS e) AS found WHERE due IS NOT NULL`

/** The `+ 0` makes PostgreSQL take the index by time. */
const waitingBy = (ready: string) =>
  `(SELECT q.due_at AS at FROM queue q WHERE q.lease IS NULL AND ${ready} AND ${NOT_PAUSED} ORDER BY q.due_at + 0 LIMIT 1)`

interface OldestDueRow {
  at: number | null
}

const OLDEST_DUE = statement<OldestDueRow>(({ engine }) =>
  oldestOf(
    endsOf(),
    engine === 'postgres'
      ? `SELECT min(at) FROM (${waitingBy('q.ready')} UNION ALL ${waitingBy('NOT q.ready')}) AS chosen`
      : `SELECT q.due_at FROM lanes q INDEXED BY lanes_by_due WHERE ${NOT_PAUSED} ORDER BY q.due_at LIMIT 1`,
  ),
)

/** Mail of the company $2 that is due. */
const DUE_OF_COMPANY = 'q.company = $2 AND q.due_at <= $1'

/**
 * PostgreSQL takes the indexes by company, because in those by time the mail of all other companies may come first. Its
 * lanes of ready mail are looked up one after the other, and a pause covers them as a whole.
 */
const OLDEST_DUE_OF_COMPANY = statement<OldestDueRow>(({ engine }) => {
  const ends = endsOf('p.company IN (0, $2)')
  if (engine === 'sqlite') {
    return oldestOf(
      ends,
      `SELECT q.due_at FROM lanes q INDEXED BY lanes_of_company_by_due
        WHERE ${DUE_OF_COMPANY} AND ${NOT_PAUSED} ORDER BY q.due_at LIMIT 1`,
    )
  }
  const ready = 'q.lease IS NULL AND q.ready AND q.company = $2'
  const first = `SELECT min(at) FROM (
      (SELECT min(q.due_at) AS at FROM lane_firsts q WHERE ${DUE_OF_COMPANY} AND ${NOT_PAUSED})
      UNION ALL
      (SELECT q.due_at AS at FROM queue q WHERE q.lease IS NULL AND NOT q.ready AND ${DUE_OF_COMPANY} AND ${NOT_PAUSED}
       ORDER BY q.company, q.due_at LIMIT 1)
    ) AS chosen`
  return `WITH RECURSIVE walk (domain) AS (
      (SELECT q.domain FROM queue q WHERE ${ready} ORDER BY q.domain, q.due_at LIMIT 1)
      UNION ALL
      SELECT (SELECT q.domain FROM queue q WHERE ${ready} AND q.domain > w.domain ORDER BY q.domain, q.due_at LIMIT 1)
      FROM walk w WHERE w.domain IS NOT NULL
    ), lane_firsts AS MATERIALIZED (
      SELECT $2 AS company, w.domain,
        (SELECT q.due_at FROM queue q WHERE ${ready} AND q.domain = w.domain ORDER BY q.due_at LIMIT 1) AS due_at
      FROM walk w WHERE w.domain IS NOT NULL
    ) ${oldestOf(ends, first)}`
})

export const pauseReads = {
  *pauses(port, now) {
    const pauses = yield* port.read.all(LIST, now)
    const ofSites = yield* port.read.all(LIST_SITES, now)
    return [
      ...pauses,
      ...ofSites.map(({ site: key, name, ...pause }) => ({ ...pause, domain: null, site: { key, name } })),
    ]
  },

  *oldestDue(port, now) {
    return (yield* port.read.one(OLDEST_DUE, now))?.at ?? null
  },

  *oldestDueOf(port, companyId, now) {
    const company = yield* port.findCompany(companyId)
    if (company === undefined) return null
    return (yield* port.read.one(OLDEST_DUE_OF_COMPANY, now, company))?.at ?? null
  },
} satisfies Operations<ReadPort>

export const pauseWrites = {
  *pause(port, { since, until = null, reason = null, ...scope }) {
    const { site } = scope
    const given = [Math.round(since), until === null ? null : Math.round(until), reason]
    if (site === undefined) yield* change(port, ADD, scope, ...given)
    else yield* change(port, ADD_SITE, scope, ...given, site.name)
  },

  *resume(port, scope, now) {
    if (scope.site !== undefined) return yield* change(port, END_SITE, scope)
    return yield* change(port, END, scope, Math.round(now))
  },

  *forgetPauses(port, endedBefore) {
    const before = Math.round(endedBefore)
    return (yield* port.write.run(FORGET, before)) + (yield* port.write.run(FORGET_SITES, before))
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
