import type { SQLInputValue, StatementSync } from 'node:sqlite'
import type { FieldDeclaration } from '../../email/fields.ts'
import { LARGE_TEXT } from '../../mail/large-text.ts'

/** The first row, in the shape of its SELECT. The SQL beside each call must match `Row`. */
export function one<Row>(statement: StatementSync, ...values: SQLInputValue[]): Row | undefined {
  return statement.get(...values) as Row | undefined
}

export function all<Row>(statement: StatementSync, ...values: SQLInputValue[]): Row[] {
  return statement.all(...values) as Row[]
}

/** Turns a statement for both databases into one for SQLite: PostgreSQL's `$1` is `?1` here. */
export function numbered(sql: string): string {
  return sql.replaceAll('$', '?')
}

/** SQLite stores bodies as TEXT. A large one is read as octets, which can be transferred to another thread. */
export function bodyRead(column: string, { type }: FieldDeclaration): string {
  if (type.column !== 'octets') return column
  return `CASE WHEN octet_length(${column}) < ${LARGE_TEXT} THEN ${column} ELSE CAST(${column} AS BLOB) END`
}

/** The parameter for a column: a body may be passed as octets. */
export function bodyBound({ type }: FieldDeclaration): string {
  return type.column === 'octets' ? 'CAST(? AS TEXT)' : '?'
}
