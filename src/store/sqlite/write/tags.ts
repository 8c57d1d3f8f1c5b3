import type { DatabaseSync } from 'node:sqlite'
import type { Direct } from '../protocol.ts'

export function tags(db: DatabaseSync): Direct<'noteTag'> {
  const note = db.prepare(
    `INSERT OR REPLACE INTO tags (domain_id, tag, description, removed_at)
     SELECT id, lower(?2), ?3, ?4 FROM domains WHERE id = ?1`,
  )
  return {
    noteTag({ domainId, tag, description, removedAt }) {
      note.run(domainId, tag, description, removedAt)
    },
  }
}
