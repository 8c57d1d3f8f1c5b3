import type { DatabaseSync } from 'node:sqlite'
import { decide } from '../../../email/lifecycle.ts'
import type { Writes } from '../protocol.ts'
import { RecipientQuery } from '../recipient-rows.ts'
import type { WriterParts } from './parts.ts'

/** Recipients released in one operation, so that a long list does not hold up commits. */
const CHUNK = 500

/** Recipients that wait only because their sending domain may not send, or their path is closed. */
export function holds(
  db: DatabaseSync,
  { recipients, lanes, changes }: WriterParts,
): Pick<Writes, 'releaseHeldChunk'> {
  const heldBehind = new RecipientQuery(
    db,
    `INDEXED BY recipients_held
     WHERE r.held_domain = ? AND (r.email, r.position) > (?, ?) AND r.due_at < ? ORDER BY r.email, r.position LIMIT ?`,
  )
  return {
    /** The recipients after the place that the last chunk reached. */
    releaseHeldChunk(domainId, { now, dueBefore }, place) {
      const { email, position } = place ?? { email: -1, position: -1 }
      const held = heldBehind.all(domainId, email, position, dueBefore, CHUNK)
      for (const before of held) {
        recipients.apply(before, decide(before, { kind: 'hold-released', at: now })!, now)
      }
      lanes.write()
      if (held.length > 0) changes.queue = true
      const last = held.length < CHUNK ? undefined : held.at(-1)!
      const next = last === undefined ? null : { email: last.email, position: last.position }
      return { released: held.length, next }
    },
  }
}
