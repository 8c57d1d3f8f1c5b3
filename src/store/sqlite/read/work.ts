import { fieldsOf } from '../../../email/fields.ts'
import {
  ContentDamaged,
  claimedEmail,
  claimedRecipient,
  damagedEmail,
  type FileRow,
} from '../../content-rows.ts'
import { bodyRead, selected } from '../../email-columns.ts'
import type { ClaimedEmail } from '../../store.ts'
import { OnConnection } from '../connection.ts'
import { CLAIM_COLUMNS, RecipientQuery } from '../recipient-rows.ts'
import { all, one } from '../rows.ts'

/** An email with everything needed to send it, and the claim's own fields. */
export interface EmailWork {
  num: number
  company: number
  /** The event `sent` has been written. */
  sent: boolean
  email: ClaimedEmail
}

/** The small row of an email: with a column for each field of a claim. */
interface WorkEmailRow {
  num: number
  company: number
  size: number
  sent: number
}

const FIELDS = fieldsOf('queue')
const SMALL = FIELDS.filter(({ large }) => large !== true)
const LARGE = FIELDS.filter(({ large }) => large === true)

/** Reads whole work items. Used by the claim (in the writer) and for reading an email again (in the reader). */
export class WorkReader extends OnConnection {
  readonly #email = this.db.prepare(
    `SELECT e.num, e.company, e.sent, ${selected(SMALL, () => 'e')}
     FROM emails e JOIN companies c ON c.num = e.company WHERE e.num = ?`,
  )
  readonly #byId = this.db.prepare('SELECT num FROM emails WHERE id = ?')
  readonly #content = this.db.prepare(
    `SELECT ${selected(LARGE, () => 'k', bodyRead)} FROM contents k WHERE k.email = ?`,
  )
  readonly #attachments = this.db.prepare(
    `SELECT a.position, a.filename, a.content_type AS contentType, a.disposition, a.content_id AS contentId, b.bytes
     FROM attachments a LEFT JOIN blobs b ON b.num = a.blob WHERE a.email = ? ORDER BY a.position`,
  )
  readonly #recipients = new RecipientQuery(this.db, 'WHERE r.email = ? ORDER BY r.position', CLAIM_COLUMNS)
  readonly #recipient = new RecipientQuery(this.db, 'WHERE r.email = ? AND r.position = ?', CLAIM_COLUMNS)

  /** The small row of an email; its content is not read. */
  head(num: number): WorkEmailRow | undefined {
    return one<WorkEmailRow>(this.#email, num)
  }

  /** Without recipients. Throws ContentDamaged, saying what is missing, when the content is unreadable. */
  load(row: WorkEmailRow): EmailWork {
    const { num, company } = row
    const content = one<object>(this.#content, num)
    if (content === undefined) throw new ContentDamaged('the stored content is missing')
    const email = claimedEmail(row, content, all<FileRow>(this.#attachments, num))
    return { num, company, sent: row.sent === 1, email }
  }

  /**
   * The whole item with all recipients, in whatever state; null when unknown or its content was removed. `copy`: for a
   * batch, only the recipient at this position. Throws StoreDamaged.
   */
  readWork(id: string, copy?: number): ClaimedEmail | null {
    try {
      return this.#readWork(id, copy)
    } catch (error) {
      throw error instanceof ContentDamaged ? damagedEmail(id, error) : error
    }
  }

  #readWork(id: string, copy: number | undefined): ClaimedEmail | null {
    const num = one<{ num: number }>(this.#byId, id)?.num
    if (num === undefined || this.#content.get(num) === undefined) return null
    const { email } = this.load(this.head(num)!)
    const found =
      copy !== undefined && email.individual ? this.#recipient.all(num, copy) : this.#recipients.all(num)
    email.recipients = found.map((stored) => {
      const recipient = claimedRecipient(stored)
      if (recipient instanceof ContentDamaged) throw recipient
      return { ...recipient, suspicion: 0 }
    })
    return email
  }
}
