/** The port of the shared operations on PostgreSQL. */
import type { NewCompanyEvent } from '../../email/company-event.ts'
import type { NewEvent } from '../../email/event.ts'
import {
  isList,
  type ParameterValue,
  type Port,
  type PortChanges,
  type PortSteps,
  type PortTransaction,
  type Queries,
} from '../cold/port.ts'
import type { ColdStatement } from '../cold/statement.ts'
import { mapText } from '../json-columns.ts'
import type { EmailKey } from '../recipient-decision.ts'
import { apply, type RecipientDecision } from './apply.ts'
import { withNotice } from './change-notice.ts'
import type { DatabaseSession, Value as Parameter } from './database.ts'
import { factsOf, lockLive, lockRecipients, type RecipientKey } from './facts.ts'
import { isDuplicate } from './faults.ts'
import type { StoreParts } from './parts.ts'
import { storable } from './rows.ts'

const TELL = 'INSERT INTO events (company, at, type, detail, email) VALUES ($1, $2, $3, $4, $5)'

/** Runs an operation, and awaits each of its steps. */
export async function run<T>(operation: () => PortSteps<T>): Promise<T> {
  const steps = operation()
  let step = steps.next()
  while (!step.done) {
    let answer: unknown
    try {
      answer = await step.value
    } catch (error) {
      step = steps.throw(error)
      continue
    }
    step = steps.next(answer)
  }
  return step.value
}

function* wait<T>(promise: Promise<T>): PortSteps<T> {
  return (yield promise) as T
}

export function queriesOn(session: Pick<DatabaseSession, 'run'>): Queries {
  const all = <Row>({ postgres }: ColdStatement<Row>, ...values: ParameterValue[]) =>
    wait(session.run<Row>(postgres, values.map(parameter)))
  return {
    all,
    *one(statement, ...values) {
      return (yield* all(statement, ...values))[0]
    },
  }
}

function changesOn(session: DatabaseSession): PortChanges {
  return {
    ...queriesOn(session),
    run: ({ postgres }, ...values) => wait(session.count(postgres, values.map(parameter))),
  }
}

function transactionOn(session: DatabaseSession): PortTransaction {
  return {
    ...changesOn(session),
    isDuplicate,
    *tell(company: number, { at, type, detail }: NewEvent | NewCompanyEvent, email: EmailKey | null = null) {
      yield* wait(session.run(TELL, [company, Math.round(at), type, mapText(detail), email]))
    },
    recipients: (places) => wait(factsOf(session, places as RecipientKey[])),
    lockLive: (email) => wait(lockLive(session, email as string)),
    lock: (places) => wait(lockRecipients(session, places as RecipientKey[])),
    apply: (all, at) => wait(apply(session, all as RecipientDecision[], at)),
    *insertNumbered(table, columns, values) {
      const places = values.map((_, index) => `$${index + 1}`).join(', ')
      const sql = `INSERT INTO ${table} (${columns}) VALUES (${places}) RETURNING number`
      const [row] = yield* wait(session.run<{ number: number }>(sql, values.map(parameter)))
      return row!.number
    },
  }
}

/** Replaces the characters that PostgreSQL cannot store, even in JSON: NUL and lone surrogates. */
function parameter(value: ParameterValue): Parameter {
  if (!isList(value)) return value
  const stored = (each: unknown) => (typeof each === 'string' ? storable(each).toWellFormed() : each)
  return JSON.stringify(value, (_, each: unknown) => stored(each))
}

export function portOf(parts: StoreParts): Port {
  const { database, companies, changes } = parts
  return {
    read: queriesOn(database.reads),
    look: queriesOn({ run: (statement, values) => database.look(statement, values) }),
    write: changesOn({
      run: (statement, values) => database.write(statement, values),
      count: (statement, values) => database.count(statement, values),
    }),
    vital: changesOn({
      run: (statement, values) => database.vital(statement, values),
      count: (statement, values) => database.countVital(statement, values),
    }),
    snapshot: (work) => wait(database.snapshot((session) => run(() => work(queriesOn(session))))),
    *findCompany(id) {
      return (yield* wait(companies.find([id]))).get(id)
    },
    transaction: (work) => wait(database.transaction((session) => run(() => work(transactionOn(session))))),
    change: (company, work) =>
      wait(database.change(company, (session) => run(() => work(transactionOn(session))))),
    notice: (kind, work, { note, company } = {}) =>
      wait(
        withNotice(
          parts,
          kind,
          (session) => run(() => work(transactionOn(session))),
          note && ((session, version) => run(() => note(transactionOn(session), version))),
          company,
        ),
      ),
    changed: (kind) => (kind === 'queue' ? changes.queueChanged() : changes.stopsChanged()),
  }
}
