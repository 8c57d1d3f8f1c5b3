/** Recipients as the writer reads them: what a decision rests on, and where they stand. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { listReader } from '../../email/codec.ts'
import { FACT_FIELDS, recipientFieldsOf } from '../../email/fields.ts'
import type { Facts } from '../../email/lifecycle.ts'

export interface Recipient extends Facts {
  /** By number. */
  email: number
  position: number
  company: number
  address: string
  domain: string
  /** Fencing token, while `sending`. */
  lease: number | null
}

/** In each row, as the columns are called. */
const PLACE = ['email', 'position', 'company', 'address', 'domain', 'lease']

/** What else who claims it reads of a recipient: `more` of a query. */
export const GIVEN = Object.fromEntries(
  recipientFieldsOf('queue')
    .filter(({ column }) => !PLACE.includes(column))
    .map(({ name, column }) => [name, `r.${column}`]),
)

/**
 * A query for recipients `r`: what comes behind FROM recipients r. Rows come as lists, which cost a quarter of objects.
 */
export class RecipientQuery<More extends object = object> {
  readonly #statement: StatementSync
  readonly #recipientOf: (row: unknown[]) => Recipient & More

  /** `more`: expressions of `r` or what is joined to it, by the name that the value gets as it stands in the row. */
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

  one(...values: SQLInputValue[]): (Recipient & More) | undefined {
    const row = this.#statement.get(...values)
    return row === undefined ? undefined : this.#recipientOf(row as unknown as unknown[])
  }

  all(...values: SQLInputValue[]): (Recipient & More)[] {
    return (this.#statement.all(...values) as unknown as unknown[][]).map(this.#recipientOf)
  }
}
