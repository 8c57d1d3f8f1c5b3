/**
 * What the shared operations of the store ask of a database. An operation is a generator function: it waits at each
 * `yield*`. In a thread of SQLite every answer is there at once, and the operation runs through; on PostgreSQL the
 * driver waits for the promises.
 */
import type { NewCompanyEvent } from '../../email/company-event.ts'
import type { Store, StoreChange } from '../store.ts'
import type { Statement } from './statement.ts'

/** A list is passed as JSON: see `rows` and `texts` of `Dialect`. */
export type Value = string | number | boolean | Uint8Array | null | readonly object[] | readonly string[]

export function isList(value: Value): value is readonly object[] | readonly string[] {
  return Array.isArray(value)
}

export type Steps<T> = Generator<Promise<unknown>, T, unknown>

export interface Queries {
  all<Row>(statement: Statement<Row>, ...values: Value[]): Steps<Row[]>
  /** The first row. */
  one<Row>(statement: Statement<Row>, ...values: Value[]): Steps<Row | undefined>
}

export interface Changes extends Queries {
  /** Returns how many rows were inserted, changed or removed. */
  run(statement: Statement, ...values: Value[]): Steps<number>
}

/** Inside a transaction. An error that is thrown in it rolls it back. */
export interface Transaction extends Changes {
  /** True for the error of a change that would have given two rows a value that must be unique. */
  isDuplicate(error: unknown): boolean
  /** Appends an event of a company, by its number, to the log. */
  tell(company: number, event: NewCompanyEvent): Steps<void>
  /**
   * Inserts a row that gets the next number of its table, and returns that. Numbers rise even when the last row was
   * removed.
   */
  insertNumbered(table: 'audit', columns: string, values: readonly Value[]): Steps<number>
}

export interface ReadPort {
  /** Each statement by itself. */
  readonly read: Queries
  /** The same over the connections of the hot path: it must not wait behind long lists. */
  readonly look: Queries
  /** All statements see the same state of the database. */
  snapshot<T>(work: (db: Queries) => Steps<T>): Steps<T>
  /** The number of the company. Undefined: there is none with this id. Not to be called in a transaction. */
  findCompany(id: string): Steps<number | undefined>
}

export interface NoticeOptions {
  /** Runs last in the transaction, with the version of the change. */
  note?: (db: Transaction, version: number) => Steps<void>
  /** The number of the company whose turn it takes; absent: the turn of its kind. */
  company?: number | undefined
}

export interface Port extends ReadPort {
  /** Each statement by itself, in a transaction of its own. */
  readonly write: Changes
  /** PostgreSQL may run it several times, when it loses against another transaction. */
  transaction<T>(work: (db: Transaction) => Steps<T>): Steps<T>
  /** A transaction by which a company, by its number, changes its own things: companies take turns. */
  change<T>(company: number, work: (db: Transaction) => Steps<T>): Steps<T>
  /** A transaction. When `work` returns true, the watchers of all nodes are notified of the change. */
  notice(
    kind: StoreChange,
    work: (db: Transaction) => Steps<boolean>,
    options?: NoticeOptions,
  ): Steps<boolean>
  /** The queue has changed: watchers are notified. */
  queueChanged(): void
}

/** Methods of the store, as they run on a port. */
export type Operations<On> = {
  [Name in keyof Store]?: Store[Name] extends (...args: infer Args) => Promise<infer Result>
    ? (port: On, ...args: Args) => Steps<Result>
    : never
}
