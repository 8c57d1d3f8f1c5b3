import type { DatabaseSync } from 'node:sqlite'
import { decide } from '../../../email/lifecycle.ts'
import type { Writes } from '../protocol.ts'
import { type RecipientFacts, RecipientQuery } from '../recipient-rows.ts'
import type { WriterParts } from './parts.ts'

/** Recipients released in one operation, so that a long list does not hold up commits. */
const CHUNK = 500

/** Emails that took a process down: claims and retention skip them until the operator releases or cancels them. */
export function quarantine(
  db: DatabaseSync,
  { companies, numbers, recipients, lanes, changes }: WriterParts,
): Pick<Writes, 'quarantine' | 'releaseQuarantinedChunk'> {
  const inQuarantine = new RecipientQuery(
    db,
    `INDEXED BY recipients_quarantined
     WHERE r.state = 'quarantined' AND r.company BETWEEN ? AND ? LIMIT ?`,
  )
  const ofEmail = new RecipientQuery(
    db,
    "WHERE r.state = 'quarantined' AND r.company BETWEEN ? AND ? AND r.email = ? LIMIT ?",
  )
  return {
    quarantine({ emailId, leaseToken, positions, others, at, message }) {
      const num = numbers.find(emailId)?.num
      if (num === undefined) return 0
      const dangerous = new Set(positions)
      const isIn = (before: RecipientFacts) =>
        before.state === 'sending'
          ? before.lease === leaseToken && dangerous.has(before.position)
          : others === 'quarantine'
      let added = 0
      for (const before of recipients.live(num)) {
        const happening = isIn(before)
          ? ({ kind: 'quarantine', at, message } as const)
          : ({ kind: 'suspect', suspicion: 2 } as const)
        const decision = decide(before, happening)
        if (decision === null) continue
        if (recipients.apply(before, decision, at).state === 'quarantined') added++
      }
      lanes.write()
      changes.queue = true
      return added
    },

    /** Returns how many; 0 when none is left. */
    releaseQuarantinedChunk({ companyId, emailId }, now) {
      const num = emailId === null ? null : numbers.find(emailId)?.num
      if (num === undefined) return 0
      const company = companyId === null ? null : companies.number(companyId)
      const [from, to] = [company ?? 0, company ?? Number.MAX_SAFE_INTEGER]
      const found = num === null ? inQuarantine.all(from, to, CHUNK) : ofEmail.all(from, to, num, CHUNK)
      for (const before of found) {
        recipients.apply(before, decide(before, { kind: 'quarantine-released', at: now })!, now)
      }
      lanes.write()
      if (found.length > 0) changes.queue = true
      return found.length
    },
  }
}
