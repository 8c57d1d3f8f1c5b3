import { isSimulated } from '../../../email/simulated.ts'
import { WithParts } from '../connection.ts'
import type { Changed } from '../protocol.ts'
import { one } from '../rows.ts'
import type { CompanyNumbers } from './companies.ts'

/** Addresses a company's mail no longer goes to. Compared without regard to the case of ASCII letters. */
export class Suppressions extends WithParts<{ companies: CompanyNumbers; changes: Changed }> {
  readonly #find = this.db.prepare('SELECT reason FROM suppressions WHERE company = ? AND address = ?')
  readonly #insert = this.db.prepare(
    'INSERT INTO suppressions (company, address, reason, created_at, email_id, seq) VALUES (?, ?, ?, ?, ?, ?)',
  )
  readonly #nextSeq = this.db.prepare(
    "UPDATE counters SET value = value + 1 WHERE name = 'suppressions' RETURNING value",
  )
  readonly #delete = this.db.prepare('DELETE FROM suppressions WHERE company = ? AND address = ?')

  /**
   * Why the address is on the company's list, or null when mail may go there. Test mail goes anywhere: it never leaves.
   */
  reason(company: number, testMode: boolean, recipient: { address: string; domain: string }): string | null {
    if (isSimulated(recipient.domain, testMode)) return null
    return one<{ reason: string }>(this.#find, company, recipient.address)?.reason ?? null
  }

  /** The first reason stays: false then. */
  add(company: number, address: string, reason: string, at: number, emailId: string | null): boolean {
    if (one(this.#find, company, address) !== undefined) return false
    const { value } = one<{ value: number }>(this.#nextSeq)!
    this.#insert.run(company, address, reason, Math.round(at), emailId, value)
    this.parts.changes.stops = true
    return true
  }

  addByHand(companyId: string, address: string, reason: string, at: number): boolean {
    return this.add(this.parts.companies.number(companyId), address, reason, at, null)
  }

  remove(companyId: string, address: string): boolean {
    const company = this.parts.companies.find(companyId)
    if (company === undefined) return false
    const removed = this.#delete.run(company, address).changes > 0
    if (removed) this.parts.changes.queue = true
    return removed
  }
}
