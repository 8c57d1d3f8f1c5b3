import type { SQLInputValue, StatementSync } from 'node:sqlite'

/** The first row, in the shape its SELECT names. The SQL beside each use is what makes `Row` true. */
export function one<Row>(statement: StatementSync, ...values: SQLInputValue[]): Row | undefined {
  return statement.get(...values) as Row | undefined
}

export function all<Row>(statement: StatementSync, ...values: SQLInputValue[]): Row[] {
  return statement.all(...values) as Row[]
}

/** Lists and maps are stored as JSON, empty ones as NULL. */
export function listText(list: readonly unknown[]): string | null {
  return list.length === 0 ? null : JSON.stringify(list)
}

export function mapText(map: object): string | null {
  for (const _ in map) return JSON.stringify(map)
  return null
}

export function listOf<T>(text: string | null): T[] {
  return text === null ? [] : (JSON.parse(text) as T[])
}

export function mapOf<T extends object>(text: string | null): T {
  return (text === null ? {} : JSON.parse(text)) as T
}
