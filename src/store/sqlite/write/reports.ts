import type { DatabaseSync } from 'node:sqlite'
import { decide } from '../../../email/lifecycle.ts'
import type { Writes } from '../protocol.ts'
import { one } from '../rows.ts'
import type { WriterParts } from './parts.ts'

/** Records reports from outside about recipients, mostly after they have ended. */
export function reports(
  db: DatabaseSync,
  { numbers, recipients, lanes, changes }: WriterParts,
): Pick<Writes, 'happenedChunk'> {
  const known = db.prepare(
    `SELECT 1 AS known FROM events
     WHERE email = ? AND recipient = ? AND type = ? AND detail ->> 'reportId' = ? LIMIT 1`,
  )
  return {
    /** Returns how many events were recorded. */
    happenedChunk(reports) {
      let recorded = 0
      for (const { emailId, position, happening } of reports) {
        const num = numbers.find(emailId)?.num
        const before = num === undefined ? undefined : recipients.find(num, position)
        if (before === undefined) continue
        const decision = decide(before, happening)
        if (decision === null) continue
        const { reportId } = happening.detail
        const isKnown = (type: string) => one(known, before.email, position, type, reportId!) !== undefined
        if (reportId !== undefined && decision.events.some(({ type }) => isKnown(type))) continue
        recipients.apply(before, decision, happening.at)
        recorded += decision.events.length
        if (decision.change !== null) changes.queue = true
      }
      lanes.write()
      return recorded
    },
  }
}
