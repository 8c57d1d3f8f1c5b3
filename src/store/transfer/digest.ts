import { hash } from 'node:crypto'
import { storable } from '../postgres/rows.ts'
import type { TransferColumnType, TransferTable } from './tables.ts'

/**
 * A value in the form in which both databases are compared: octets by their SHA-256, text as PostgreSQL can store it.
 */
export type Canonical = string | number | boolean | null

/** Converts SQLite's value of a column of this type. */
export function canonical(type: TransferColumnType, value: unknown): Canonical {
  if (value === null) return null
  switch (type) {
    case 'bool':
      return value !== 0
    case 'text':
      return storable(String(value))
    case 'bytea':
      return hash('sha256', value as string | Uint8Array)
    case 'uuid':
      return String(value)
    case 'int4':
    case 'int8':
      return Number(value)
  }
}

/** The expression by which PostgreSQL returns the same. */
export function canonicalExpression(type: TransferColumnType, column: string): string {
  return type === 'bytea' ? `encode(sha256(${column}), 'hex') AS ${column}` : column
}

const MODULUS = 1n << 256n

/** A digest of the rows of a table, in whatever order they come: the sum of their SHA-256. */
export class TableDigest {
  readonly #columns: string[]
  #sum = 0n
  rows = 0

  constructor(table: TransferTable) {
    this.#columns = Object.keys(table.columns)
  }

  /** Values by column. */
  add(row: Readonly<Record<string, Canonical>>): void {
    const text = JSON.stringify(this.#columns.map((column) => row[column]))
    this.#sum = (this.#sum + BigInt(`0x${hash('sha256', text)}`)) % MODULUS
    this.rows += 1
  }

  get hex(): string {
    return this.#sum.toString(16).padStart(64, '0')
  }
}
