import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { decide } from '../../../email/lifecycle.ts'
import type { Canceled } from '../../store.ts'
import { one } from '../rows.ts'
import type { Changes } from './changes.ts'
import type { LaneChanges } from './lane-changes.ts'
import type { Recipients } from './recipients.ts'

export interface CancellationParts {
  recipients: Recipients
  lanes: LaneChanges
  changes: Changes
}

/** Ends what waits at the operator's word; what is being sent ends with its attempt, unless the attempt ends it. */
export class Cancellation {
  readonly #parts: CancellationParts
  readonly #find: StatementSync

  constructor(db: DatabaseSync, parts: CancellationParts) {
    this.#parts = parts
    this.#find = db.prepare('SELECT num FROM emails WHERE id = ?')
  }

  cancel(emailId: string, at: number): Canceled {
    const { recipients, lanes, changes } = this.#parts
    const num = one<{ num: number }>(this.#find, emailId)?.num
    const outcome = { canceled: 0, sending: 0 }
    if (num === undefined) return outcome
    for (const before of recipients.live(num)) {
      const decision = decide(before, { kind: 'cancel', at })
      if (decision === null) continue
      if (recipients.apply(before, decision, at).state === 'canceled') outcome.canceled++
      else outcome.sending++
    }
    lanes.write()
    if (outcome.canceled > 0) changes.queue = true
    if (outcome.sending > 0) changes.stops = true
    return outcome
  }
}
