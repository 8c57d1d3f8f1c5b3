import { mapText } from '../json-columns.ts'
import { type AuditRow, auditOf } from '../people-rows.ts'
import {
  AUDIT_PAGE,
  AUDIT_PAGE_OF_COMPANY,
  SETTLE_AUDIT,
  TRIM_AUDIT,
  UNDO_AUDIT,
} from '../people-statements.ts'
import type { PeopleStore } from '../people-store.ts'
import type { Parts } from './parts.ts'

const ADD = `INSERT INTO audit (at, company, actor_kind, actor_id, actor_name, action, target, detail, done)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, false) RETURNING number`

/** What was changed by whom. */
export function audit({
  database,
  companies,
}: Parts): Pick<PeopleStore, 'addAudit' | 'settleAudit' | 'audit'> {
  const numberOf = async (companyId: string | null) =>
    companyId === null ? 0 : await companies.number(companyId)
  return {
    async addAudit({ at, companyId, actor: { kind, id, name }, action, target, detail }) {
      const company = await numberOf(companyId)
      const values = [at, company, kind, id, name, action, target, mapText(detail)]
      return await database.transaction(async (session) => {
        const [added] = await session.run<{ number: number }>(ADD, values)
        await session.run(TRIM_AUDIT, [company])
        return added!.number
      })
    },

    async settleAudit(number, done) {
      if (done === null) {
        await database.write(UNDO_AUDIT, [number])
        return
      }
      const company = await numberOf(done.companyId)
      await database.write(SETTLE_AUDIT, [number, done.target, mapText(done.detail), company, true])
    },

    async audit({ companyId, before = Number.MAX_SAFE_INTEGER, limit }) {
      const rows =
        companyId === null
          ? database.read<AuditRow>(AUDIT_PAGE, [before, limit])
          : database.read<AuditRow>(AUDIT_PAGE_OF_COMPANY, [before, limit, companyId])
      return (await rows).map(auditOf)
    },
  }
}
