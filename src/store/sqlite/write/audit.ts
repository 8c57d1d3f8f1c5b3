import type { DatabaseSync } from 'node:sqlite'
import { mapText } from '../../json-columns.ts'
import { SETTLE_AUDIT, TRIM_AUDIT, UNDO_AUDIT } from '../../people-statements.ts'
import type { Direct } from '../protocol.ts'
import { numbered, one } from '../rows.ts'
import type { Parts } from './parts.ts'

/** What was changed by whom. */
export function audit(db: DatabaseSync, { companies }: Parts): Direct<'addAudit' | 'settleAudit'> {
  // Numbers rise, also where the last entry was removed.
  const next = db.prepare("UPDATE counters SET value = value + 1 WHERE name = 'audit' RETURNING value")
  const add = db.prepare(
    `INSERT INTO audit (number, at, company, actor_kind, actor_id, actor_name, action, target, detail, done)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0)`,
  )
  const trim = db.prepare(numbered(TRIM_AUDIT))
  const settle = db.prepare(numbered(SETTLE_AUDIT))
  const undo = db.prepare(numbered(UNDO_AUDIT))
  const numberOf = (companyId: string | null) => (companyId === null ? 0 : companies.number(companyId))
  return {
    addAudit({ at, companyId, actor: { kind, id, name }, action, target, detail }) {
      const company = numberOf(companyId)
      const { value: number } = one<{ value: number }>(next)!
      add.run(number, at, company, kind, id, name, action, target, mapText(detail))
      trim.run(company)
      return number
    },

    settleAudit(number, done) {
      if (done === null) undo.run(number)
      else settle.run(number, done.target, mapText(done.detail), numberOf(done.companyId), 1)
    },
  }
}
