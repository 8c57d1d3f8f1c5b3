/**
 * Statements for both databases, which differ in types alone: `{big}` stands for the type of a large number. A
 * migration that needs more than that is written for each database.
 */

const SQLITE: Readonly<Record<string, string>> = {
  /** A text that is compared octet by octet. */
  id: 'TEXT',
  text: 'TEXT',
  int: 'INTEGER',
  big: 'INTEGER',
  octets: 'BLOB',
  /** Follows the columns of a table. `keyed`: its rows lie in the order of its key. */
  strict: ' STRICT',
  keyed: ' STRICT, WITHOUT ROWID',
}

const POSTGRES: typeof SQLITE = {
  id: 'text COLLATE "C"',
  text: 'text',
  int: 'integer',
  big: 'bigint',
  octets: 'bytea',
  strict: '',
  keyed: '',
}

export const inSqlite = (sql: string): string => withTypes(sql, SQLITE)

export const inPostgres = (sql: string): string => withTypes(sql, POSTGRES)

function withTypes(sql: string, types: typeof SQLITE): string {
  return sql.replace(/\{(\w+)\}/g, (_, word: string) => {
    const type = types[word]
    if (type === undefined) throw new Error(`There is no type {${word}}`)
    return type
  })
}
