/**
 * The port: the queries and transactions that a database offers to the shared operations of the store. An operation is
 * a generator function: it waits at each `yield*`. In a thread of SQLite every answer is there at once, and the
 * operation runs through; on PostgreSQL the driver waits for the promises.
 */
import type { NewCompanyEvent } from '../../email/company-event.ts'
import type { NewEvent } from '../../email/event.ts'
import type { EmailKey, LockedRecipient, RecipientDecision, RecipientKey } from '../recipient-decision.ts'
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
  /** Appends an event of a company, by its number, to the log; or one of an email of the company. */
  tell(company: number, event: NewCompanyEvent): PortSteps<void>
  tell(company: number, event: NewEvent, email: EmailKey): PortSteps<void>
  /** The recipients at these places. The transaction has locked their rows in the queue. */
  recipients(places: readonly RecipientKey[]): PortSteps<LockedRecipient[]>
  /**
   * Locks the recipients of an email that wait, are being sent, or are in quarantine; by position. A result being
   * written comes before or after, not in between.
   */
  lockLive(email: EmailKey): PortSteps<LockedRecipient[]>
  /** Locks the recipients at these places, also those that have ended. */
  lock(places: readonly RecipientKey[]): PortSteps<LockedRecipient[]>
  /** Writes decisions about locked recipients; `at` in Unix ms. True when a suppression list got longer. */
  apply(all: readonly RecipientDecision[], at: number): PortSteps<boolean>
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

interface NoticeOptions {
  /** Runs last in the transaction, with the version of the change. */
  note?: (db: PortTransaction, version: number) => PortSteps<void>
  /** The number of the company whose turn it takes; absent: the turn of its kind. */
  company?: number | undefined
}

export interface Port extends ReadPort {
  /** Each statement by itself, in a transaction of its own. */
  readonly write: PortChanges
  /** The same over a connection of its own, so that a node whose other connections are all busy does not look dead. */
  readonly vital: PortChanges
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
  /** Notifies watchers of a change that is committed. */
  changed(kind: 'queue' | 'stops'): void
}

/** Methods of the store, as they run on a port. */
export type Operations<On> = {
  [Name in keyof Store]?: Store[Name] extends (...args: infer Args) => Promise<infer Result>
    ? (port: On, ...args: Args) => PortSteps<Result>
    : never
}

/** One step of a walk: the work done, and the place where the next step begins; null: nothing is left. */
export interface WalkStep {
  done: number
  next: unknown
}

/** Methods of the store that do their work in several commits, each from a place on (null: from the beginning). */
export type WalkOperations<On> = {
  [Name in keyof Store]?: Store[Name] extends (...args: infer Args) => Promise<number>
    ? (port: On, place: unknown, ...args: Args) => PortSteps<WalkStep>
    : never
}
