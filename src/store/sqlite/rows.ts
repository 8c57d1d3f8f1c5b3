import type { SQLInputValue, StatementSync } from 'node:sqlite'

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
