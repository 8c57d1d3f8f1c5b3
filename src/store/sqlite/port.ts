/**
 * The port through which the shared operations use the database in the threads of SQLite. Every answer is available at
 * once.
 */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { NewCompanyEvent } from '../../email/company-event.ts'
import type { NewEvent } from '../../email/event.ts'
import { COMPANY } from '../cold/companies.ts'
import {
  isList,
  type ParameterValue,
  type Port,
  type PortChanges,
  type PortSteps,
  type PortTransaction,
  type Queries,
  type ReadPort,
} from '../cold/port.ts'
import { type ColdStatement, statement } from '../cold/statement.ts'
import type { EmailKey, RecipientKey } from '../recipient-decision.ts'
import type { StoreChange } from '../store.ts'
import { isDuplicate } from './database.ts'
import type { SqliteRecipient } from './recipient-rows.ts'
import type { WriterParts } from './write/parts.ts'

const RAISE = statement<{ value: number }>(
  'UPDATE counters SET value = value + 1 WHERE name = $1 RETURNING value',
)

/** Runs an operation to its end. */
export function run<T>(operation: () => PortSteps<T>): T {
  const { done, value } = operation().next()
  if (done !== true) throw new Error('A step in a thread of SQLite waits for a promise')
  return value
}

/** Steps that return an answer which is already available. */
// biome-ignore lint/correctness/useYield: nothing to wait for
function* answer<T>(value: T): PortSteps<T> {
  return value
}

/** Declared statements are prepared once for each connection, when they are first used. */
class PreparedStatements {
  readonly #db: DatabaseSync
  readonly #prepared = new Map<ColdStatement, StatementSync>()

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  get(statement: ColdStatement): StatementSync {
    if (!statement.declared) return this.#db.prepare(statement.sqlite)
    let prepared = this.#prepared.get(statement)
    if (prepared === undefined) {
      prepared = this.#db.prepare(statement.sqlite)
      this.#prepared.set(statement, prepared)
    }
    return prepared
  }
}

function queriesOn(prepared: PreparedStatements): Queries {
  return {
    all: <Row>(statement: ColdStatement<Row>, ...values: ParameterValue[]) =>
      answer(prepared.get(statement).all(...values.map(parameter)) as Row[]),
    one: <Row>(statement: ColdStatement<Row>, ...values: ParameterValue[]) =>
      answer(prepared.get(statement).get(...values.map(parameter)) as Row | undefined),
  }
}

/** The port of the reader, which runs each operation in one transaction. */
export function readPort(db: DatabaseSync): ReadPort {
  const queries = queriesOn(new PreparedStatements(db))
  return {
    read: queries,
    look: queries,
    snapshot: (work) => work(queries),
    *findCompany(id) {
      return (yield* queries.one(COMPANY, id))?.num
    },
  }
}

/** For the writer: each operation runs in one transaction, which it may share with others. */
export function writePort(
  db: DatabaseSync,
  { companies, changes, events, lanes, recipients }: WriterParts,
): Port {
  const prepared = new PreparedStatements(db)
  const queries = queriesOn(prepared)
  const written: PortChanges = {
    ...queries,
    run: (statement, ...values) =>
      answer(Number(prepared.get(statement).run(...values.map(parameter)).changes)),
  }
  const raise = (counter: string) => (prepared.get(RAISE).get(counter) as { value: number }).value
  const locked = (places: readonly RecipientKey[]) =>
    answer(places.flatMap(({ email, position }) => recipients.find(email as number, position) ?? []))
  const transaction: PortTransaction = {
    ...written,
    isDuplicate,
    tell: (company: number, event: NewEvent | NewCompanyEvent, email: EmailKey | null = null) =>
      answer(events.append(email as number | null, company, null, event)),
    recipients: locked,
    lockLive: (email) => answer(recipients.live(email as number)),
    lock: locked,
    apply(all, at) {
      for (const { recipient, decision } of all) recipients.apply(recipient as SqliteRecipient, decision, at)
      lanes.write()
      // If the suppression list has grown, `changes` already says so.
      return answer(false)
    },
    insertNumbered(table, columns, values) {
      const number = raise(table)
      const marks = values.map(() => ', ?').join('')
      db.prepare(`INSERT INTO ${table} (number, ${columns}) VALUES (?${marks})`).run(
        number,
        ...values.map(parameter),
      )
      return answer(number)
    },
  }
  return {
    read: queries,
    look: queries,
    write: written,
    vital: written,
    snapshot: (work) => work(queries),
    findCompany: (id) => answer(companies.find(id)),
    transaction: (work) => work(transaction),
    change: (_, work) => work(transaction),
    *notice(kind: StoreChange, work, { note } = {}) {
      const changed = yield* work(transaction)
      if (!changed) return false
      if (kind === 'stops') raise('suppressions')
      if (note !== undefined) yield* note(transaction, raise(kind))
      changes[kind] = true
      return true
    },
    changed(kind) {
      changes[kind] = true
    },
  }
}

/** SQLite has neither booleans nor lists. */
function parameter(value: ParameterValue): SQLInputValue {
  if (isList(value)) return JSON.stringify(value)
  return typeof value === 'boolean' ? Number(value) : value
}
