import type { DatabaseSync } from 'node:sqlite'
import type { NewAuditEntry } from '../../../people/person.ts'
import { mapText } from '../../json-columns.ts'
import { auditValues } from '../../people-rows.ts'
import { AUDIT_VALUES, SETTLE_AUDIT, TRIM_AUDIT, UNDO_AUDIT } from '../../people-statements.ts'
import type { Direct } from '../protocol.ts'
import { numbered, one } from '../rows.ts'
import type { Parts } from './parts.ts'

/** Returns a function that adds an entry to the list, and returns its number. */
export function auditWriter(
  db: DatabaseSync,
  { companies }: Parts,
): (entry: NewAuditEntry, done: boolean) => number {
  // Numbers rise even when the last entry was removed.
  const next = db.prepare("UPDATE counters SET value = value + 1 WHERE name = 'audit' RETURNING value")
  const add = db.prepare(
    `INSERT INTO audit (${AUDIT_VALUES}, done, number) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const trim = db.prepare(numbered(TRIM_AUDIT))
  return (entry, done) => {
    const company = entry.companyId === null ? 0 : companies.number(entry.companyId)
    const { value: number } = one<{ value: number }>(next)!
    add.run(...auditValues(entry, company), Number(done), number)
    trim.run(company, entry.topic)
    return number
  }
}

/** The audit list: what people changed. */
export function audit(db: DatabaseSync, parts: Parts): Direct<'addAudit' | 'settleAudit'> {
  const { companies } = parts
  const add = auditWriter(db, parts)
  const settle = db.prepare(numbered(SETTLE_AUDIT))
  const undo = db.prepare(numbered(UNDO_AUDIT))
  const numberOf = (companyId: string | null) => (companyId === null ? 0 : companies.number(companyId))
  return {
    addAudit: (entry) => add(entry, false),

    settleAudit(number, done) {
      if (done === null) undo.run(number)
      else settle.run(number, done.target, mapText(done.detail), numberOf(done.companyId), 1)
    },
  }
}
