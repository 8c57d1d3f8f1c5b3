/**
 * Functions made from the table of fields, as one would write them by hand for each field. They are made of text, once,
 * as modules are loaded: to walk the table for each email takes ten times as long (2 us, of some 75 that a message
 * takes).
 */
import type { Attachment, MessageBody, MessageContent } from '../mail/message.ts'
import {
  type Declared,
  type Email,
  FACT_FIELDS,
  fieldsOf,
  type Recipient,
  recipientFieldsOf,
} from './fields.ts'
import { UNTRIED } from './lifecycle/birth.ts'
import type { Facts } from './lifecycle/happening.ts'
import type { ClaimedRecipient } from './queued-email.ts'

/** An email without its recipients. */
export type WholeEmail = Email & { content: MessageContent<MessageBody> }

/** How octets are made ready to cross. */
export type Crossing = (bytes: Uint8Array) => Uint8Array

/**
 * Plain values in the order of the table: what crosses between threads is copied, and an object costs three times what
 * a row costs.
 */
export type Row = unknown[]

/** What has gone to a thread and comes from there. Empty lists and absent values cross as null. */
export interface Codec<T, Needs extends [] | [octets: Crossing] = []> {
  pack(value: T, ...needs: Needs): Row
  unpack(row: Row): T
}

/** What columns need. `name`: of the column, for what is said if it cannot be read. */
export interface Columns {
  listText(list: readonly unknown[]): string | null
  mapText(map: object): string | null
  listOf(text: string | null, name: string): unknown[]
  mapOf(text: string | null, name: string): object
  /** Undefined when there is none. */
  bodyOf(column: MessageBody | null): MessageBody | undefined
}

/** Emails as they are accepted, with their content. */
export const WHOLE = codec<WholeEmail, [octets: Crossing]>(fieldsOf())

/** Contents alone. */
export const CONTENTS = codec<MessageContent<MessageBody>, [octets: Crossing]>(
  fieldsOf().filter(({ inContent }) => inContent),
)

/** What crosses with each delivery beside the message. */
export const SENT = codec<Email<'send'>>(fieldsOf('send'))

/** Recipients as they are accepted. */
export const RECIPIENTS = codec<Recipient>(recipientFieldsOf())

/** What changes of a recipient. */
export const CHANGES = plainCodec<Partial<Facts>>(
  [],
  FACT_FIELDS.map(({ name }) => name as keyof Facts),
)

/** Objects whose properties cross as they stand. What is absent of the `optional` ones crosses as undefined. */
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
    pack: made(`(value) => [${packed.join(', ')}]`, {}),
    unpack: made(`(row) => { const value = { ${there.join(', ')} }; ${added.join(' ')} return value }`, {}),
  }
}

type Queued = Email<'queue'> & { content: MessageContent<MessageBody> }
/** What who claims the email reads of it. */
export const queuedOf = picker<(email: Queued) => Queued>(fieldsOf('queue'))

/** The same of a recipient that nobody has tried. */
export const untriedOf = picker<(recipient: Recipient, position: number) => ClaimedRecipient>(
  recipientFieldsOf('queue'),
  ['position'],
  UNTRIED,
)

/** A function that takes over fields of its first argument, its `further` arguments by name, and what is `known`. */
function picker<F>(fields: readonly Declared[], further: readonly string[] = [], known: object = {}): F {
  const names = [...new Set(fields.map(({ name, inContent }) => (inContent ? 'content' : name)))]
  const constants = Object.entries(known).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  const taken = [...further, ...names, ...constants].join(', ')
  return made(`(${[`{ ${names.join(', ')} }`, ...further].join(', ')}) => ({ ${taken} })`, {})
}

