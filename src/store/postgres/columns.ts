/** Passes rows to a statement as one array per column, which `unnest` turns back into rows. */
import type { ColumnType } from '../../email/fields.ts'
import { TYPES } from './arrays.ts'

/** One column: its type in the statement, and its values, taken from the source of each row. */
interface SqlColumn<From> {
  type: string
  array(rows: readonly From[]): Buffer
}

/** Columns by their names in the statement. */
export type SqlColumns<From> = Record<string, SqlColumn<From>>

interface UnnestSql<From> {
  /** The names of the columns. */
  names: string
  /** The parameter of each column, by name. */
  params: Record<string, string>
  /** The call that returns the rows, without names. */
  unnest: string
  /** The rows under a name, for a FROM clause. */
  as(name: string): string
  /** The number of the first parameter after these. */
  next: number
  /** The parameters, in order. */
  values(rows: readonly From[]): Buffer[]
}

/** `first`: the number of the first parameter. */
export function unnestSql<From>(first: number, columns: SqlColumns<From>): UnnestSql<From> {
  const all = Object.values(columns)
  const names = Object.keys(columns).join(', ')
  const params = Object.entries(columns).map(([name, { type }], index) => [
    name,
    `$${first + index}::${type}[]`,
  ])
  const unnest = `unnest(${params.map(([, param]) => param).join(', ')})`
  const none = all.map(({ array }) => array([]))
  return {
    names,
    params: Object.fromEntries(params),
    unnest,
    as: (name) => `${unnest} AS ${name} (${names})`,
    next: first + all.length,
    values: (rows) => (rows.length === 0 ? none : all.map(({ array }) => array(rows))),
  }
}

export const uuid = column<string>('uuid')
export const int4 = column<number | null>('int4')
/** Rounded to whole numbers. */
export const int8 = column<number | null>('int8')
export const bool = column<boolean>('bool')
export const text = column<string | null>('text')
export const bytea = column<Uint8Array | null>('bytea')

export function column<T>(of: ColumnType): <From>(value: (from: From) => T) => SqlColumn<From> {
  const { name, array } = TYPES[of] as { name: string; array: (values: readonly T[]) => Buffer }
  return (value) => ({ type: name, array: (rows) => array(rows.map(value)) })
}
