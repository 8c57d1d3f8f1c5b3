/** Rows that go into a statement: an array a column, of which `unnest` makes rows again. */
import type { ColumnType } from '../../email/fields.ts'
import { TYPES } from './arrays.ts'

/** One column: its type in the statement, and its values out of what each row is made from. */
export interface Column<From> {
  type: string
  array(rows: readonly From[]): Buffer
}

/** By the names that they have in the statement. */
export type Columns<From> = Record<string, Column<From>>

export interface Given<From> {
  /** The names of the columns. */
  names: string
  /** Each as a parameter, by name. */
  params: Record<string, string>
  /** The call that gives the rows, without names. */
  unnest: string
  /** The rows under a name, as FROM takes them. */
  as(name: string): string
  /** The number of the parameter behind the last one. */
  next: number
  /** The parameters, in order. */
  values(rows: readonly From[]): Buffer[]
}

/** `first`: the number of the first parameter. */
export function given<From>(first: number, columns: Columns<From>): Given<From> {
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
/** Whole when it gets there. */
export const int8 = column<number | null>('int8')
export const bool = column<boolean>('bool')
export const text = column<string | null>('text')
export const bytea = column<Uint8Array | null>('bytea')

export function column<T>(of: ColumnType): <From>(value: (from: From) => T) => Column<From> {
  const { name, array } = TYPES[of] as { name: string; array: (values: readonly T[]) => Buffer }
  return (value) => ({ type: name, array: (rows) => array(rows.map(value)) })
}
