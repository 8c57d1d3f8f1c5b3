import type { SQLInputValue } from 'node:sqlite'
import { rowBinder } from '../../../email/codec.ts'
import { fieldsOf, recipientFieldsOf } from '../../../email/fields.ts'
import { firstEvent, initialState, suppressedAtStart } from '../../../email/lifecycle/initial-state.ts'
import { KEY_REMEMBERED_MS } from '../../../email/queued-email.ts'
import { COLUMNS } from '../../email-columns.ts'
import { judge, judgeAll, type KeyHolder, listedEmails } from '../../idempotency.ts'
import {
  type AcceptAllResult,
  type AcceptResult,
  type Idempotency,
  type Lease,
  type NewEmail,
  type NewEmails,
  type NewRecipient,
  type Stop,
  StoreConflict,
} from '../../store.ts'
import { isDuplicate } from '../database.ts'
import { one } from '../rows.ts'
import { WriteOperation } from './parts.ts'

/** The large fields are in contents.ts. */
const FIELDS = fieldsOf().filter(({ large }) => large !== true)
const columnsOf = rowBinder<NewEmail, SQLInputValue>(FIELDS, COLUMNS)
const RECIPIENT_FIELDS = recipientFieldsOf()
const givenOf = rowBinder<NewRecipient, SQLInputValue>(RECIPIENT_FIELDS, COLUMNS)

/** Makes an email durable: its row, its content, a row for each recipient, and its first events. */
export class Acceptance extends WriteOperation {
  readonly #insertEmail = this.db.prepare(
    `INSERT INTO emails (num, sent, ${FIELDS.map(({ column }) => column).join(', ')}) VALUES (?, ?${', ?'.repeat(FIELDS.length)})`,
  )
  readonly #insertRecipient = this.db.prepare(
    `INSERT INTO recipients (email, position, company, state, due_at, lease, last_message, ${RECIPIENT_FIELDS.map(({ column }) => column).join(', ')})
     VALUES (?, ?, ?, ?, ?, ?, ?${', ?'.repeat(RECIPIENT_FIELDS.length)})`,
  )
  readonly #earlier = this.db.prepare(
    `SELECT fingerprint, email_id AS id, message_id AS messageId, emails FROM idempotency
     WHERE company = ? AND key = ? AND created_at > ?`,
  )
  readonly #remember = this.db.prepare(
    `INSERT OR REPLACE INTO idempotency (company, key, fingerprint, email_id, message_id, created_at, emails)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )

  accept(email: NewEmail, lease: Lease | null): AcceptResult {
    const company = this.parts.companies.number(email.companyId)
    const { idempotency } = email
    const earlier = this.#holder(company, idempotency, email.createdAt)
    if (earlier !== undefined) return judge(earlier, idempotency!)
    if (email.quota !== undefined) {
      const over = this.parts.quotas.take(company, [email])
      if (over !== null) return over
    }
    const leased = this.#enter(company, email, lease)
    if (idempotency !== null) this.#keep(company, idempotency, email, null)
    return { kind: 'accepted', leased }
  }

  /** One key stands for all emails. The caller rolls everything back when this throws. */
  acceptAll({ emails, idempotency }: NewEmails, lease: Lease | null): AcceptAllResult {
    const [first] = emails
    if (first === undefined) return { kind: 'accepted', leased: [] }
    const company = this.parts.companies.number(first.companyId)
    if (emails.some(({ companyId }) => companyId !== first.companyId)) {
      throw new StoreConflict('Emails that are accepted together are of one company')
    }
    const earlier = this.#holder(company, idempotency, first.createdAt)
    if (earlier !== undefined) return judgeAll(earlier, idempotency!)
    const over = this.parts.quotas.take(company, emails)
    if (over !== null) return over
    const leased = emails.map((email) => this.#enter(company, email, lease))
    if (idempotency !== null) this.#keep(company, idempotency, first, listedEmails(emails))
    return { kind: 'accepted', leased }
  }

  /** Returns the positions that begin as `sending`. */
  #enter(company: number, email: NewEmail, lease: Lease | null): number[] {
    const { suppressions } = this.parts
    const stops = email.recipients.map((to) => suppressions.stop(company, email, to))
    const num = this.#insert(company, email)
    this.parts.contents.insert(num, company, email)
    this.parts.events.append(num, company, null, firstEvent(email))
    return this.#insertRecipients(num, company, email, stops, lease)
  }

  #holder(company: number, idempotency: Idempotency | null, now: number): KeyHolder | undefined {
    if (idempotency === null) return undefined
    return one<KeyHolder>(this.#earlier, company, idempotency.key, now - KEY_REMEMBERED_MS)
  }

  /** `all`: the emails that came with the first, as JSON; null: it came alone. */
  #keep(company: number, { key, fingerprint }: Idempotency, first: NewEmail, all: string | null): void {
    const { id, content, createdAt } = first
    this.#remember.run(company, key, fingerprint, id, content.messageId, Math.round(createdAt), all)
  }

  #insert(company: number, email: NewEmail): number {
    try {
      const sent = email.scheduledAt === null ? 1 : 0
      const num = this.parts.numbers.next()
      this.#insertEmail.run(num, sent, ...columnsOf(email, company))
      return num
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
    stops: readonly (Stop | null)[],
    lease: Lease | null,
  ): number[] {
    const unlisted = initialState(email, lease !== null)
    const dueAt = unlisted.dueAt === null ? null : Math.round(unlisted.dueAt)
    const token = unlisted.state === 'sending' ? lease!.token : null
    const leased: number[] = []
    let waiting = 0
    for (const [position, recipient] of email.recipients.entries()) {
      const stop = stops[position]!
      const suppressed = stop === null ? null : suppressedAtStart(email.createdAt, stop)
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
