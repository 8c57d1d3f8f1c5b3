/** The conditions of a filter of emails, for each field: its value, and its SQL for both databases. */

import { type TagFilter, unnamedTag } from '../email/event.ts'
import { foldedAscii } from '../email/folded-ascii.ts'
import type { EmailFilter, EmailWalk } from '../email/stored-email.ts'

/** The expressions in which the databases differ. Conditions are about the email `e`. */
interface SqlDialect {
  /** A parameter by its name; a list of texts has the type `texts`. */
  value(name: string, type: ValueType): string
  /** Folds ASCII letters to lower case. */
  folded(text: string): string
  /** Whether a text contains a part. */
  has(text: string, part: string): string
  /** Whether a text contains one of the parts, a list parameter. */
  hasOneOf(text: string, parts: string): string
  /** Whether a text is in a list parameter. */
  isAmong(text: string, list: string): string
  /** The column by which rows of other tables refer to the email. */
  email: string
  /** The type of the email's last event. */
  lastEvent: string
  /** The condition that the email is a ready message whose content is kept. */
  isReady: string
  /** The condition that the recipient `r` waits, is being sent to, or is in quarantine. */
  live: string
}

type ValueType = 'text' | 'int8' | 'texts'
/**
 * The fields with a condition in SQL. Words are matched by the search itself, because no database splits text as we do.
 */
type ConditionFields = Omit<
  EmailFilter,
  'companyId' | 'words' | 'replyWords' | 'textWords' | 'anyWords' | 'anyWordsOpen'
>

interface SqlCondition<T> {
  type: ValueType
  value(wanted: T): string | number | readonly string[]
  sql(value: string, dialect: SqlDialect): string
}

/** In the order in which they are evaluated. */
const CONDITIONS: { [Name in keyof ConditionFields]-?: SqlCondition<NonNullable<ConditionFields[Name]>> } = {
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
  attachments: {
    type: 'int8',
    value: Number,
    sql: (_, { email, isReady }) =>
      `(EXISTS (SELECT 1 FROM attachments a WHERE a.email = ${email} AND a.disposition = 'attachment') OR ${isReady})`,
  },
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
  toPart: {
    type: 'text',
    value: foldedAscii,
    sql: (value, { has, folded, email }) =>
      `EXISTS (SELECT 1 FROM recipients r WHERE r.email = ${email} AND ${has(folded('r.address'), value)})`,
  },
  live: {
    type: 'int8',
    value: Number,
    sql: (_, dialect) => hasLive(dialect),
  },
  hadEvents: {
    type: 'texts',
    value: (types) => types,
    sql: hadOneOf,
  },
  liveOrHad: {
    type: 'texts',
    value: (types) => types,
    sql: (value, dialect) => `(${hasLive(dialect)} OR ${hadOneOf(value, dialect)})`,
  },
  events: {
    type: 'texts',
    value: (types) => types,
    sql: (value, { isAmong, lastEvent }) => isAmong(lastEvent, value),
  },
}

const ALL = Object.entries(CONDITIONS) as [keyof ConditionFields, SqlCondition<unknown>][]

function hasLive({ email, live }: SqlDialect): string {
  return `EXISTS (SELECT 1 FROM recipients r WHERE r.email = ${email} AND ${live})`
}

function hadOneOf(types: string, { isAmong, email }: SqlDialect): string {
  return `EXISTS (SELECT 1 FROM events v WHERE v.email = ${email} AND ${isAmong('v.type', types)})`
}

/** The condition that the email `e` matches, with the values of `conditionsOf`. */
export function matchCondition(dialect: SqlDialect): string {
  return ALL.map(([name, { type, sql }]) => {
    const value = dialect.value(name, type)
    return `(${value} IS NULL OR ${sql(value, dialect)})`
  }).join('\n  AND ')
}

/** Values by name; null: no restriction. `listOf`: makes a list parameter of the database. */
export function conditionsOf<List>(
  filter: EmailFilter,
  listOf: (texts: readonly string[]) => List,
): Record<keyof ConditionFields, string | number | List | null> {
  const values = ALL.map(([name, condition]) => {
    const wanted = filter[name]
    const value = wanted === undefined ? null : condition.value(wanted)
    return [name, value !== null && typeof value === 'object' ? listOf(value) : value]
  })
  return Object.fromEntries(values)
}

/**
 * The JSON fragments of a list that has this tag: a name with its value, or a name or a value alone. Tags of the form
 * dialect have no name of their own (`unnamedTag`). Quotation marks within a tag are escaped there, so nothing else
 * matches.
 */
function tagTexts(tag: TagFilter): string[] {
  const { name, value } = tag
  if (value !== undefined) return [JSON.stringify({ name, value }), JSON.stringify(unnamedTag(tag))]
  const text = JSON.stringify(name)
  return [`{"name":${text},`, `,"value":${text}}`]
}

/** The bounds of a walk as whole numbers that both databases take. */
export function between({ above, below }: Pick<EmailWalk, 'above' | 'below'>): {
  above: number
  below: number
} {
  return { above: Math.floor(above), below: Math.ceil(Math.min(below, Number.MAX_SAFE_INTEGER)) }
}
