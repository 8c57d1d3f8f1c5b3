import type { TagNote, TagStore } from '../tag-store.ts'
import type { Parts } from './parts.ts'
import { foldedIn } from './rows.ts'

const NOTES = `SELECT domain_id AS "domainId", tag, description, removed_at AS "removedAt" FROM tags
  WHERE domain_id = $1 AND ($2::text IS NULL OR tag = ${foldedIn('$2::text')}) ORDER BY tag`
const NOTE = `INSERT INTO tags (domain_id, tag, description, removed_at)
  SELECT id, ${foldedIn('$2::text')}, $3, $4 FROM domains WHERE id = $1
  ON CONFLICT (domain_id, tag) DO UPDATE SET description = excluded.description, removed_at = excluded.removed_at`

export function tags({ database }: Parts): TagStore {
  return {
    tagNotes: (domainId, tag) => database.read<TagNote>(NOTES, [domainId, tag ?? null]),
    async noteTag({ domainId, tag, description, removedAt }) {
      await database.transaction((session) => session.run(NOTE, [domainId, tag, description, removedAt]))
    },
  }
}
