import type { FieldDeclaration } from '../../email/fields.ts'
import { CAPTURE_SERVER } from '../../email/recipient.ts'
import type { Dialect } from './statement.ts'

/** SQLite refers to emails by number, and has their content `k` in a table of its own. `key`: see `keyById`. */
export const TABLES = {
  postgres: { key: '$1', content: 'e', removed: 'e.content_removed', join: '' },
  sqlite: {
    key: '(SELECT num FROM emails WHERE id = $1)',
    content: 'k',
    removed: 'k.email IS NULL',
    join: 'LEFT JOIN contents k ON k.email = e.num',
  },
}

/** How other tables refer to the email with the id $1. */
export function keyById({ engine }: Dialect): string {
  return TABLES[engine].key
}

/** The table of a field. */
export function tableOf({ engine }: Dialect): (field: FieldDeclaration) => string {
  return ({ large }) => (large ? TABLES[engine].content : 'e')
}

/** The progress of recipients `r`: on PostgreSQL live ones have a row in the queue. */
export const PROGRESS = {
  postgres: {
    state: `coalesce(r.state,
      CASE WHEN q.lease IS NULL THEN 'waiting' WHEN q.lease = 0 THEN 'quarantined' ELSE 'sending' END)`,
    dueAt: 'CASE WHEN q.lease IS NULL THEN q.due_at END',
    heldFor: 'q.held_for',
    join: 'LEFT JOIN queue q ON q.email = r.email AND q.position = r.position',
  },
  sqlite: { state: 'r.state', dueAt: 'r.due_at', heldFor: 'r.held_for', join: '' },
}

/** The state that a recipient `r` is counted by: see `CountedState`. */
export function countedState({ engine }: Dialect): string {
  const { state } = PROGRESS[engine]
  return `CASE WHEN r.state = 'delivered' AND r.server = '${CAPTURE_SERVER}' THEN 'captured' ELSE ${state} END`
}
