import type { DatabaseSync, StatementSync } from 'node:sqlite'
import {
  type BodyRow,
  ContentDamaged,
  type ContentRow,
  contentOf,
  type FileRow,
  variablesOf,
} from '../../content-rows.ts'
import type { ClaimedEmail, ClaimedRecipient } from '../../store.ts'
import { type Recipient, RecipientQuery } from '../recipient-rows.ts'
import { all, one } from '../rows.ts'

/** An email with what is needed to send it, and what the claim keeps track of. */
export interface Work {
  num: number
  company: number
  /** The event `sent` has been written. */
  sent: boolean
  email: ClaimedEmail
}

export interface EmailRow extends ContentRow {
  num: number
  id: string
  companyId: string
  company: number
  domainId: string
  sender: string
  individual: number
  testMode: number
  size: number
  sent: number
}

/** Reads whole work items. Used by the claim (in the writer) and to look at an email again (in the reader). */
export class WorkReader {
  readonly #email: StatementSync
  readonly #byId: StatementSync
  readonly #content: StatementSync
  readonly #attachments: StatementSync
  readonly #recipients: RecipientQuery

  constructor(db: DatabaseSync) {
    this.#email = db.prepare(
      `SELECT e.num, e.id, c.id AS companyId, e.company, e.domain_id AS domainId, e.sender, e.header_from, e.header_to,
              e.header_cc, e.reply_to, e.subject, e.headers, e.message_id AS messageId, e.date, e.individual,
              e.test_mode AS testMode, e.size, e.sent
       FROM emails e JOIN companies c ON c.num = e.company WHERE e.num = ?`,
    )
    this.#byId = db.prepare('SELECT num FROM emails WHERE id = ?')
    this.#content = db.prepare('SELECT html, text, raw FROM contents WHERE email = ?')
    this.#attachments = db.prepare(
      `SELECT a.position, a.filename, a.content_type AS contentType, a.disposition, a.content_id AS contentId, b.bytes
       FROM attachments a LEFT JOIN blobs b ON b.num = a.blob WHERE a.email = ? ORDER BY a.position`,
    )
    this.#recipients = new RecipientQuery(db, 'WHERE r.email = ? ORDER BY r.position', 'r.variables')
  }

  /** The small row of an email; its content is not touched. */
  head(num: number): EmailRow | undefined {
    return one<EmailRow>(this.#email, num)
  }

  /** Without recipients. Throws ContentDamaged, saying what is missing, when the content does not read back. */
  load(row: EmailRow): Work {
    const { num, company } = row
    const stored = one<BodyRow & { raw: Uint8Array | null }>(this.#content, num)
    if (stored === undefined) throw new ContentDamaged('the stored content is missing')
    const email: ClaimedEmail = {
      id: row.id,
      companyId: row.companyId,
      domainId: row.domainId,
      sender: row.sender,
      content: contentOf(row, stored, all<FileRow>(this.#attachments, num)),
      raw: stored.raw,
      individual: row.individual === 1,
      testMode: row.testMode === 1,
      size: row.size,
      recipients: [],
    }
    return { num, company, sent: row.sent === 1, email }
  }

  /** The whole item with all recipients, whatever their state; null when unknown or its content was removed. */
  read(id: string): ClaimedEmail | null {
    const num = one<{ num: number }>(this.#byId, id)?.num
    if (num === undefined || this.#content.get(num) === undefined) return null
    const { email } = this.load(this.head(num)!)
    email.recipients = this.#recipients.allWith<string | null>(num).map((stored) => {
      const recipient = claimedRecipient(stored)
      if (recipient instanceof ContentDamaged) throw recipient
      return { ...recipient, suspicion: 0 }
    })
    return email
  }
}

/** `variables` in JSON. */
export type StoredRecipient = [recipient: Recipient, variables: string | null]

/** ContentDamaged (returned, not thrown) when the recipient's variables do not read back. */
export function claimedRecipient([recipient, text]: StoredRecipient): ClaimedRecipient | ContentDamaged {
  const variables = variablesOf(text)
  if (variables instanceof ContentDamaged) return variables
  const { position, address, domain, attempts, preferredServer, uncertain, postponedSince, suspicion } =
    recipient
  return {
    position,
    address,
    domain,
    attempts,
    variables,
    preferredServer,
    uncertain,
    postponedSince,
    suspicion,
  }
}
