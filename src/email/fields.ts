/**
 * The fields of an email and of its recipients, each declared once: its name, its type, its column, and its readers.
 * These tables determine the types of both, the rows for other threads (codec.ts), and the statements and rows of both
 * databases.
 */

import type { MessageTls } from '../common/required-tls.ts'
import type { MessageBody, MessageContent } from '../mail/message.ts'
import type { RawFileNames } from '../mail/raw/files.ts'
import type { Facts } from './lifecycle/happening.ts'
import type { RecipientKind } from './recipient.ts'

/** The column type in PostgreSQL. `octets`: a text as UTF-8, which may hold NUL. */
export type ColumnType = 'int4' | 'int8' | 'bool' | 'text' | 'uuid' | 'bytea' | 'octets'

/**
 * The conversions of a value. Each takes an expression and returns JavaScript code that converts it, from which
 * functions are generated for each use (codec.ts lists the names that the code may use).
 */
export interface FieldType<T> {
  column: ColumnType
  /** Convert a value before and after it crosses to another thread. An empty value is sent as null. */
  cross(value: string): string
  crossed(value: string): string
  /** Convert a value to a column and back. */
  bind(value: string): string
  read(column: string, name: string): string
  /** A null in the row becomes an absent property. */
  optional?: true
  /** True: the sender decides the length of the value. */
  long?: true
  /** Never set: it carries the type for the compiler. */
  readonly value?: T
}

const asIs = (value: string) => value
const PLAIN = { cross: asIs, crossed: asIs, bind: asIs, read: asIs }

/** A short text. */
export const word: FieldType<string> = { ...PLAIN, column: 'text' }
export const text: FieldType<string> = { ...PLAIN, column: 'text', long: true }
export const uuid: FieldType<string> = { ...PLAIN, column: 'uuid' }
/** The id of a company; its column holds the company's number. */
export const company: FieldType<string> = { ...PLAIN, column: 'int4', bind: () => 'company' }
/** An absent body is null; an empty one is not. */
export const body: FieldType<MessageBody | undefined> = {
  column: 'octets',
  cross: (value) => `bodyCrossing(${value}, octets)`,
  crossed: asIs,
  bind: (value) => `${value} ?? null`,
  read: (column) => `bodyOf(${column})`,
  optional: true,
  long: true,
}
export const bool: FieldType<boolean> = {
  ...PLAIN,
  column: 'bool',
  bind: (value) => `${value} ? 1 : 0`,
  // SQLite has no booleans.
  read: (column) => `${column} === true || ${column} === 1`,
}
export const int: FieldType<number> = {
  ...PLAIN,
  column: 'int8',
  bind: (value) => `Math.round(${value})`,
}
/** Unix ms. */
export const time = int
/** A number of few digits. */
export const count: FieldType<number> = { ...PLAIN, column: 'int4' }
/** Stored as JSON. */
const json = {
  ...PLAIN,
  column: 'text',
  bind: (value) => `JSON.stringify(${value})`,
  read: (column, name) => `mapOf(${column}, '${name}')`,
  long: true,
} satisfies FieldType<unknown>

/** Null stays null in every form. */
function nullable<T>(type: FieldType<T>): FieldType<T | null> {
  const unlessNull =
    (step: (value: string, name: string) => string) =>
    (value: string, name = '') => {
      const code = step(value, name)
      return code === value ? value : `${value} === null ? null : ${code}`
    }
  const { cross, crossed, bind, read, ...rest } = type as FieldType<T | null>
  return {
    ...rest,
    cross: unlessNull(cross),
    crossed: unlessNull(crossed),
    bind: unlessNull(bind),
    read: unlessNull(read),
  }
}

export const optionalWord = nullable(word)
const optionalInt = nullable(int)
export const optionalTime = optionalInt
export const optionalCount = nullable(count)
export const optionalMap: FieldType<Record<string, string> | null> = nullable(json)
const optionalFileNames: FieldType<RawFileNames | null> = nullable(json)
export const octets = nullable<Uint8Array>({
  ...PLAIN,
  column: 'bytea',
  cross: (value) => `octets(${value})`,
})
/** Stored as JSON; null stands for an empty list. */
export function list<T>(): FieldType<T[]> {
  return {
    column: 'text',
    cross: (value) => `${value}.length === 0 ? null : ${value}`,
    crossed: (value) => `${value} ?? []`,
    bind: (value) => `listText(${value})`,
    read: (column, name) => `listOf(${column}, '${name}')`,
    long: true,
  }
}
/** Stored as JSON; null stands for an empty map. */
export function map<T extends object>(): FieldType<T> {
  return {
    column: 'text',
    cross: (value) => `isEmpty(${value}) ? null : ${value}`,
    crossed: (value) => `${value} ?? {}`,
    bind: (value) => `mapText(${value})`,
    read: (column, name) => `mapOf(${column}, '${name}')`,
    long: true,
  }
}

