/** Notes on tags. */
import type { TagNote } from '../tag-store.ts'
import type { Operations, Port, ReadPort } from './port.ts'
import { statement } from './statement.ts'

const NOTES = statement<TagNote>(
  ({ folded }) => `SELECT domain_id AS "domainId", tag, description, removed_at AS "removedAt" FROM tags
    WHERE domain_id = $1 AND ($2::text IS NULL OR tag = ${folded('$2::text')}) ORDER BY tag`,
)
const NOTE = statement(
  ({ folded }) => `INSERT INTO tags (domain_id, tag, description, removed_at)
    SELECT id, ${folded('$2::text')}, $3, $4 FROM domains WHERE id = $1
    ON CONFLICT (domain_id, tag) DO UPDATE SET description = excluded.description, removed_at = excluded.removed_at`,
)

export const tagReads = {
  *tagNotes(port, domainId, tag) {
    return yield* port.read.all(NOTES, domainId, tag ?? null)
  },
} satisfies Operations<ReadPort>

export const tagWrites = {
  *noteTag(port, { domainId, tag, description, removedAt }) {
    yield* port.write.run(NOTE, domainId, tag, description, removedAt)
  },
} satisfies Operations<Port>
