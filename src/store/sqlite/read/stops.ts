import type { DatabaseSync } from 'node:sqlite'
import type { SuppressionsBatch } from '../../store.ts'
import type { Direct } from '../protocol.ts'
import { all, one } from '../rows.ts'

/** The reasons to stop mail, for a node that holds some. */
export function stops(db: DatabaseSync): Direct<'cancelRequests' | 'suppressionsSince'> {
  const cancelRequests = db.prepare(
    `SELECT DISTINCT e.id FROM recipients r INDEXED BY recipients_to_cancel CROSS JOIN emails e ON e.num = r.email
     WHERE r.cancel = 1`,
  )
  const latest = db.prepare("SELECT value FROM counters WHERE name = 'suppressions'")
  const suppressed = db.prepare(
    `SELECT c.id AS companyId, s.address FROM suppressions s INDEXED BY suppressions_by_seq
     CROSS JOIN companies c ON c.num = s.company WHERE s.seq > ?`,
  )
  return {
    cancelRequests: () => all<{ id: string }>(cancelRequests).map(({ id }) => id),
    suppressionsSince(cursor) {
      const { value } = one<{ value: number }>(latest)!
      const added = cursor === null ? [] : all<SuppressionsBatch['added'][number]>(suppressed, Number(cursor))
      return { cursor: String(value), added }
    },
  }
}
