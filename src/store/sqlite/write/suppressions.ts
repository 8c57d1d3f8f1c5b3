import type { SuppressionCause } from '../../../email/lifecycle.ts'
import { isSimulated } from '../../../email/simulated.ts'
import {
  idAt,
  isMarked,
  joinedTags,
  type Stop,
  SUPPRESSION_TYPES,
  type Suppression,
  type SuppressionType,
  withoutTag,
} from '../../../email/suppression.ts'
import { listOf, listText } from '../../json-columns.ts'
import type { SuppressionScope } from '../../store.ts'
import { tagColumns } from '../../suppression-rows.ts'
import { WithParts } from '../connection.ts'
import type { ChangeFlags } from '../protocol.ts'
import { all, one } from '../rows.ts'
import type { CompanyNumbers } from './companies.ts'

/** Suppressions removed in one operation, so that a long list does not hold up commits. */
const CHUNK = 500

interface StopType {
  type: SuppressionType
  reason: string
  marks: string | null
}

/** The tags of an email, or its number: then they are read only when needed. */
type TagSource = readonly object[] | number

/** Addresses that a company's mail no longer goes to, compared without regard to ASCII case. */
export class Suppressions extends WithParts<{ companies: CompanyNumbers; changes: ChangeFlags }> {
  readonly #find = this.db.prepare(
    'SELECT type, reason, marks FROM suppressions WHERE company = ? AND address = ? ORDER BY type',
  )
  readonly #tags = this.db.prepare('SELECT tags FROM emails WHERE num = ?')
  readonly #insert = this.db.prepare(
    `INSERT INTO suppressions (id, company, address, type, tags, marks, reason, code, email_id, domain_id, created_at, seq)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (company, address, type) DO NOTHING`,
  )
  readonly #tagsOf = this.db.prepare(
    'SELECT tags FROM suppressions WHERE company = ? AND address = ? AND type = ?',
  )
  readonly #setTags = this.db.prepare(
    'UPDATE suppressions SET tags = ?, marks = ?, seq = ? WHERE company = ? AND address = ? AND type = ?',
  )
  readonly #nextSeq = this.db.prepare(
    "UPDATE counters SET value = value + 1 WHERE name = 'suppressions' RETURNING value",
  )
  readonly #emailOf = this.db.prepare('SELECT id, domain_id AS domainId FROM emails WHERE num = ?')
  readonly #deleteOne = this.db.prepare(
    'DELETE FROM suppressions WHERE company = ?1 AND address = ?2 AND type = ?3 AND (?4 IS NULL OR domain_id = ?4)',
  )
  readonly #deleteSome = this.db.prepare(
    `DELETE FROM suppressions WHERE company = ?1 AND type = ?2 AND address IN (
       SELECT address FROM suppressions WHERE company = ?1 AND type = ?2 AND (?3 IS NULL OR domain_id = ?3) LIMIT ?4
     )`,
  )
  readonly #isAllowed = this.db.prepare(
    'SELECT 1 AS allowed FROM allowed WHERE company = ? AND value IN (?, ?)',
  )

  /**
   * The suppression that stops mail to the address; null when mail may go there. Test mail ignores suppressions: it
   * never leaves.
   */
  stop(
    company: number,
    testMode: boolean,
    { address, domain }: { address: string; domain: string },
    tags: TagSource,
  ): Stop | null {
    if (isSimulated(domain, testMode)) return null
    const first = one<StopType>(this.#find, company, address)
    if (first === undefined) return null
    const { type, reason, marks } = first
    if (marks === null) return { type, reason }
    const text =
      typeof tags === 'number' ? one<{ tags: string | null }>(this.#tags, tags)!.tags : listText(tags)
    for (const { type, reason, marks } of all<StopType>(this.#find, company, address)) {
      if (marks === null || isMarked(text, listOf<string>(marks))) return { type, reason }
    }
    return null
  }

  /**
   * Adds a suppression that an email led to, by the email's number, unless it exists already, or the address is on the
   * allow list.
   */
  addOf(
    email: number,
    company: number,
    { address, domain }: { address: string; domain: string },
    { type, reason, code }: SuppressionCause,
    at: number,
  ): void {
    if (type === 'bounce' && one(this.#isAllowed, company, address, domain) !== undefined) return
    const { id: emailId, domainId } = one<{ id: string; domainId: string }>(this.#emailOf, email)!
    const createdAt = Math.round(at)
    this.#put(company, {
      id: idAt(createdAt),
      address,
      type,
      tags: null,
      reason,
      code,
      emailId,
      domainId,
      createdAt,
    })
  }

  addAll(list: readonly Suppression[]): boolean[] {
    return list.map(({ companyId, ...rest }) => this.#put(this.parts.companies.number(companyId), rest))
  }

  /** Returns how many; 0 when none is left. */
  removeChunk({ companyId, address, types = SUPPRESSION_TYPES, domainId }: SuppressionScope): number {
    const company = this.parts.companies.find(companyId)
    if (company === undefined) return 0
    let removed = 0
    for (const type of types) {
      if (removed >= CHUNK) break
      const { changes } =
        address === undefined
          ? this.#deleteSome.run(company, type, domainId ?? null, CHUNK - removed)
          : this.#deleteOne.run(company, address, type, domainId ?? null)
      removed += Number(changes)
    }
    if (removed > 0) this.parts.changes.queue = true
    return removed
  }

  removeTag(companyId: string, address: string, tag: string): boolean {
    const company = this.parts.companies.find(companyId)
    if (company === undefined) return false
    const before = one<{ tags: string | null }>(this.#tagsOf, company, address, 'unsubscribe')
    if (before === undefined || before.tags === null) return false
    const rest = withoutTag(listOf(before.tags), tag)
    if (rest === undefined) return false
    if (rest.length === 0) this.#deleteOne.run(company, address, 'unsubscribe', null)
    else this.#setTags.run(...tagColumns(rest), this.#seq(), company, address, 'unsubscribe')
    this.parts.changes.queue = true
    return true
  }

  /** False when the suppression exists already; but an existing unsubscription takes in further tags. */
  #put(company: number, of: Omit<Suppression, 'companyId'>): boolean {
    const { id, address, type, tags, reason, code, emailId, domainId, createdAt } = of
    const before = one<{ tags: string | null }>(this.#tagsOf, company, address, type)
    if (before !== undefined) {
      const joined = joinedTags(before.tags === null ? null : listOf(before.tags), tags)
      if (joined === undefined) return false
      this.#setTags.run(...tagColumns(joined), this.#seq(), company, address, type)
      this.parts.changes.stops = true
      return false
    }
    const origin = [emailId, domainId, Math.round(createdAt), this.#seq()] as const
    this.#insert.run(id, company, address, type, ...tagColumns(tags), reason, code, ...origin)
    this.parts.changes.stops = true
    return true
  }

  #seq(): number {
    return one<{ value: number }>(this.#nextSeq)!.value
  }
}
