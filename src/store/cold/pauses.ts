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

/** A row of mail `q` that no pause covers. */
const NOT_PAUSED = `NOT EXISTS (
    SELECT 1 FROM pauses p WHERE p.company IN (0, q.company) AND p.domain IN ('', q.domain)
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
    return yield* port.read.all(LIST)
  },

  *oldestDue(port) {
    return (yield* port.read.one(OLDEST_DUE))?.at ?? null
  },
} satisfies Operations<ReadPort>

export const pauseWrites = {
  *pause(port, { since, ...scope }) {
    yield* change(port, ADD, scope, Math.round(since))
  },

  *resume(port, scope) {
    return yield* change(port, END, scope)
  },
} satisfies Operations<Port>

/** True when something was changed. Company 0 stands for all companies, and an empty domain for all domains. */
function* change(
  port: Port,
  statement: ColdStatement,
  { companyId, domain }: PauseScope,
  ...more: ParameterValue[]
): PortSteps<boolean> {
  const company = companyId === null ? 0 : yield* companyNumber(port, companyId)
  return yield* port.notice('stops', function* (db) {
    return (yield* db.run(statement, company, domain ?? '', ...more)) > 0
  })
}
