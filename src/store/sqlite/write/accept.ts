import type { SQLInputValue } from 'node:sqlite'
import { rowBinder } from '../../../email/codec.ts'
import { fieldsOf, recipientFieldsOf } from '../../../email/fields.ts'
import { born, bornSuppressed, firstEvent } from '../../../email/lifecycle/birth.ts'
import { KEY_REMEMBERED_MS } from '../../../email/queued-email.ts'
import { COLUMNS } from '../../email-columns.ts'
import { type Accepted, type Lease, type NewEmail, type NewRecipient, StoreConflict } from '../../store.ts'
import { isDuplicate } from '../database.ts'
import { one } from '../rows.ts'
import { Operation } from './parts.ts'

/** Large ones: contents.ts. */
const FIELDS = fieldsOf().filter(({ large }) => large !== true)
const columnsOf = rowBinder<NewEmail, SQLInputValue>(FIELDS, COLUMNS)
const GIVEN = recipientFieldsOf()
const givenOf = rowBinder<NewRecipient, SQLInputValue>(GIVEN, COLUMNS)

/** Makes an email durable: its row, its content once, a row for each recipient, its first events. */
export class Acceptance extends Operation {
  readonly #insertEmail = this.db.prepare(
    `INSERT INTO emails (sent, ${FIELDS.map(({ column }) => column).join(', ')}) VALUES (?${', ?'.repeat(FIELDS.length)})`,
  )
  readonly #insertRecipient = this.db.prepare(
    `INSERT INTO recipients (email, position, company, state, due_at, lease, last_message, ${GIVEN.map(({ column }) => column).join(', ')})
     VALUES (?, ?, ?, ?, ?, ?, ?${', ?'.repeat(GIVEN.length)})`,
  )
  readonly #earlier = this.db.prepare(
    `SELECT fingerprint, email_id AS id, message_id AS messageId FROM idempotency
     WHERE company = ? AND key = ? AND created_at > ?`,
  )
  readonly #remember = this.db.prepare(
    `INSERT OR REPLACE INTO idempotency (company, key, fingerprint, email_id, message_id, created_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
  )

  accept(email: NewEmail, lease: Lease | null): Accepted {
    const company = this.parts.companies.number(email.companyId)
    const earlier = this.#usedBefore(company, email)
    if (earlier !== null) return earlier

    const reasons = email.recipients.map((to) => this.parts.suppressions.reason(company, email.testMode, to))
    const num = this.#insert(company, email)
    this.parts.contents.insert(num, company, email)
    this.parts.events.append(num, company, null, firstEvent(email))
    if (email.idempotency !== null) {
      const { key, fingerprint } = email.idempotency
      const { messageId } = email.content
      this.#remember.run(company, key, fingerprint, email.id, messageId, Math.round(email.createdAt))
    }
    return { kind: 'accepted', leased: this.#insertRecipients(num, company, email, reasons, lease) }
  }

  #usedBefore(company: number, email: NewEmail): Accepted | null {
    if (email.idempotency === null) return null
    const { key, fingerprint } = email.idempotency
    const oldest = email.createdAt - KEY_REMEMBERED_MS
    const earlier = one<{ fingerprint: string; id: string; messageId: string }>(
      this.#earlier,
      company,
      key,
      oldest,
    )
    if (earlier === undefined) return null
    if (earlier.fingerprint !== fingerprint) return { kind: 'conflict' }
    return { kind: 'repeated', id: earlier.id, messageId: earlier.messageId }
  }

  #insert(company: number, email: NewEmail): number {
    try {
      const sent = email.scheduledAt === null ? 1 : 0
      const inserted = this.#insertEmail.run(sent, ...columnsOf(email, company))
      return Number(inserted.lastInsertRowid)
    } catch (error) {
      if (isDuplicate(error)) throw new StoreConflict(`There is already an email with the id ${email.id}`)
      throw error
    }
  }

  /** Returns the positions that begin as `sending`. */
  #insertRecipients(
    num: number,
    company: number,
    email: NewEmail,
    reasons: readonly (string | null)[],
    lease: Lease | null,
  ): number[] {
    const unlisted = born(email, lease !== null)
    const dueAt = unlisted.dueAt === null ? null : Math.round(unlisted.dueAt)
    const token = unlisted.state === 'sending' ? lease!.token : null
    const leased: number[] = []
    let waiting = 0
    for (const [position, recipient] of email.recipients.entries()) {
      const reason = reasons[position]!
      const suppressed = reason === null ? null : bornSuppressed(email.createdAt, reason)
      this.#insertRecipient.run(
        num,
        position,
        company,
        (suppressed?.change ?? unlisted).state!,
        suppressed === null ? dueAt : null,
        suppressed === null ? token : null,
        suppressed?.change?.lastMessage ?? null,
        ...givenOf(recipient, company),
      )
      if (suppressed !== null) {
        for (const event of suppressed.events) this.parts.events.append(num, company, position, event)
        continue
      }
      if (token !== null) leased.push(position)
      else {
        this.parts.lanes.note({ company, domain: recipient.domain }, null, unlisted)
        waiting++
      }
    }
    if (waiting > 0) {
      this.parts.lanes.write()
      this.parts.changes.queue = true
    }
    if (leased.length > 0) this.parts.numbers.remember(email.id, { num, company, domainId: email.domainId })
    return leased
  }
}
