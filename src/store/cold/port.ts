/**
 * The port: the queries and transactions that a database offers to the shared operations of the store. An operation is
 * a generator function: it waits at each `yield*`. In a thread of SQLite every answer is there at once, and the
 * operation runs through; on PostgreSQL the driver waits for the promises.
 */
import type { NewCompanyEvent } from '../../email/company-event.ts'
import type { Store, StoreChange } from '../store.ts'
import type { ColdStatement } from './statement.ts'

/** A list is passed as JSON: see `rows` and `texts` of `Dialect`. */
export type ParameterValue =
  | string
  | number
  | boolean
  | Uint8Array
  | null
  | readonly object[]
  | readonly string[]

export function isList(value: ParameterValue): value is readonly object[] | readonly string[] {
  return Array.isArray(value)
}

export type PortSteps<T> = Generator<Promise<unknown>, T, unknown>

export interface Queries {
  all<Row>(statement: ColdStatement<Row>, ...values: ParameterValue[]): PortSteps<Row[]>
  /** The first row. */
  one<Row>(statement: ColdStatement<Row>, ...values: ParameterValue[]): PortSteps<Row | undefined>
}

export interface PortChanges extends Queries {
  /** Returns how many rows were inserted, changed or removed. */
  run(statement: ColdStatement, ...values: ParameterValue[]): PortSteps<number>
}

/** Inside a transaction. An error that is thrown in it rolls it back. */
export interface PortTransaction extends PortChanges {
  /** True for the error of a change that would have given two rows a value that must be unique. */
  isDuplicate(error: unknown): boolean
  /** Appends an event of a company, by its number, to the log. */
  tell(company: number, event: NewCompanyEvent): PortSteps<void>
  /**
   * Inserts a row that gets the next number of its table, and returns that. Numbers rise even when the last row was
   * removed.
   */
  insertNumbered(table: 'audit', columns: string, values: readonly ParameterValue[]): PortSteps<number>
}

export interface ReadPort {
  /** Each statement by itself. */
  readonly read: Queries
  /** The same over the connections of the hot path: it must not wait behind long lists. */
  readonly look: Queries
  /** All statements see the same state of the database. */
  snapshot<T>(work: (db: Queries) => PortSteps<T>): PortSteps<T>
  /** The number of the company. Undefined: there is none with this id. Not to be called in a transaction. */
  findCompany(id: string): PortSteps<number | undefined>
}

export interface NoticeOptions {
  /** Runs last in the transaction, with the version of the change. */
  note?: (db: PortTransaction, version: number) => PortSteps<void>
  /** The number of the company whose turn it takes; absent: the turn of its kind. */
  company?: number | undefined
}

export interface Port extends ReadPort {
  /** Each statement by itself, in a transaction of its own. */
  readonly write: PortChanges
  /** PostgreSQL may run it several times, when it loses against another transaction. */
  transaction<T>(work: (db: PortTransaction) => PortSteps<T>): PortSteps<T>
  /** A transaction by which a company, by its number, changes its own things: companies take turns. */
  change<T>(company: number, work: (db: PortTransaction) => PortSteps<T>): PortSteps<T>
  /** A transaction. When `work` returns true, the watchers of all nodes are notified of the change. */
  notice(
    kind: StoreChange,
    work: (db: PortTransaction) => PortSteps<boolean>,
    options?: NoticeOptions,
  ): PortSteps<boolean>
  /** The queue has changed: watchers are notified. */
  queueChanged(): void
}

/** Methods of the store, as they run on a port. */
export type Operations<On> = {
  [Name in keyof Store]?: Store[Name] extends (...args: infer Args) => Promise<infer Result>
    ? (port: On, ...args: Args) => PortSteps<Result>
    : never
}
