import { LAST_EVENT_TYPES } from '../../../email/event.ts'
import { type Declared, fieldsOf, recipientFieldsOf } from '../../../email/fields.ts'
import { octetsRead, selected } from '../../email-columns.ts'
import {
  type AttemptRow,
  type CapturedRow,
  capturedOf,
  type EmailRow,
  type EventRow,
  historyOf,
  type RecipientRow,
  type SummaryRow,
  storedEmail,
  summaryOf,
} from '../../email-rows.ts'
import type { EmailFilter, EmailHistory, EmailSummary, StoredEmail, StoredOrigin } from '../../store.ts'
import { OnConnection } from '../connection.ts'
import { all, one } from '../rows.ts'

/** SQLite has no booleans. */
interface NumbersRow extends Omit<EmailRow, 'contentRemoved'> {
  num: number
  kept: number
}

/** Of the email `e` and its content `k`. */
const tableOf = ({ large }: Declared) => (large ? 'k' : 'e')

/** Of the email `e`. */
const LAST_EVENT = `(SELECT type FROM events
  WHERE email = e.num AND type IN (${LAST_EVENT_TYPES.map((type) => `'${type}'`).join(', ')}) ORDER BY number DESC LIMIT 1)`

const SUMMARY = `SELECT ${selected(fieldsOf('list'), tableOf)}, ${LAST_EVENT} AS lastEvent FROM emails e CROSS JOIN companies c ON c.num = e.company`

/** What the API and the operator read back about emails. */
export class EmailReader extends OnConnection {
  // The length of a value stands in the head of its row: not a page of the value itself is read.
  readonly #origin = this.db.prepare(
    `SELECT c.id AS companyId, e.domain_id AS domainId, e.key_id AS keyId, ${octetsRead('show', tableOf)} AS octets
     FROM emails e JOIN companies c ON c.num = e.company LEFT JOIN contents k ON k.email = e.num WHERE e.id = ?`,
  )
  readonly #email = this.db.prepare(
    `SELECT e.num, ${selected(fieldsOf('show'), tableOf)}, ${LAST_EVENT} AS lastEvent, k.email IS NOT NULL AS kept
     FROM emails e JOIN companies c ON c.num = e.company LEFT JOIN contents k ON k.email = e.num WHERE e.id = ?`,
  )
  readonly #recipients = this.db.prepare(
    `SELECT position, ${selected(recipientFieldsOf('show'), () => 'r')}, state, attempts, due_at AS dueAt, last_code AS lastCode,
            last_message AS lastMessage, server
     FROM recipients r WHERE email = ? ORDER BY position`,
  )
  readonly #events = this.db.prepare(
    'SELECT recipient, type, at, detail FROM events WHERE email = ? ORDER BY number',
  )
  readonly #attempts = this.db.prepare(
    `SELECT recipients, started_at AS startedAt, duration, server, tls, dialogue
     FROM attempts WHERE email = ? ORDER BY seq`,
  )
  readonly #captured = this.db.prepare(
    `SELECT k.recipients, k.raw FROM captured k JOIN emails e ON e.num = k.email WHERE e.id = ? ORDER BY k.num`,
  )
  readonly #number = this.db.prepare('SELECT num FROM emails WHERE id = ?')
  readonly #place = this.db.prepare('SELECT num FROM emails WHERE id < ? ORDER BY id DESC LIMIT 1')
  readonly #cancelRequests = this.db.prepare(
    `SELECT DISTINCT e.id FROM recipients r INDEXED BY recipients_to_cancel CROSS JOIN emails e ON e.num = r.email
     WHERE r.cancel = 1`,
  )
  readonly #list = this.db.prepare(`${SUMMARY} WHERE e.num < ? ORDER BY e.num DESC LIMIT ?`)
  readonly #listOfCompany = this.db.prepare(
    `${SUMMARY} WHERE e.company = (SELECT num FROM companies WHERE id = ?) AND e.num < ? ORDER BY e.num DESC LIMIT ?`,
  )

  origin(id: string): StoredOrigin | null {
    return one<StoredOrigin>(this.#origin, id) ?? null
  }

  read(id: string): StoredEmail | null {
    const row = one<NumbersRow>(this.#email, id)
    return row === undefined ? null : storedEmail(emailRow(row))
  }

  history(id: string): EmailHistory | null {
    const row = one<NumbersRow>(this.#email, id)
    if (row === undefined) return null
    return historyOf(
      emailRow(row),
      all<RecipientRow>(this.#recipients, row.num),
      all<EventRow>(this.#events, row.num),
      all<AttemptRow>(this.#attempts, row.num),
    )
  }

  captured(id: string): { recipients: number[]; raw: Uint8Array }[] {
    return all<CapturedRow>(this.#captured, id).map(capturedOf)
  }

  /** Ids of emails with recipients being sent that are to be canceled. */
  cancelRequests(): string[] {
    return all<{ id: string }>(this.#cancelRequests).map(({ id }) => id)
  }

  /** Newest first. `before` need not exist any more: the list goes on with what is older than it. */
  list({ companyId, before, limit }: EmailFilter): EmailSummary[] {
    const end = before === undefined ? Number.MAX_SAFE_INTEGER : this.#endBefore(before)
    const rows =
      companyId === undefined
        ? all<SummaryRow>(this.#list, end, limit)
        : all<SummaryRow>(this.#listOfCompany, companyId, end, limit)
    return rows.map(summaryOf)
  }

  /**
   * The number that all emails older than `id` are below. When it is gone its place is found by time: ids are UUIDv7,
   * in order but for those of one millisecond.
   */
  #endBefore(id: string): number {
    const own = one<{ num: number }>(this.#number, id)?.num
    return own ?? (one<{ num: number }>(this.#place, id)?.num ?? 0) + 1
  }
}

function emailRow(row: NumbersRow): EmailRow {
  return { ...row, contentRemoved: row.kept === 0 }
}
