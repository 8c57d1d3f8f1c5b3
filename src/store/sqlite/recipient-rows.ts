/** Recipients as the writer reads them: the facts for a decision, and their place. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { listReader } from '../../email/codec.ts'
import { FACT_FIELDS, recipientFieldsOf } from '../../email/fields.ts'
import type { LockedRecipient } from '../recipient-decision.ts'

export type SqliteRecipient = LockedRecipient<number>

/** Present in each row, named like the columns. */
const PLACE = ['email', 'position', 'company', 'address', 'domain', 'lease']

/** The further fields of a claimed recipient, for `more` of a query. */
export const CLAIM_COLUMNS = Object.fromEntries(
  recipientFieldsOf('queue')
    .filter(({ column }) => !PLACE.includes(column))
    .map(({ name, column }) => [name, `r.${column}`]),
)

/**
 * A query for recipients `r`: `rest` is the part after FROM recipients r. Rows come as lists, which cost a quarter of
 * what objects cost.
 */
export class RecipientQuery<More extends object = object> {
  readonly #statement: StatementSync
  readonly #recipientOf: (row: unknown[]) => SqliteRecipient & More

  /** `more`: expressions over `r` or joined tables, by the name of the value in the result. */
  constructor(db: DatabaseSync, rest: string, more: Readonly<Record<string, string>> = {}) {
    const columns = [
      ...Object.values(more),
      ...PLACE.map((column) => `r.${column}`),
      ...FACT_FIELDS.map(({ column }) => `r.${column}`),
    ]
    this.#statement = db.prepare(`SELECT ${columns.join(', ')} FROM recipients r ${rest}`)
    this.#statement.setReturnArrays(true)
    this.#recipientOf = listReader([...Object.keys(more), ...PLACE], FACT_FIELDS)
  }

  one(...values: SQLInputValue[]): (SqliteRecipient & More) | undefined {
    const row = this.#statement.get(...values)
    return row === undefined ? undefined : this.#recipientOf(row as unknown as unknown[])
  }

  all(...values: SQLInputValue[]): (SqliteRecipient & More)[] {
    return (this.#statement.all(...values) as unknown as unknown[][]).map(this.#recipientOf)
  }
}
