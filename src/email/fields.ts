/**
 * The fields of an email and of its recipients, each declared once: its name, its type, its column, and who reads it.
 * From these tables follow the types of both, what crosses to other threads (codec.ts), and the statements and rows of
 * both databases.
 */
import type { MessageBody, MessageContent } from '../mail/message.ts'
import type { Facts } from './lifecycle/happening.ts'
import type { RecipientKind } from './recipient.ts'

/** How PostgreSQL keeps a value. `octets`: a text as its UTF-8, which may hold NUL. */
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
/** Absent, but not empty, is null. */
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
/** Of few digits. */
export const count: FieldType<number> = { ...PLAIN, column: 'int4' }
/** In JSON. */
const json = {
  ...PLAIN,
  column: 'text',
  bind: (value) => `JSON.stringify(${value})`,
  read: (column, name) => `mapOf(${column}, '${name}')`,
  long: true,
} satisfies FieldType<unknown>

/** Null everywhere where there is none. */
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
export const optionalInt = nullable(int)
export const optionalTime = optionalInt
export const optionalCount = nullable(count)
export const optionalMap: FieldType<Record<string, string> | null> = nullable(json)
export const octets = nullable<Uint8Array>({
  ...PLAIN,
  column: 'bytea',
  cross: (value) => `octets(${value})`,
})
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
 * which it crosses with each delivery; `show`, who reads the email back; `outline`, who reads what became of it, and
 * not its content; `list`, who lists emails; `tell`, who is told of its events.
 */
export type Reader = 'queue' | 'send' | 'show' | 'outline' | 'list' | 'tell'

export interface Field<T, R extends Reader = Reader> {
  type: FieldType<T>
  /** Of the table `emails` or `recipients`, in both databases. */
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
  id: field(uuid, 'id', 'send', 'show', 'outline', 'list', 'tell'),
  companyId: field(company, 'company', 'send', 'show', 'outline', 'list', 'tell'),
  domainId: field(word, 'domain_id', 'queue', 'show', 'outline', 'list', 'tell'),
  keyId: field(word, 'key_id', 'show', 'outline'),
  /** MAIL FROM. */
  sender: field(word, 'sender', 'send', 'tell'),
  bcc: field(list<string>(), 'bcc', 'show', 'outline', 'list'),
  tags: field(list<{ name: string; value: string }>(), 'tags', 'show', 'outline', 'list', 'tell'),
  variables: field(map<Record<string, string>>(), 'variables', 'show', 'outline', 'tell'),
  /** True for batch sending: each recipient gets a message of its own with its variables filled in. */
  individual: field(bool, 'individual', 'queue', 'tell'),
  /** The sender asked for a rehearsal: ends as delivered in the simulator, whatever the addresses. */
  testMode: field(bool, 'test_mode', 'send', 'show', 'outline', 'tell'),
  /** Handed in over SMTP; otherwise over HTTP. */
  viaSmtp: field(bool, 'via_smtp', 'tell'),
  createdAt: field(time, 'created_at', 'show', 'outline', 'list', 'tell'),
  /** When the sender wants it to be sent: until then it shows as `scheduled`. Null: at once. */
  scheduledAt: field(optionalTime, 'scheduled_at', 'show', 'outline', 'list', 'tell'),
  /**
   * Octets of the composed message, as estimated; in batch sending of the largest copy, with the values of all
   * recipients.
   */
  size: field(int, 'size', 'queue', 'show', 'outline', 'list', 'tell'),
  /** A ready MIME message; then `content` carries only what was read from its header (for read-back). */
  raw: large(octets, 'raw', 'queue'),
} as const

/**
 * Of `email.content`, what its message is composed from: mail/message.ts says what each is. Files have tables of their
 * own.
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

/** What is given of each recipient as its email is accepted. */
export const RECIPIENT = {
  /** Envelope address: local part as given, domain as lower-case A-label. */
  address: field(word, 'address', 'queue', 'show', 'outline', 'tell'),
  /** Domain part of `address`. */
  domain: field(word, 'domain', 'queue'),
  kind: field(word as FieldType<RecipientKind>, 'kind', 'show', 'outline'),
  /** Batch sending: this recipient's values. Null otherwise. */
  variables: field(optionalMap, 'variables', 'queue', 'show', 'tell'),
  /** The mailbox as its sender wrote it; null where that is `address`. */
  mailbox: field(optionalWord, 'mailbox', 'tell'),
  /** Batch sending: octets of this recipient's copy, as estimated. Null otherwise. */
  copySize: field(optionalInt, 'copy_size', 'tell'),
} as const

/**
 * What becomes of each recipient: lifecycle/happening.ts says what each fact is. SQLite keeps them in `recipients`, and
 * PostgreSQL, as long as the recipient is not final, some of them in `queue`.
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
/** Whoever claims an email reads what is sent, too. */
type ReadBy<R extends Reader> = R extends 'queue' ? 'queue' | 'send' : R
type Read<Fields extends Record<string, Field<unknown>>, R extends Reader> = {
  -readonly [Name in keyof Fields as Extract<Fields[Name]['readers'][number], ReadBy<R>> extends never
    ? never
    : Name]: ValueOf<Fields[Name]>
}

/** The fields of an email itself that are read by R; all of them if it is not said. */
export type Email<R extends Reader = Reader> = Read<typeof EMAIL, R>
/** The same of what was given of a recipient. */
export type Recipient<R extends Reader = Reader> = Read<typeof RECIPIENT, R>

/** A field with its name, and where it stands: in the email (or recipient) itself or in its content. */
export interface Declared extends Field<unknown> {
  name: string
  inContent: boolean
}

function declared(fields: Record<string, Field<unknown>>, inContent = false): Declared[] {
  return Object.entries(fields).map(([name, field]) => ({ ...field, name, inContent }))
}

const OF_EMAIL = [...declared(EMAIL), ...declared(CONTENT, true)]
const OF_RECIPIENT = declared(RECIPIENT)

/** All fields of an email, or those that are read by `reader`, in order. */
export function fieldsOf(reader?: Reader): readonly Declared[] {
  return readBy(OF_EMAIL, reader)
}

/** The same of what is given of a recipient. */
export function recipientFieldsOf(reader?: Reader): readonly Declared[] {
  return readBy(OF_RECIPIENT, reader)
}

/** What becomes of a recipient, in order. */
export const FACT_FIELDS: readonly Declared[] = declared(FACTS)

function readBy(fields: readonly Declared[], reader?: Reader): readonly Declared[] {
  if (reader === undefined) return fields
  const also = reader === 'queue' ? 'send' : reader
  return fields.filter(({ readers }) => readers.includes(reader) || readers.includes(also))
}
