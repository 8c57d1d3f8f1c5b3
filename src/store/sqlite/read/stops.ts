import type { DatabaseSync } from 'node:sqlite'
import type { SuppressionsBatch } from '../../store.ts'
import type { Direct } from '../protocol.ts'
import { all, one } from '../rows.ts'

/** The reasons to stop mail, for a node that holds some. */
export function stops(db: DatabaseSync): Direct<'suppressionsSince'> {
  const latest = db.prepare("SELECT value FROM counters WHERE name = 'suppressions'")
  const suppressed = db.prepare(
    `SELECT c.id AS companyId, s.address FROM suppressions s INDEXED BY suppressions_by_seq
     CROSS JOIN companies c ON c.num = s.company WHERE s.seq > ?`,
  )
  return {
    suppressionsSince(cursor) {
      const { value } = one<{ value: number }>(latest)!
      const added = cursor === null ? [] : all<SuppressionsBatch['added'][number]>(suppressed, Number(cursor))
      return { cursor: String(value), added }
    },
  }
}
