/** The audit list: what people changed. */
import type { AuditEntry, NewAuditEntry } from '../../people/person.ts'
import { mapOf, mapText } from '../json-columns.ts'
import type { AuditFilter } from '../people-store.ts'
import { companyNumber } from './companies.ts'
import { Conditions } from './conditions.ts'
import type { Operations, Port, PortSteps, PortTransaction, ReadPort } from './port.ts'
import { type ColdStatement, dynamicStatement, statement } from './statement.ts'

/**
 * Entries kept of each topic for each company, and for the installation: the newest. No company fills the list for
 * others, and no amount of sign-ins hides a change.
 */
export const AUDIT_KEPT = 10_000
/** Excess entries removed with each new entry. */
export const AUDIT_STEP = 100
/** Milliseconds by which the clocks of nodes may differ: an entry gets its time before its number. */
const SKEW = 600_000

const COLUMNS = 'company, at, actor_kind, actor_id, actor_name, topic, action, target, detail, done'
const TRIM = statement(
  ({ isAmong }) =>
    `DELETE FROM audit WHERE ${isAmong('number', `FROM audit WHERE company = $1 AND topic = $2 ORDER BY number DESC LIMIT ${AUDIT_STEP} OFFSET ${AUDIT_KEPT}`)}`,
)
const SETTLE = statement(
  'UPDATE audit SET target = $2, detail = $3, company = $4, done = true WHERE number = $1',
)
const UNDO = statement('DELETE FROM audit WHERE number = $1')

type AuditRow = Omit<AuditEntry, 'actor' | 'detail' | 'done'> &
  AuditEntry['actor'] & { detail: string | null; done: number | boolean }

export const auditReads = {
  *audit(port, filter) {
    const [page, values] = pageOf(filter)
    return (yield* port.read.all(page, ...values)).map(entryOf)
  },
} satisfies Operations<ReadPort>

export const auditWrites = {
  *addAudit(port, entry) {
    const company = yield* numberOf(port, entry.companyId)
    return yield* port.transaction((db) => add(db, entry, company, false))
  },

  *settleAudit(port, number, done) {
    if (done === null) {
      yield* port.write.run(UNDO, number)
      return
    }
    const company = yield* numberOf(port, done.companyId)
    yield* port.write.run(SETTLE, number, done.target, mapText(done.detail), company)
  },
} satisfies Operations<Port>

/**
 * Returns a function that adds entries of completed actions in the commit of another change. Companies are looked up
 * before that begins.
 */
export function* auditNotes(
  port: Port,
  entries: readonly NewAuditEntry[],
): PortSteps<(db: PortTransaction) => PortSteps<void>> {
  const numbered: [entry: NewAuditEntry, company: number][] = []
  for (const entry of entries) numbered.push([entry, yield* numberOf(port, entry.companyId)])
  return function* (db) {
    for (const [entry, company] of numbered) yield* add(db, entry, company, true)
  }
}

function* add(db: PortTransaction, entry: NewAuditEntry, company: number, done: boolean): PortSteps<number> {
  const { at, actor, topic, action, target, detail } = entry
  const values = [company, at, actor.kind, actor.id, actor.name, topic, action, target, mapText(detail), done]
  const number = yield* db.insertNumbered('audit', COLUMNS, values)
  yield* db.run(TRIM, company, topic)
  return number
}

/** Company 0 is the installation. */
function* numberOf(port: Port, companyId: string | null): PortSteps<number> {
  return companyId === null ? 0 : yield* companyNumber(port, companyId)
}

function entryOf({ kind, id, name, detail, done, ...row }: AuditRow): AuditEntry {
  return { ...row, actor: { kind, id, name }, detail: mapOf(detail), done: Boolean(done) }
}

/** Numbers rise with time, so the bounds of a page are found by number, whatever else is filtered. */
function pageOf(filter: AuditFilter): [page: ColdStatement<AuditRow>, values: Conditions['values']] {
  const { companyId, before, after, actor, action, topic, from, to, limit } = filter
  const conditions = new Conditions()
  conditions.ofCompany('a.company', companyId)
  conditions.where(before, (number) => `a.number < ${number}`)
  conditions.where(after, (number) => `a.number > ${number}`)
  conditions.where(actor, (name) => `a.actor_name = ${name}`)
  conditions.where(action, (name) => `a.action = ${name}`)
  conditions.where(topic, (name) => `a.topic = ${name}`)
  conditions.where(from, (at) => `a.at >= ${at}`)
  conditions.where(
    from && from - SKEW,
    (at) => `a.number > COALESCE((SELECT number FROM audit WHERE at < ${at}
    ORDER BY at DESC LIMIT 1), ${Number.MIN_SAFE_INTEGER})`,
  )
  conditions.where(to, (at) => `a.at < ${at}`)
  conditions.where(
    to && to + SKEW,
    (at) => `a.number < COALESCE((SELECT number FROM audit WHERE at >= ${at}
    ORDER BY at LIMIT 1), ${Number.MAX_SAFE_INTEGER})`,
  )
  const page = `SELECT a.number, a.at, c.id AS "companyId", a.actor_kind AS kind, a.actor_id AS id, a.actor_name AS name,
      a.topic, a.action, a.target, a.detail, a.done
    FROM audit a LEFT JOIN companies c ON c.num = a.company ${conditions.clause}
    ORDER BY a.number DESC LIMIT ${conditions.place(limit)}`
  return [dynamicStatement(page), conditions.values]
}
