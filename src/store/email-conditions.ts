/**
 * What each field of a filter of emails asks for: as a value, and as a condition of the statements of both databases.
 */
import { type TagFilter, unnamedTag } from '../email/event.ts'
import type { EmailFilter } from '../email/stored-email.ts'

/** How a database says what differs between them. Conditions are about the email `e`. */
export interface Dialect {
  /** A value by its name; a list of texts is `texts`. */
  value(name: string, type: ValueType): string
  /** With ASCII letters in lower case. */
  folded(text: string): string
  /** Whether a part is in a text. */
  has(text: string, part: string): string
  /** Whether one of the parts, a value that is a list, is in a text. */
  hasOneOf(text: string, parts: string): string
  /** Whether a text is in a list, which is a value. */
  isAmong(text: string, list: string): string
  /** What rows of other tables know the email by. */
  email: string
  /** The type of its last event. */
  lastEvent: string
}

type ValueType = 'text' | 'int8' | 'texts'
/** Words of the subject are looked for where the email is shown: no database divides text as we do. */
type Asked = Omit<EmailFilter, 'companyId' | 'words'>

interface Condition<T> {
  type: ValueType
  value(wanted: T): string | number | readonly string[]
  sql(value: string, dialect: Dialect): string
}

/** In the order in which they are looked at. */
const CONDITIONS: { [Name in keyof Asked]-?: Condition<NonNullable<Asked[Name]>> } = {
  domainId: { type: 'text', value: (id) => id, sql: (value) => `e.domain_id = ${value}` },
  keyId: { type: 'text', value: (id) => id, sql: (value) => `e.key_id = ${value}` },
  since: { type: 'int8', value: Math.ceil, sql: (value) => `e.created_at >= ${value}` },
  until: { type: 'int8', value: Math.ceil, sql: (value) => `e.created_at < ${value}` },
  subject: {
    type: 'text',
    value: foldedAscii,
    sql: (value, { has, folded }) => has(folded('e.subject'), value),
  },
  from: {
    type: 'text',
    value: foldedAscii,
    sql: (value, { has, folded }) => has(folded('e.header_from'), value),
  },
  tag: { type: 'texts', value: tagTexts, sql: (value, { hasOneOf }) => hasOneOf('e.tags', value) },
  to: {
    type: 'text',
    value: foldedAscii,
    sql: (value, { folded, email }) =>
      `EXISTS (SELECT 1 FROM recipients r WHERE r.email = ${email} AND ${folded('r.address')} = ${value})`,
  },
  toDomain: {
    type: 'text',
    value: (domain) => domain,
    sql: (value, { email }) =>
      `EXISTS (SELECT 1 FROM recipients r WHERE r.email = ${email} AND r.domain = ${value})`,
  },
  events: {
    type: 'texts',
    value: (types) => types,
    sql: (value, { isAmong, lastEvent }) => isAmong(lastEvent, value),
  },
}

const ALL = Object.entries(CONDITIONS) as [keyof Asked, Condition<unknown>][]

/** Whether the email `e` is wanted, by the values of `conditionsOf`. */
export function wantedIn(dialect: Dialect): string {
  return ALL.map(([name, { type, sql }]) => {
    const value = dialect.value(name, type)
    return `(${value} IS NULL OR ${sql(value, dialect)})`
  }).join('\n  AND ')
}

/** By name; null: it narrows nothing. `listOf`: how the database takes a list. */
export function conditionsOf<List>(
  filter: EmailFilter,
  listOf: (texts: readonly string[]) => List,
): Record<keyof Asked, string | number | List | null> {
  const values = ALL.map(([name, condition]) => {
    const wanted = filter[name]
    const value = wanted === undefined ? null : condition.value(wanted)
    return [name, value !== null && typeof value === 'object' ? listOf(value) : value]
  })
  return Object.fromEntries(values)
}

/**
 * What the JSON of a list with this tag has in it: as a name with or without a value, or as one of the form dialect,
 * which has no name of its own (`unnamedTag`). A quotation mark within is escaped there, so that nothing else looks
 * like it.
 */
function tagTexts(tag: TagFilter): string[] {
  const { name, value } = tag
  const named = value === undefined ? `{"name":${JSON.stringify(name)},` : JSON.stringify({ name, value })
  return [named, JSON.stringify(unnamedTag(tag))]
}

export function foldedAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
