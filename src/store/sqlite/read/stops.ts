import type { DatabaseSync } from 'node:sqlite'
import type { Direct } from '../protocol.ts'
import { all } from '../rows.ts'

/** The requests to cancel mail, for a node that holds some. */
export function stops(db: DatabaseSync): Direct<'cancelRequests'> {
  const cancelRequests = db.prepare(
    `SELECT DISTINCT e.id FROM recipients r INDEXED BY recipients_to_cancel CROSS JOIN emails e ON e.num = r.email
     WHERE r.cancel = 1`,
  )
  return { cancelRequests: () => all<{ id: string }>(cancelRequests).map(({ id }) => id) }
}
