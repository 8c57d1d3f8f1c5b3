import { decide } from '../../../email/lifecycle.ts'
import type { Canceled } from '../../store.ts'
import { one } from '../rows.ts'
import { Operation } from './parts.ts'

/** Ends what waits at the operator's word; what is being sent ends with its attempt, unless the attempt ends it. */
export class Cancellation extends Operation {
  readonly #find = this.db.prepare('SELECT num FROM emails WHERE id = ?')

  cancel(emailId: string, at: number): Canceled {
    const { recipients, lanes, changes } = this.parts
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
