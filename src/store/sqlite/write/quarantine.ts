import { decide } from '../../../email/lifecycle.ts'
import type { QuarantineRequest, QuarantineScope } from '../../store.ts'
import { type Recipient, RecipientQuery } from '../recipient-rows.ts'
import { Operation } from './parts.ts'

/** Recipients released in one operation, so that a long list does not hold up commits. */
const CHUNK = 500

/**
 * What took a process down: it is out of reach of claims and of retention until the operator releases or cancels it.
 */
export class Quarantine extends Operation {
  readonly #inQuarantine = new RecipientQuery(
    this.db,
    `INDEXED BY recipients_quarantined
     WHERE r.state = 'quarantined' AND r.company BETWEEN ? AND ? LIMIT ?`,
  )
  readonly #ofEmail = new RecipientQuery(
    this.db,
    "WHERE r.state = 'quarantined' AND r.email = ? AND r.company BETWEEN ? AND ? LIMIT ?",
  )

  add({ emailId, leaseToken, positions, others, at, message }: QuarantineRequest): number {
    const { numbers, recipients, lanes, changes } = this.parts
    const num = numbers.find(emailId)?.num
    if (num === undefined) return 0
    const dangerous = new Set(positions)
    const isIn = (before: Recipient) =>
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
  }

  /** Releases at most a chunk. Returns how many; 0 when none is left. */
  releaseChunk({ companyId, emailId }: QuarantineScope, now: number): number {
    const { companies, numbers, recipients, lanes, changes } = this.parts
    const num = emailId === null ? null : numbers.find(emailId)?.num
    if (num === undefined) return 0
    const range =
      companyId === null ? [0, Number.MAX_SAFE_INTEGER] : Array(2).fill(companies.number(companyId))
    const [from, to] = range as [number, number]
    const found =
      num === null ? this.#inQuarantine.all(from, to, CHUNK) : this.#ofEmail.all(num, from, to, CHUNK)
    for (const before of found) {
      recipients.apply(before, decide(before, { kind: 'quarantine-released', at: now })!, now)
    }
    lanes.write()
    if (found.length > 0) changes.queue = true
    return found.length
  }
}
