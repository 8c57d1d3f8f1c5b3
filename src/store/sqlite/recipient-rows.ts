/** Recipients as the writer reads them: what a decision rests on, and where they stand. */
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite'
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

const COLUMNS = `r.email, r.position, r.company, r.address, r.domain, r.state, r.due_at, r.lease, r.attempts, r.uncertain,
  r.preferred_server, r.postponed_since, r.held_for, r.suspicion, r.cancel, r.server, r.last_code, r.last_message`

/**
 * A query for recipients `r`: what comes behind FROM recipients r. Rows come as lists, which cost a quarter of objects.
 */
export class RecipientQuery {
  readonly #statement: StatementSync

  /** `more`: one more value of each, or of what is joined to it. */
  constructor(db: DatabaseSync, rest: string, more = 'NULL') {
    this.#statement = db.prepare(`SELECT ${more}, ${COLUMNS} FROM recipients r ${rest}`)
    this.#statement.setReturnArrays(true)
  }

  one(...values: SQLInputValue[]): Recipient | undefined {
    const row = this.#statement.get(...values)
    return row === undefined ? undefined : recipientOf(row as unknown as Row)
  }

  all(...values: SQLInputValue[]): Recipient[] {
    return this.#rows(values).map(recipientOf)
  }

  /** Each with its value of `more`. */
  allWith<More extends SQLOutputValue>(...values: SQLInputValue[]): [Recipient, More][] {
    return this.#rows(values).map((row) => [recipientOf(row), row[0] as More])
  }

  #rows(values: SQLInputValue[]): Row[] {
    return this.#statement.all(...values) as unknown as Row[]
  }
}

type Row = [
  more: SQLOutputValue,
  email: number,
  position: number,
  company: number,
  address: string,
  domain: string,
  state: Recipient['state'],
  dueAt: number | null,
  lease: number | null,
  attempts: number,
  uncertain: number,
  preferredServer: string | null,
  postponedSince: number | null,
  heldFor: Recipient['heldFor'],
  suspicion: Recipient['suspicion'],
  cancel: number,
  server: string | null,
  lastCode: number | null,
  lastMessage: string | null,
]

function recipientOf([
  ,
  email,
  position,
  company,
  address,
  domain,
  state,
  dueAt,
  lease,
  attempts,
  uncertain,
  preferredServer,
  postponedSince,
  heldFor,
  suspicion,
  cancel,
  server,
  lastCode,
  lastMessage,
]: Row): Recipient {
  return {
    email,
    position,
    company,
    address,
    domain,
    state,
    dueAt,
    lease,
    attempts,
    uncertain: uncertain === 1,
    preferredServer,
    postponedSince,
    heldFor,
    suspicion,
    cancelRequested: cancel === 1,
    server,
    lastCode,
    lastMessage,
  }
}
