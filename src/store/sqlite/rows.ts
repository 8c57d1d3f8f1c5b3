import type { SQLInputValue, StatementSync } from 'node:sqlite'

/** The first row, in the shape its SELECT names. The SQL beside each use is what makes `Row` true. */
export function one<Row>(statement: StatementSync, ...values: SQLInputValue[]): Row | undefined {
  return statement.get(...values) as Row | undefined
}

export function all<Row>(statement: StatementSync, ...values: SQLInputValue[]): Row[] {
  return statement.all(...values) as Row[]
}

/** A statement of both databases: what PostgreSQL calls `$1` is `?1` here. */
export function numbered(sql: string): string {
  return sql.replaceAll('$', '?')
}
