import { decide } from '../../../email/lifecycle.ts'
import type { HeldRelease } from '../../store.ts'
import type { HeldChunk, HeldPlace } from '../protocol.ts'
import { RecipientQuery } from '../recipient-rows.ts'
import { Operation } from './parts.ts'

/** Recipients released in one operation, so that a long list does not hold up commits. */
const CHUNK = 500

/** Recipients that wait only because their sending domain may not send, or their path is closed. */
export class Holds extends Operation {
  readonly #held = new RecipientQuery(
    this.db,
    `INDEXED BY recipients_held
     WHERE r.held_domain = ? AND (r.email, r.position) > (?, ?) AND r.due_at < ? ORDER BY r.email, r.position LIMIT ?`,
  )

  /** Makes at most a chunk of the domain's held recipients due now, after the place that the chunk before came to. */
  releaseChunk(domainId: string, { now, dueBefore }: HeldRelease, place: HeldPlace | null): HeldChunk {
    const { recipients, lanes, changes } = this.parts
    const { email: after, position: behind } = place ?? { email: -1, position: -1 }
    const held = this.#held.all(domainId, after, behind, dueBefore, CHUNK)
    for (const before of held)
      recipients.apply(before, decide(before, { kind: 'hold-released', at: now })!, now)
    lanes.write()
    if (held.length > 0) changes.queue = true
    const last = held.length < CHUNK ? undefined : held.at(-1)!
    return {
      released: held.length,
      next: last === undefined ? null : { email: last.email, position: last.position },
    }
  }
}
