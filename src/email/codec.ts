/**
 * Functions generated from the table of fields, with the code that one would write by hand for each field. They are
 * generated once, when modules are loaded, because walking the table for each email takes ten times as long (2 us of
 * the roughly 75 that a message takes).
 */
import type { Attachment, MessageBody, MessageContent } from '../mail/message.ts'
import {
  type Email,
  FACT_FIELDS,
  type FieldDeclaration,
  fieldsOf,
  type Recipient,
  recipientFieldsOf,
} from './fields.ts'
import type { Facts } from './lifecycle/happening.ts'
import { UNTRIED } from './lifecycle/initial-state.ts'
import type { ClaimedRecipient } from './queued-email.ts'

/** An email without its recipients. */
export type WholeEmail = Email & { content: MessageContent<MessageBody> }

/** Prepares octets for another thread. */
type OctetTransfer = (bytes: Uint8Array) => Uint8Array

/**
 * Plain values in the order of the table: messages between threads are copied, and an object costs three times as much
 * as a row.
 */
export type ValueRow = unknown[]

/** Converts a value for another thread, and back. Empty lists and absent values are sent as null. */
interface Codec<T, Needs extends [] | [octets: OctetTransfer] = []> {
  pack(value: T, ...needs: Needs): ValueRow
  unpack(row: ValueRow): T
}

/** Conversions of columns. `name`: of the column, for the error when it is unreadable. */
export interface ColumnCodec {
  listText(list: readonly unknown[]): string | null
  mapText(map: object): string | null
  listOf(text: string | null, name: string): unknown[]
  mapOf(text: string | null, name: string): object
  /** Undefined when there is no body. */
  bodyOf(column: MessageBody | null): MessageBody | undefined
}

/** Accepted emails with their content. */
export const WHOLE = codec<WholeEmail, [octets: OctetTransfer]>(fieldsOf())

/** Contents alone. */
export const CONTENTS = codec<MessageContent<MessageBody>, [octets: OctetTransfer]>(
  fieldsOf().filter(({ inContent }) => inContent),
)

/** The fields sent with each delivery, in addition to the message. */
export const SENT = codec<Email<'send'>>(fieldsOf('send'))

/** Accepted recipients. */
export const RECIPIENTS = codec<Recipient>(recipientFieldsOf())

/** The changed facts of a recipient. */
export const CHANGES = plainCodec<Partial<Facts>>(
  [],
  FACT_FIELDS.map(({ name }) => name as keyof Facts),
)

/** Objects whose properties are sent unchanged. An absent one of the `optional` properties is sent as undefined. */
export function plainCodec<T>(
  always: readonly (keyof T & string)[],
  optional: readonly (keyof T & string)[],
): Codec<T> {
  const packed = [...always, ...optional].map((name) => `value.${name}`)
  const there = always.map((name, at) => `${name}: row[${at}]`)
  const added = optional.map((name, index) => {
    const at = always.length + index
    return `if (row[${at}] !== undefined) value.${name} = row[${at}];`
  })
  return {
    pack: makeFunction(`(value) => [${packed.join(', ')}]`, {}),
    unpack: makeFunction(
      `(row) => { const value = { ${there.join(', ')} }; ${added.join(' ')} return value }`,
      {},
    ),
  }
}

type QueueFields = Email<'queue'> & { content: MessageContent<MessageBody> }
/** The fields of an email that a claim reads. */
export const queuedOf = picker<(email: QueueFields) => QueueFields>(fieldsOf('queue'))

/** The same for an untried recipient. */
export const untriedOf = picker<(recipient: Recipient, position: number) => ClaimedRecipient>(
  recipientFieldsOf('queue'),
  ['position'],
  UNTRIED,
)

/**
 * A function that copies fields of its first argument, its `further` arguments by name, and the constants of `known`.
 */
function picker<F>(
  fields: readonly FieldDeclaration[],
  further: readonly string[] = [],
  known: object = {},
): F {
  const names = [...new Set(fields.map(({ name, inContent }) => (inContent ? 'content' : name)))]
  const constants = Object.entries(known).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  const taken = [...further, ...names, ...constants].join(', ')
  return makeFunction(`(${[`{ ${names.join(', ')} }`, ...further].join(', ')}) => ({ ${taken} })`, {})
}

function codec<T, Needs extends [] | [octets: OctetTransfer] = []>(
  fields: readonly FieldDeclaration[],
): Codec<T, Needs> {
  const shape = shapeOf(fields)
  const content = shape === 'content' ? 'value' : 'value.content'
  const packed = fields.map((field) =>
    field.type.cross(`${field.inContent ? content : 'value'}.${field.name}`),
  )
  const at = (field: FieldDeclaration) => `row[${fields.indexOf(field)}]`
  const crossed = (field: FieldDeclaration) => field.type.crossed(at(field))
  const files = `attachments: row[${fields.length}] ?? []`
  if (shape !== 'plain') packed.push(`filesOf(${content}.attachments, octets)`)
  return {
    pack: makeFunction(`(value, octets) => [${packed.join(', ')}]`, { bodyCrossing, filesOf, isEmpty }),
    unpack: makeFunction(`(row) => { ${assemble(fields, at, crossed, { content: [files] })} }`, {}),
  }
}

