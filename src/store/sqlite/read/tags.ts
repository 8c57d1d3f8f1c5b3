import type { DatabaseSync } from 'node:sqlite'
import type { TagNote } from '../../tag-store.ts'
import type { Direct } from '../protocol.ts'
import { all } from '../rows.ts'

export function tags(db: DatabaseSync): Direct<'tagNotes'> {
  const notes = db.prepare(
    `SELECT domain_id AS domainId, tag, description, removed_at AS removedAt FROM tags
     WHERE domain_id = ? ORDER BY tag`,
  )
  return { tagNotes: (domainId) => all<TagNote>(notes, domainId) }
}
