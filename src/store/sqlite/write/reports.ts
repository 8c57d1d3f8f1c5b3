import { type Decision, decide, type Happened } from '../../../email/lifecycle.ts'
import type { Recipient } from '../recipient-rows.ts'
import { one } from '../rows.ts'
import { Operation } from './parts.ts'

/** What others report of recipients, mostly after their end. */
export class Reports extends Operation {
  readonly #find = this.db.prepare('SELECT num FROM emails WHERE id = ?')
  readonly #known = this.db.prepare(
    `SELECT 1 AS known FROM events
     WHERE email = ? AND recipient = ? AND type = ? AND detail ->> 'reportId' = ? LIMIT 1`,
  )

  /** How many events were recorded. */
  happened(reports: readonly Happened[]): number {
    const { recipients, lanes, changes } = this.parts
    let recorded = 0
    for (const { emailId, position, happening } of reports) {
      const num = one<{ num: number }>(this.#find, emailId)?.num
      const before = num === undefined ? undefined : recipients.find(num, position)
      if (before === undefined) continue
      const decision = decide(before, happening)
      if (decision === null || this.#isKnown(before, decision, happening.detail.reportId)) continue
      recipients.apply(before, decision, happening.at)
      recorded += decision.events.length
      if (decision.change !== null) changes.queue = true
    }
    lanes.write()
    return recorded
  }

  #isKnown({ email, position }: Recipient, { events }: Decision, reportId: string | undefined): boolean {
    if (reportId === undefined) return false
    return events.some(({ type }) => one(this.#known, email, position, type, reportId) !== undefined)
  }
}
