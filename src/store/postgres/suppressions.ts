import type { Suppression, SuppressionStore } from '../store.ts'
import { withNotice } from './change-notice.ts'
import type { Parts } from './parts.ts'
import { folded } from './rows.ts'

const LIST = `SELECT c.id AS "companyId", s.address, s.reason, s.created_at AS "createdAt", s.email_id AS "emailId"
  FROM suppressions s JOIN companies c ON c.num = s.company
  WHERE ($1::text IS NULL OR c.id = $1) AND ($2::text IS NULL OR s.folded = $2)
  ORDER BY s.created_at DESC, s.folded LIMIT $3`

const ADD = `INSERT INTO suppressions (company, folded, address, reason, created_at) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT DO NOTHING RETURNING 1`

const REMOVE = 'DELETE FROM suppressions WHERE company = $1 AND folded = $2 RETURNING 1'

/**
 * The cursor is the oldest transaction that was still under way: those from it on may commit later, and are told
 * (again) with the next answer. Rows of transactions to come have been brought from another server, where numbers were
 * higher.
 */
const CURSOR = 'pg_snapshot_xmin(pg_current_snapshot())::text AS cursor'
const SINCE = `SELECT ${CURSOR}, c.id AS "companyId", s.address
  FROM (VALUES (1)) AS always
  LEFT JOIN (suppressions s JOIN companies c ON c.num = s.company)
    ON s.added_by >= $1::text::xid8 AND s.added_by < pg_snapshot_xmax(pg_current_snapshot())`

interface SinceRow {
  cursor: string
  companyId: string | null
  address: string | null
}

/** Addresses a company's mail no longer goes to, as the operator and the nodes look at them. */
export function suppressions(parts: Parts): SuppressionStore {
  const { database, companies, changes } = parts
  return {
    /** Newest first. */
    listSuppressions({ companyId, address, limit }) {
      const compared = address === undefined ? null : folded(address)
      return database.read<Suppression>(LIST, [companyId ?? null, compared, limit])
    },

    async addSuppression(companyId, address, reason, at) {
      const company = await companies.number(companyId)
      return await withNotice(parts, 'stops', async (session) => {
        const values = [company, folded(address), address, reason, Math.round(at)]
        return (await session.run(ADD, values)).length > 0
      })
    },

    async removeSuppression(companyId, address) {
      const company = await companies.filter(companyId)
      if (company === undefined) return false
      const removed = (await database.write(REMOVE, [company, folded(address)])).length > 0
      if (removed) changes.queueChanged()
      return removed
    },

    async suppressionsSince(cursor) {
      if (cursor === null) {
        const [row] = await database.read<{ cursor: string }>(`SELECT ${CURSOR}`)
        return { cursor: row!.cursor, added: [] }
      }
      const rows = await database.read<SinceRow>(SINCE, [cursor])
      const added = rows.flatMap(({ companyId, address }) =>
        companyId === null || address === null ? [] : [{ companyId, address }],
      )
      return { cursor: rows[0]!.cursor, added }
    },
  }
}