/**
 * The readers of a field, apart from the store itself: `queue`, a claim; `send`, a claim and the delivery thread, to
 * which the field is sent with each delivery; `show`, reading an email back; `outline`, reading its history without its
 * content; `list`, listing emails; `tell`, sending its events.
 */
export type FieldReader = 'queue' | 'send' | 'show' | 'outline' | 'list' | 'tell'

export interface Field<T, R extends FieldReader = FieldReader> {
  type: FieldType<T>
  /** Column of the table `emails` or `recipients`, in both databases. */
  column: string
  readers: readonly R[]
  /** SQLite keeps it in the table `contents`. */
  large?: true
}

function field<T, const R extends FieldReader>(
  type: FieldType<T>,
  column: string,
  ...readers: R[]
): Field<T, R> {
  return { type, column, readers }
}

function large<T, const R extends FieldReader>(
  type: FieldType<T>,
  column: string,
  ...readers: R[]
): Field<T, R> {
  return { type, column, readers, large: true }
}

export const EMAIL = {
  id: field(uuid, 'id', 'send', 'show', 'outline', 'list', 'tell'),
  companyId: field(company, 'company', 'send', 'show', 'outline', 'list', 'tell'),
  domainId: field(word, 'domain_id', 'queue', 'show', 'outline', 'list', 'tell'),
  keyId: field(word, 'key_id', 'queue', 'show', 'outline'),
  /** The author's address: MAIL FROM, unless there is a return path. */
  sender: field(word, 'sender', 'send', 'tell'),
  /**
   * The host to which its bounces come back; null: they go to `sender`. It is fixed when the email is accepted, so that
   * MAIL FROM is the same at every attempt.
   */
  returnPathHost: field(optionalWord, 'return_path_host', 'send'),
  bcc: field(list<string>(), 'bcc', 'show', 'outline', 'list'),
  tags: field(list<{ name: string; value: string }>(), 'tags', 'show', 'outline', 'list', 'tell'),
  variables: field(map<Record<string, string>>(), 'variables', 'show', 'outline', 'tell'),
  /** True for batch sending: each recipient gets a message of its own with its variables filled in. */
  individual: field(bool, 'individual', 'queue', 'tell'),
  /** True: the sender requested test mode, so the simulator ends the mail to all addresses. */
  testMode: field(bool, 'test_mode', 'send', 'show', 'outline', 'list', 'tell'),
  /** The encryption that the sender demands; null: the recipient's domain decides. */
  tls: field(optionalWord as FieldType<MessageTls | null>, 'tls', 'send', 'show', 'outline', 'tell'),
  /** Whether the message itself made the demand, because its domain demands less, or nothing. */
  tlsByMessage: field(bool, 'tls_by_message', 'send', 'show', 'outline'),
  /**
   * The source that the sender chose: an address, or the name of a pool. Null: that of its domain or company.
   */
  source: field(optionalWord, 'source', 'queue', 'show', 'outline', 'list'),
  /** Submitted over SMTP; otherwise over HTTP. */
  viaSmtp: field(bool, 'via_smtp', 'tell'),
  createdAt: field(time, 'created_at', 'send', 'show', 'outline', 'list', 'tell'),
  /** The time at which the sender wants it to be sent: until then it shows as `scheduled`. Null: at once. */
  scheduledAt: field(optionalTime, 'scheduled_at', 'queue', 'show', 'outline', 'list', 'tell'),
  /** Unix ms after which the sender wants no attempt. Null: the retry schedule decides. */
  giveUpAt: field(optionalTime, 'give_up_at', 'queue', 'show', 'outline'),
  /**
   * Octets of the composed message, as estimated; in batch sending of the largest copy, with the values of all
   * recipients.
   */
  size: field(int, 'size', 'queue', 'show', 'outline', 'list', 'tell'),
  /** A ready MIME message; then `content` holds only what was read from its header (for read-back). */
  raw: large(octets, 'raw', 'queue'),
  /**
   * The files within the ready message, for searches; null: the email is not a ready message, its content was removed,
   * or it was accepted before these names were kept.
   */
  rawFiles: field(optionalFileNames, 'raw_files', 'outline'),
} as const

/**
 * Fields of `email.content`, from which the message is composed: mail/message.ts describes them. Files have tables of
 * their own.
 */
