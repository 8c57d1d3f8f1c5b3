import type { NewAuditEntry } from '../../people/person.ts'
import { mapText } from '../json-columns.ts'
import { type AuditRow, auditOf, auditValues } from '../people-rows.ts'
import { AUDIT_VALUES, auditPage, SETTLE_AUDIT, TRIM_AUDIT, UNDO_AUDIT } from '../people-statements.ts'
import type { PeopleStore } from '../people-store.ts'
import type { Session } from './database.ts'
import type { Parts } from './parts.ts'

const ADD = `INSERT INTO audit (${AUDIT_VALUES}, done) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
  RETURNING number`

const numberOf = async ({ companies }: Pick<Parts, 'companies'>, companyId: string | null) =>
  companyId === null ? 0 : await companies.number(companyId)

/** Adds entries of completed actions in the same commit. Companies are looked up before it begins. */
export async function noting(
  parts: Pick<Parts, 'companies'>,
  entries: readonly NewAuditEntry[],
): Promise<(session: Session) => Promise<void>> {
  const numbers = await Promise.all(entries.map(({ companyId }) => numberOf(parts, companyId)))
  return async (session) => {
    for (const [index, entry] of entries.entries()) await add(session, entry, numbers[index]!, true)
  }
}

async function add(session: Session, entry: NewAuditEntry, company: number, done: boolean): Promise<number> {
  const [added] = await session.run<{ number: number }>(ADD, [...auditValues(entry, company), done])
  await session.run(TRIM_AUDIT, [company, entry.topic])
  return added!.number
}

/** The audit list: what people changed. */
export function audit(parts: Parts): Pick<PeopleStore, 'addAudit' | 'settleAudit' | 'audit'> {
  const { database } = parts
  return {
    async addAudit(entry) {
      const company = await numberOf(parts, entry.companyId)
      return await database.transaction((session) => add(session, entry, company, false))
    },

    async settleAudit(number, done) {
      if (done === null) {
        await database.write(UNDO_AUDIT, [number])
        return
      }
      const company = await numberOf(parts, done.companyId)
      await database.write(SETTLE_AUDIT, [number, done.target, mapText(done.detail), company, true])
    },

    async audit(filter) {
      const { text, values } = auditPage(filter)
      return (await database.read<AuditRow>(text, values)).map(auditOf)
    },
  }
}
