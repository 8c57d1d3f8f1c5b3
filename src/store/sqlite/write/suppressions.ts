import type { FullMailboxRule, SuppressionCause } from '../../../email/lifecycle.ts'
import { isSimulated } from '../../../email/simulated.ts'
import {
  ALLOW_LIST_TYPES,
  idAt,
  isMarked,
  type Stop,
  type SuppressionType,
} from '../../../email/suppression.ts'
import { listOf, listText } from '../../json-columns.ts'
import { concerns } from '../../suppression-rows.ts'
import { WithParts } from '../connection.ts'
import type { ChangeFlags } from '../protocol.ts'
import { all, one } from '../rows.ts'

interface StopType {
  type: SuppressionType
  reason: string
  marks: string | null
}

/** The facts about an email that decide which suppressions concern it. */
interface StoppedEmail {
  testMode: boolean
  domainId: string
  /** The tags, or the number of the email, by which they are read only when needed. */
  tags: readonly object[] | number
}

interface SuppressedRecipient {
  /** The number of the email. */
  email: number
  company: number
  position: number
  address: string
  domain: string
}

/** With each new report of a full mailbox, this many expired ones are removed, so that the table does not grow. */
const FORGOTTEN = 10

/** Addresses that a company's mail no longer goes to, compared without regard to ASCII case. */
export class Suppressions extends WithParts<{ changes: ChangeFlags }> {
  readonly #find = this.db.prepare(
    `SELECT s.type, s.reason, s.marks FROM suppressions s
     WHERE s.company = ? AND s.address = ? AND ${concerns('?')} ORDER BY s.type`,
  )
  readonly #tags = this.db.prepare('SELECT tags FROM emails WHERE num = ?')
  /** An existing unsubscription from some tags becomes one from all mail. */
  readonly #add = this.db.prepare(
    `INSERT INTO suppressions (id, company, address, type, reason, code, email_id, domain_id, created_at, seq)
     SELECT ?, ?, ?, ?, ?, ?, id, domain_id, ?, ? FROM emails WHERE num = ?
     ON CONFLICT (company, address, type, domain_id) DO UPDATE SET tags = NULL, marks = NULL, seq = excluded.seq
       WHERE tags IS NOT NULL`,
  )
  readonly #nextSeq = this.db.prepare(
    "UPDATE counters SET value = value + 1 WHERE name = 'suppressions' RETURNING value",
  )
  readonly #isAllowed = this.db.prepare(
    'SELECT 1 AS allowed FROM allowed WHERE company = ? AND value IN (?, ?)',
  )

  readonly #addFull = this.db.prepare(
    'INSERT INTO full_mailboxes (company, address, email, position, at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
  )
  readonly #countFull = this.db.prepare(
    'SELECT count(*) AS count FROM full_mailboxes WHERE company = ? AND address = ? AND at > ?',
  )
  readonly #forgetFull = this.db.prepare(
    `DELETE FROM full_mailboxes WHERE (company, address, email, position) IN (
       SELECT company, address, email, position FROM full_mailboxes WHERE at <= ? ORDER BY at LIMIT ?)`,
  )

  /**
   * The suppression that stops mail to the address; null when mail may go there. Test mail ignores suppressions: it
   * never leaves.
   */
  stop(
    company: number,
    { testMode, domainId, tags }: StoppedEmail,
    { address, domain }: { address: string; domain: string },
  ): Stop | null {
    if (isSimulated(domain, testMode)) return null
    const first = one<StopType>(this.#find, company, address, domainId)
    if (first === undefined) return null
    const { type, reason, marks } = first
    if (marks === null) return { type, reason }
    const text =
      typeof tags === 'number' ? one<{ tags: string | null }>(this.#tags, tags)!.tags : listText(tags)
    for (const { type, reason, marks } of all<StopType>(this.#find, company, address, domainId)) {
      if (marks === null || isMarked(text, listOf<string>(marks))) return { type, reason }
    }
    return null
  }

  /**
   * Adds a suppression that a recipient led to, unless it exists already, or the address is on the allow list, or had
   * too few causes of this kind.
   */
  addOf(
    recipient: SuppressedRecipient,
    { type, reason, code, repeated }: SuppressionCause,
    at: number,
  ): void {
    const { email, company, address, domain } = recipient
    if (ALLOW_LIST_TYPES.includes(type) && one(this.#isAllowed, company, address, domain) !== undefined)
      return
    const createdAt = Math.round(at)
    if (repeated !== undefined && !this.#isRepeated(recipient, repeated, createdAt)) return
    const seq = one<{ value: number }>(this.#nextSeq)!.value
    const added = this.#add.run(idAt(createdAt), company, address, type, reason, code, createdAt, seq, email)
    if (added.changes > 0) this.parts.changes.stops = true
  }

  #isRepeated(
    { email, company, address, position }: SuppressedRecipient,
    { refusals, withinMs }: FullMailboxRule,
    at: number,
  ): boolean {
    const since = at - withinMs
    this.#forgetFull.run(since, FORGOTTEN)
    this.#addFull.run(company, address, email, position, at)
    return one<{ count: number }>(this.#countFull, company, address, since)!.count >= refusals
  }
}