export const CONTENT = {
  from: field(text, 'header_from', 'queue', 'show', 'outline', 'list', 'tell'),
  to: field(list<string>(), 'header_to', 'queue', 'show', 'outline', 'list', 'tell'),
  cc: field(list<string>(), 'header_cc', 'queue', 'show', 'outline', 'list', 'tell'),
  replyTo: field(list<string>(), 'reply_to', 'queue', 'show', 'outline', 'list', 'tell'),
  subject: field(text, 'subject', 'queue', 'show', 'outline', 'list', 'tell'),
  headers: field(list<[name: string, value: string]>(), 'headers', 'queue', 'show', 'tell'),
  messageId: field(word, 'message_id', 'queue', 'show', 'outline', 'list', 'tell'),
  date: field(time, 'date', 'queue', 'show'),
  html: large(body, 'html', 'queue', 'show'),
  text: large(body, 'text', 'queue', 'show'),
  amp: large(body, 'amp', 'queue', 'show'),
} as const satisfies {
  [Name in keyof Required<Omit<MessageContent, 'attachments'>>]: Field<MessageContent<MessageBody>[Name]>
}

/** The fields of a recipient that are known when its email is accepted. */
export const RECIPIENT = {
  /** Envelope address: local part as given, domain as lower-case A-label. */
  address: field(word, 'address', 'queue', 'show', 'outline', 'tell'),
  /** Domain part of `address`. */
  domain: field(word, 'domain', 'queue'),
  kind: field(word as FieldType<RecipientKind>, 'kind', 'show', 'outline'),
  /** Batch sending: this recipient's values. Null otherwise. */
  variables: field(optionalMap, 'variables', 'queue', 'show', 'tell'),
  /** The mailbox as its sender wrote it; null when it is just `address`. */
  mailbox: field(optionalWord, 'mailbox', 'tell'),
  /** Batch sending: octets of this recipient's copy, as estimated. Null otherwise. */
  copySize: field(optionalInt, 'copy_size', 'tell'),
} as const

/**
 * The facts about a recipient, which change: lifecycle/happening.ts describes them. SQLite stores them in `recipients`;
 * PostgreSQL stores some of them in `queue` as long as the recipient is not final.
 */
export const FACTS = {
  state: field(word, 'state'),
  dueAt: field(optionalTime, 'due_at'),
  attempts: field(count, 'attempts'),
  uncertain: field(bool, 'uncertain'),
  preferredServer: field(optionalWord, 'preferred_server'),
  postponedSince: field(optionalTime, 'postponed_since'),
  heldFor: field(optionalWord, 'held_for'),
  suspicion: field(count, 'suspicion'),
  cancelRequested: field(bool, 'cancel'),
  server: field(optionalWord, 'server'),
  lastCode: field(optionalCount, 'last_code'),
  lastMessage: field(optionalWord, 'last_message'),
} satisfies { [Name in keyof Facts]: Field<unknown> }

type ValueOf<F> = F extends Field<infer T> ? T : never
/** The readers R. A claim also reads the fields for the delivery thread. */
type ReadBy<R extends FieldReader> = R extends 'queue' ? 'queue' | 'send' : R
type FieldsOf<Fields extends Record<string, Field<unknown>>, R extends FieldReader> = {
  -readonly [Name in keyof Fields as Extract<Fields[Name]['readers'][number], ReadBy<R>> extends never
    ? never
    : Name]: ValueOf<Fields[Name]>
}

/** The fields of an email itself that R reads; all of them by default. */
export type Email<R extends FieldReader = FieldReader> = FieldsOf<typeof EMAIL, R>
/** The same for the given fields of a recipient. */
export type Recipient<R extends FieldReader = FieldReader> = FieldsOf<typeof RECIPIENT, R>

/** A field with its name, and its place: in the email (or recipient) itself or in its content. */
export interface FieldDeclaration extends Field<unknown> {
  name: string
  inContent: boolean
}

function declarationsOf(fields: Record<string, Field<unknown>>, inContent = false): FieldDeclaration[] {
  return Object.entries(fields).map(([name, field]) => ({ ...field, name, inContent }))
}

const OF_EMAIL = [...declarationsOf(EMAIL), ...declarationsOf(CONTENT, true)]
const OF_RECIPIENT = declarationsOf(RECIPIENT)

/** The fields of an email in order: all of them, or those that `reader` reads. */
export function fieldsOf(reader?: FieldReader): readonly FieldDeclaration[] {
  return readBy(OF_EMAIL, reader)
}

/** The same for the given fields of a recipient. */
export function recipientFieldsOf(reader?: FieldReader): readonly FieldDeclaration[] {
  return readBy(OF_RECIPIENT, reader)
}

/** The facts about a recipient, in order. */
export const FACT_FIELDS: readonly FieldDeclaration[] = declarationsOf(FACTS)

function readBy(fields: readonly FieldDeclaration[], reader?: FieldReader): readonly FieldDeclaration[] {
  if (reader === undefined) return fields
  const also = reader === 'queue' ? 'send' : reader
  return fields.filter(({ readers }) => readers.includes(reader) || readers.includes(also))
}
