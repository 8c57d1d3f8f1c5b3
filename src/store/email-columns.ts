/** The columns of emails and recipients in both databases, derived from the table of fields. */
import type { ColumnCodec } from '../email/codec.ts'
import { CATEGORIZED, type EventType, LAST_EVENT_TYPES } from '../email/event.ts'
import { type FieldDeclaration, type FieldReader, fieldsOf } from '../email/fields.ts'
import { bodyOf as bodyOfOctets } from '../mail/body.ts'
import { LARGE_TEXT } from '../mail/large-text.ts'
import type { MessageBody } from '../mail/message.ts'
import { listOf, listText, mapOf, mapText } from './json-columns.ts'

/** Reading a list or map throws a SyntaxError when the JSON is damaged. */
export const COLUMNS: ColumnCodec = { listText, mapText, listOf, mapOf, bodyOf }

/** PostgreSQL returns bodies as octets; SQLite returns strings, and octets for large bodies. */
function bodyOf(column: MessageBody | null): MessageBody | undefined {
  if (column === null || typeof column === 'string') return column ?? undefined
  return bodyOfOctets(column)
}

/**
 * Makes the columns of a SELECT, each under the name of its field. `tableOf`: the alias of the table that holds it; the
 * company's own is `c`. `read`: the expression that reads a column.
 */
export function selected(
  fields: readonly FieldDeclaration[],
  tableOf: (field: FieldDeclaration) => string,
  read = (column: string, _field: FieldDeclaration) => column,
): string {
  return fields
    .map((field) =>
      field.name === 'companyId'
        ? 'c.id AS "companyId"'
        : `${read(`${tableOf(field)}.${field.column}`, field)} AS "${field.name}"`,
    )
    .join(', ')
}

/** For a SELECT: octets of all fields whose length senders decide. */
export function octetsRead(reader: FieldReader, tableOf: (field: FieldDeclaration) => string): string {
  return fieldsOf(reader)
    .filter(({ type }) => type.long === true)
    .map((field) => `coalesce(octet_length(${tableOf(field)}.${field.column}), 0)`)
    .join(' + ')
}

/** SQLite stores bodies as TEXT. A large one is read as octets, which can be transferred to another thread. */
export function bodyRead(column: string, { type }: FieldDeclaration): string {
  if (type.column !== 'octets') return column
  return `CASE WHEN octet_length(${column}) < ${LARGE_TEXT} THEN ${column} ELSE CAST(${column} AS BLOB) END`
}

/**
 * The type of the last event of the email `e`. On PostgreSQL ordered by `number + 0`, which no index has: otherwise the
 * planner might walk the log from its end until it meets an event of this email.
 */
export const LAST_EVENT = lastEvent('type', LAST_EVENT_TYPES)

/** The last event that gives a reason. */
export const LAST_REASON = {
  type: lastEvent('type', CATEGORIZED),
  detail: lastEvent('detail', CATEGORIZED),
}

function lastEvent(
  column: 'type' | 'detail',
  types: readonly EventType[],
): Record<'postgres' | 'sqlite', string> {
  const among = types.map((type) => `'${type}'`).join(', ')
  const of = (email: string, place: string) =>
    `(SELECT v.${column} FROM events v WHERE v.email = ${email} AND v.type IN (${among}) ORDER BY ${place} DESC LIMIT 1)`
  return { postgres: of('e.id', 'v.number + 0'), sqlite: of('e.num', 'v.number') }
}