/** The value for the column of a field, given the number of the company. */
export function binder<T>(
  field: FieldDeclaration,
  columns: ColumnCodec,
): (value: T, company: number) => unknown {
  return makeFunction(`(value, company) => ${bound(field)}`, columns)
}

/** The values for the columns of several fields, in order. */
export function rowBinder<T, V>(
  fields: readonly FieldDeclaration[],
  columns: ColumnCodec,
): (value: T, company: number) => V[] {
  return makeFunction(`(value, company) => [${fields.map(bound).join(', ')}]`, columns)
}

function bound({ name, inContent, type }: FieldDeclaration): string {
  return type.bind(`value.${inContent ? 'content.' : ''}${name}`)
}

/**
 * Reads the fields of a row whose columns are named like the fields; `large`: the row with the large columns, if they
 * are separate. Without attachments. `also`: further columns of the row, copied unchanged.
 */
export function rowReader<T>(
  fields: readonly FieldDeclaration[],
  columns: ColumnCodec,
  also: readonly string[] = [],
): (row: object, large?: object) => T {
  const at = ({ name, large }: FieldDeclaration) => `${large ? 'large' : 'row'}.${name}`
  const read = (field: FieldDeclaration) => field.type.read(at(field), field.column.replace(/^header_/, ''))
  const more = also.map((name) => `${name}: row.${name}`)
  return makeFunction(`(row, large = row) => { ${assemble(fields, at, read, { own: more })} }`, columns)
}

/** Builds an object from the values of a list: `names` unchanged, then the fields. */
export function listReader<T>(
  names: readonly string[],
  fields: readonly FieldDeclaration[],
): (row: unknown[]) => T {
  const entries = [
    ...names.map((name, index) => `${name}: row[${index}]`),
    ...fields.map(({ name, type }, index) => `${name}: ${type.read(`row[${names.length + index}]`, name)}`),
  ]
  return makeFunction(`(row) => ({ ${entries.join(', ')} })`, {})
}

/** `email`: fields and content. `content`: the fields of a content. `plain`: fields without a content. */
type Shape = 'email' | 'content' | 'plain'

function shapeOf(fields: readonly FieldDeclaration[]): Shape {
  if (fields.every(({ inContent }) => inContent)) return 'content'
  return fields.some(({ inContent }) => inContent) ? 'email' : 'plain'
}

/**
 * Statements that return an object of the shape. Optional fields are added last, and only if `at` has a value in their
 * place. `more`: further entries of the object itself and of its content.
 */
function assemble(
  fields: readonly FieldDeclaration[],
  at: (field: FieldDeclaration) => string,
  value: (field: FieldDeclaration) => string,
  more: { own?: readonly string[]; content?: readonly string[] },
): string {
  const object = (name: string, some: readonly FieldDeclaration[], more: readonly string[] = []) => {
    const entries = some.filter(({ type }) => !type.optional).map((field) => `${field.name}: ${value(field)}`)
    const added = some
      .filter(({ type }) => type.optional)
      .map((field) => `if (${at(field)} !== null) ${name}.${field.name} = ${value(field)};`)
    return `const ${name} = { ${[...entries, ...more].join(', ')} }; ${added.join(' ')}`
  }
  const own = fields.filter(({ inContent }) => !inContent)
  const ofContent = fields.filter(({ inContent }) => inContent)
  switch (shapeOf(fields)) {
    case 'email':
      return `${object('content', ofContent, more.content)} ${object('email', own, ['content', ...(more.own ?? [])])} return email`
    case 'content':
      return `${object('content', ofContent, more.content)} return content`
    case 'plain':
      return `${object('plain', own, more.own)} return plain`
  }
}

/** The function with this code. It has access only to `known`. */
function makeFunction<F>(code: string, known: object): F {
  // The code is generated only from the table of fields, which is part of our own source.
  return new Function(...Object.keys(known), `'use strict'; return ${code}`)(...Object.values(known)) as F
}

function bodyCrossing(body: MessageBody | undefined, octets: OctetTransfer): MessageBody | null {
  return body instanceof Uint8Array ? octets(body) : (body ?? null)
}

function filesOf(files: readonly Attachment[], octets: OctetTransfer): Attachment[] | null {
  return files.length === 0 ? null : files.map((file) => ({ ...file, content: octets(file.content) }))
}

function isEmpty(map: object): boolean {
  for (const _ in map) return false
  return true
}