function codec<T, Needs extends [] | [octets: Crossing] = []>(fields: readonly Declared[]): Codec<T, Needs> {
  const shape = shapeOf(fields)
  const content = shape === 'content' ? 'value' : 'value.content'
  const packed = fields.map((field) =>
    field.type.cross(`${field.inContent ? content : 'value'}.${field.name}`),
  )
  const at = (field: Declared) => `row[${fields.indexOf(field)}]`
  const crossed = (field: Declared) => field.type.crossed(at(field))
  const files = `attachments: row[${fields.length}] ?? []`
  if (shape !== 'plain') packed.push(`filesOf(${content}.attachments, octets)`)
  return {
    pack: made(`(value, octets) => [${packed.join(', ')}]`, { bodyCrossing, filesOf, isEmpty }),
    unpack: made(`(row) => { ${assembled(fields, at, crossed, { content: [files] })} }`, {}),
  }
}

/** What goes into the column of a field, by number of the company. */
export function binder<T>(field: Declared, columns: Columns): (value: T, company: number) => unknown {
  return made(`(value, company) => ${bound(field)}`, columns)
}

/** What goes into the columns of several, in order. */
export function rowBinder<T, V>(
  fields: readonly Declared[],
  columns: Columns,
): (value: T, company: number) => V[] {
  return made(`(value, company) => [${fields.map(bound).join(', ')}]`, columns)
}

function bound({ name, inContent, type }: Declared): string {
  return type.bind(`value.${inContent ? 'content.' : ''}${name}`)
}

/**
 * The fields of a row whose columns have the names of the fields; `large`: the row of those that are kept apart, if any
 * are. Without attachments. `also`: what else is in the row, as it is.
 */
export function rowReader<T>(
  fields: readonly Declared[],
  columns: Columns,
  also: readonly string[] = [],
): (row: object, large?: object) => T {
  const at = ({ name, large }: Declared) => `${large ? 'large' : 'row'}.${name}`
  const read = (field: Declared) => field.type.read(at(field), field.column.replace(/^header_/, ''))
  const more = also.map((name) => `${name}: row.${name}`)
  return made(`(row, large = row) => { ${assembled(fields, at, read, { own: more })} }`, columns)
}

/** An object of the values of a list: `names` as they are, then the fields. */
export function listReader<T>(names: readonly string[], fields: readonly Declared[]): (row: unknown[]) => T {
  const entries = [
    ...names.map((name, index) => `${name}: row[${index}]`),
    ...fields.map(({ name, type }, index) => `${name}: ${type.read(`row[${names.length + index}]`, name)}`),
  ]
  return made(`(row) => ({ ${entries.join(', ')} })`, {})
}

/** `email`: fields and content. `content`: the fields of a content. `plain`: fields without a content. */
type Shape = 'email' | 'content' | 'plain'

function shapeOf(fields: readonly Declared[]): Shape {
  if (fields.every(({ inContent }) => inContent)) return 'content'
  return fields.some(({ inContent }) => inContent) ? 'email' : 'plain'
}

/**
 * Statements that return an object of the shape. What is optional is added last, where there is something `at` its
 * place. `more`: of the object itself and of its content.
 */
function assembled(
  fields: readonly Declared[],
  at: (field: Declared) => string,
  value: (field: Declared) => string,
  more: { own?: readonly string[]; content?: readonly string[] },
): string {
  const object = (name: string, some: readonly Declared[], more: readonly string[] = []) => {
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

/** The function that the text says; it sees `known` and nothing else. */
function made<F>(code: string, known: object): F {
  // The text is made from the table of fields alone, which stands in our own source.
  return new Function(...Object.keys(known), `'use strict'; return ${code}`)(...Object.values(known)) as F
}

function bodyCrossing(body: MessageBody | undefined, octets: Crossing): MessageBody | null {
  return body instanceof Uint8Array ? octets(body) : (body ?? null)
}

function filesOf(files: readonly Attachment[], octets: Crossing): Attachment[] | null {
  return files.length === 0 ? null : files.map((file) => ({ ...file, content: octets(file.content) }))
}

function isEmpty(map: object): boolean {
  for (const _ in map) return false
  return true
}
