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

export const pauseReads = {
  *pauses(port) {
    return yield* port.read.all(LIST)
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
