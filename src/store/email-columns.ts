/** The columns of emails and recipients in both databases, derived from the table of fields. */
import type { Columns } from '../email/codec.ts'
import { type Declared, fieldsOf, type Reader } from '../email/fields.ts'
import { listOf, listText, mapOf, mapText } from './json-columns.ts'

/** Reading a list or map throws a SyntaxError when the JSON is damaged. */
export const COLUMNS: Columns = { listText, mapText, listOf, mapOf, bodyOf }

/** PostgreSQL stores bodies as octets, SQLite as text. */
function bodyOf(column: string | Uint8Array | null): string | undefined {
  if (column === null || typeof column === 'string') return column ?? undefined
  return Buffer.from(column.buffer, column.byteOffset, column.byteLength).toString('utf8')
}

/**
 * For a SELECT: the columns, each under the name of its field. `tableOf`: the alias of the field's table; the company
 * is always `c`.
 */
export function selected(fields: readonly Declared[], tableOf: (field: Declared) => string): string {
  return fields
    .map((field) =>
      field.name === 'companyId'
        ? 'c.id AS "companyId"'
        : `${tableOf(field)}.${field.column} AS "${field.name}"`,
    )
    .join(', ')
}

/** For a SELECT: octets of all fields whose length senders decide. */
export function octetsRead(reader: Reader, tableOf: (field: Declared) => string): string {
  return fieldsOf(reader)
    .filter(({ type }) => type.long === true)
    .map((field) => `coalesce(octet_length(${tableOf(field)}.${field.column}), 0)`)
    .join(' + ')
}
