import type { SQLInputValue, StatementSync } from 'node:sqlite'
import type { FieldDeclaration } from '../../email/fields.ts'

/** The first row, in the shape of its SELECT. The SQL beside each call must match `Row`. */
export function one<Row>(statement: StatementSync, ...values: SQLInputValue[]): Row | undefined {
  return statement.get(...values) as Row | undefined
}

export function all<Row>(statement: StatementSync, ...values: SQLInputValue[]): Row[] {
  return statement.all(...values) as Row[]
}

/** The parameter for a column: a body may be passed as octets. */
export function bodyBound({ type }: FieldDeclaration): string {
  return type.column === 'octets' ? 'CAST(? AS TEXT)' : '?'
}
