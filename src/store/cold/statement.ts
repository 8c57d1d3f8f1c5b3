/**
 * Statements for both databases, in the SQL of PostgreSQL: values are `$1`, with a cast where PostgreSQL needs the type
 * (`$2::text IS NULL`). SQLite gets them without these casts, and without the clauses that lock rows: it has only one
 * writer.
 */

export interface ColdStatement<Row = unknown> {
  /** PostgreSQL keeps the plan of a statement with a name for each connection. */
  readonly postgres: { readonly text: string; readonly name?: string }
  readonly sqlite: string
  /** Declared once, and prepared once; false: its text was made for one call. */
  readonly declared: boolean
  /** Never set; it tells the compiler the type of the rows. */
  readonly row?: Row
}

/** Expressions for which the two databases have different SQL. */
export interface Dialect {
  readonly engine: 'postgres' | 'sqlite'
  /** The rows in a parameter, a list of objects: `rows('$1', { id: 'text' })` in a FROM clause. */
  rows(
    parameter: string,
    columns: Readonly<Record<string, 'bigint' | 'integer' | 'text' | 'boolean' | 'uuid'>>,
  ): string
  /** The texts in a parameter, a list: a query with the column `value`. */
  texts(parameter: string): string
  /** The ids of emails in a parameter, a list: a query with the column `id`. */
  ids(parameter: string): string
  /**
   * The condition that a row is one of those that `from` finds. `from`: the rest of a query after its columns. `key`:
   * the columns of the table's key. PostgreSQL may run a query behind IN again for each row of the table, and each run
   * with SKIP LOCKED finds rows beyond the LIMIT; here the query runs once.
   */
  isAmong(key: string, from: string): string
  /** An address or a tag for comparison: ASCII letters in lower case. */
  folded(expression: string): string
  /** The column of `emails` by which other tables refer to an email. */
  readonly emailKey: 'id' | 'num'
  /** A key that is lower than those of all emails. */
  readonly firstEmail: string
}

type Text = string | ((dialect: Dialect) => string)

const CAPITALS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** `foldedAscii` of an expression on PostgreSQL, whose `lower` also folds other letters. */
export function foldedIn(expression: string): string {
  return `translate(${expression}, '${CAPITALS}', '${CAPITALS.toLowerCase()}')`
}

const POSTGRES: Dialect = {
  engine: 'postgres',
  rows(parameter, columns) {
    const typed = Object.entries(columns).map(([name, type]) => `"${name}" ${type}`)
    return `json_to_recordset(${parameter}::json) AS j (${typed.join(', ')})`
  },
  texts: (parameter) => `SELECT json_array_elements_text(${parameter}::json) AS value`,
  ids: (parameter) => `SELECT json_array_elements_text(${parameter}::json)::uuid AS id`,
  isAmong: (key, from) => {
    const column = key.includes(',') ? 'ctid' : key
    return `${column} = ANY (ARRAY(SELECT ${column} ${from}))`
  },
  folded: foldedIn,
  emailKey: 'id',
  firstEmail: "'00000000-0000-0000-0000-000000000000'",
}

const SQLITE: Dialect = {
  engine: 'sqlite',
  rows(parameter, columns) {
    const read = Object.keys(columns).map((name) => `value ->> '${name}' AS "${name}"`)
    return `(SELECT ${read.join(', ')} FROM json_each(${parameter})) AS j`
  },
  texts: (parameter) => `SELECT value FROM json_each(${parameter})`,
  ids: (parameter) => `SELECT value AS id FROM json_each(${parameter})`,
  isAmong: (key, from) => `(${key}) IN (SELECT ${key} ${from})`,
  folded: (expression) => `lower(${expression})`,
  emailKey: 'num',
  firstEmail: '-1',
}

/** All declared statements, for a test that looks at their plans. */
export const STATEMENTS: ColdStatement[] = []

/** Declares a statement. `name`: for a frequent one, so that PostgreSQL keeps its plan. */
export function statement<Row>(text: Text, name?: string): ColdStatement<Row> {
  const made = { ...dynamicStatement<Row>(text), declared: true }
  if (name !== undefined) Object.assign(made.postgres, { name })
  STATEMENTS.push(made)
  return made
}

/** A statement whose text depends on the call. */
export function dynamicStatement<Row>(text: Text): ColdStatement<Row> {
  const [postgres, sqlite] = [POSTGRES, SQLITE].map((dialect) =>
    typeof text === 'string' ? text : text(dialect),
  ) as [string, string]
  return { postgres: { text: postgres }, sqlite: forSqlite(sqlite), declared: false }
}

function forSqlite(text: string): string {
  return text
    .replace(/\$(\d+)(?:::\w+)?/g, '?$1')
    .replace(/\s+FOR (?:NO KEY |KEY )?(?:UPDATE|SHARE)(?: OF \w+)?(?: SKIP LOCKED)?/g, '')
}
