import type { FieldDeclaration } from '../../email/fields.ts'
import type { Dialect } from './statement.ts'

/**
 * SQLite refers to emails by number, and has their content `k` in a table of its own. `key`: of the email with the id
 * $1.
 */
export const TABLES = {
  postgres: { key: '$1', content: 'e', removed: 'e.content_removed', join: '' },
  sqlite: {
    key: '(SELECT num FROM emails WHERE id = $1)',
    content: 'k',
    removed: 'k.email IS NULL',
    join: 'LEFT JOIN contents k ON k.email = e.num',
  },
}

export function emailKey({ engine }: Dialect): string {
  return TABLES[engine].key
}

/** The table of a field. */
export function tableOf({ engine }: Dialect): (field: FieldDeclaration) => string {
  return ({ large }) => (large ? TABLES[engine].content : 'e')
}
