/**
 * The fields of an email, each declared once: its name, its type, its column, and who reads it. From this table follow
 * the types of an email, what crosses to other threads (codec.ts), the statements and rows of both databases, and what
 * migrate-data carries.
 */
import type { MessageContent } from '../mail/message.ts'

/** How PostgreSQL keeps a value, and migrate-data carries it. `octets`: a text as its UTF-8, which may hold NUL. */
export type ColumnType = 'int4' | 'int8' | 'bool' | 'text' | 'uuid' | 'bytea' | 'octets'

/**
 * What becomes of a value on its way, as JavaScript of the expression that holds it: a function is made of these for
 * each use (codec.ts says which names they may use).
 */
export interface FieldType<T> {
  column: ColumnType
  /** Crosses to another thread, and has crossed. What is empty crosses as null. */
  cross(value: string): string
  crossed(value: string): string
  /** Goes to a column, and comes from one. */
  bind(value: string): string
  read(column: string, name: string): string
  /** A null of the row becomes an absent property. */
  optional?: true
  /** Its length is the sender's to choose. */
  long?: true
  /** Only for the compiler. */
  readonly value?: T
}

const asIs = (value: string) => value
const PLAIN = { cross: asIs, crossed: asIs, bind: asIs, read: asIs }

/** A short text. */
export const word: FieldType<string> = { ...PLAIN, column: 'text' }
export const text: FieldType<string> = { ...PLAIN, column: 'text', long: true }
export const uuid: FieldType<string> = { ...PLAIN, column: 'uuid' }
/** The id of a company, in whose place the column holds its number. */
export const company: FieldType<string> = { ...PLAIN, column: 'int4', bind: () => 'company' }
export const octets: FieldType<Uint8Array | null> = {
  ...PLAIN,
  column: 'bytea',
  cross: (value) => `${value} === null ? null : octets(${value})`,
}
/** Absent, but not empty, is null. */
export const body: FieldType<string | undefined> = {
  column: 'octets',
  cross: (value) => `${value} ?? null`,
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
export const optionalTime: FieldType<number | null> = {
  ...PLAIN,
  column: 'int8',
  bind: (value) => `${value} === null ? null : Math.round(${value})`,
}
/** In JSON; null stands for an empty one. */
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
/** The same. */
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
 * Who reads a field beside the store: `queue`, whoever claims the email; `send`, it and the thread that delivers, to
 * which it crosses with each delivery; `show`, who reads the email back; `list`, who lists emails.
 */
export type Reader = 'queue' | 'send' | 'show' | 'list'

export interface Field<T, R extends Reader = Reader> {
  type: FieldType<T>
  /** Of the table `emails`, in both databases. */
  column: string
  readers: readonly R[]
  /** SQLite keeps it in the table `contents`. */
  large?: true
}

function field<T, const R extends Reader>(type: FieldType<T>, column: string, ...readers: R[]): Field<T, R> {
  return { type, column, readers }
}

function large<T, const R extends Reader>(type: FieldType<T>, column: string, ...readers: R[]): Field<T, R> {
  return { type, column, readers, large: true }
}

export const EMAIL = {
  id: field(uuid, 'id', 'queue', 'show', 'list'),
  companyId: field(company, 'company', 'send', 'show', 'list'),
  domainId: field(word, 'domain_id', 'queue', 'show'),
  keyId: field(word, 'key_id', 'show'),
  /** MAIL FROM. */
  sender: field(word, 'sender', 'send'),
  bcc: field(list<string>(), 'bcc', 'show'),
  tags: field(list<{ name: string; value: string }>(), 'tags', 'show'),
  variables: field(map<Record<string, string>>(), 'variables', 'show'),
  /** True for batch sending: each recipient gets a message of its own with its variables filled in. */
  individual: field(bool, 'individual', 'queue'),
  /** The sender asked for a rehearsal: ends as delivered in the simulator, whatever the addresses. */
  testMode: field(bool, 'test_mode', 'send', 'show'),
  createdAt: field(time, 'created_at', 'show', 'list'),
  /** When the sender wants it to be sent: until then it shows as `scheduled`. Null: at once. */
  scheduledAt: field(optionalTime, 'scheduled_at', 'show'),
  /**
   * Octets of the composed message, as estimated; in batch sending of the largest copy, with the values of all
   * recipients.
   */
  size: field(int, 'size', 'queue', 'show', 'list'),
  /** A ready MIME message; then `content` carries only what was read from its header (for read-back). */
  raw: large(octets, 'raw', 'queue'),
} as const

/**
 * Of `email.content`, what its message is composed from: mail/message.ts says what each is. Files have tables of their
 * own.
 */
export const CONTENT = {
  from: field(text, 'header_from', 'queue', 'show', 'list'),
  to: field(list<string>(), 'header_to', 'queue', 'show', 'list'),
  cc: field(list<string>(), 'header_cc', 'queue', 'show'),
  replyTo: field(list<string>(), 'reply_to', 'queue', 'show'),
  subject: field(text, 'subject', 'queue', 'show', 'list'),
  headers: field(list<[name: string, value: string]>(), 'headers', 'queue', 'show'),
  messageId: field(word, 'message_id', 'queue', 'show'),
  date: field(time, 'date', 'queue', 'show'),
  html: large(body, 'html', 'queue', 'show'),
  text: large(body, 'text', 'queue', 'show'),
} as const satisfies {
  [Name in keyof Required<Omit<MessageContent, 'attachments'>>]: Field<MessageContent[Name]>
}

type Fields = typeof EMAIL
type ValueOf<F> = F extends Field<infer T> ? T : never
/** Whoever claims an email reads what is sent, too. */
type ReadBy<R extends Reader> = R extends 'queue' ? 'queue' | 'send' : R

/** The fields of an email itself that are read by R; all of them if it is not said. */
export type Email<R extends Reader = Reader> = {
  -readonly [Name in keyof Fields as Extract<Fields[Name]['readers'][number], ReadBy<R>> extends never
    ? never
    : Name]: ValueOf<Fields[Name]>
}

/** A field with its name, and where it stands: in the email itself or in its content. */
export interface Declared extends Field<unknown> {
  name: string
  inContent: boolean
}

const DECLARED: readonly Declared[] = [
  ...Object.entries<Field<unknown>>(EMAIL).map(([name, of]) => ({ ...of, name, inContent: false })),
  ...Object.entries<Field<unknown>>(CONTENT).map(([name, of]) => ({ ...of, name, inContent: true })),
]

/** All fields, or those that are read by `reader`, in order. */
export function fieldsOf(reader?: Reader): readonly Declared[] {
  if (reader === undefined) return DECLARED
  const also = reader === 'queue' ? 'send' : reader
  return DECLARED.filter(({ readers }) => readers.includes(reader) || readers.includes(also))
}
