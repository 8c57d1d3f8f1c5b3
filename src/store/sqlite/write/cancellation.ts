import { decide } from '../../../email/lifecycle.ts'
import type { Direct } from '../protocol.ts'
import type { WriterParts } from './parts.ts'

/**
 * Ends waiting recipients at the operator's request; recipients being sent end after their attempt, unless the attempt
 * ends them.
 */
export function cancellation({ numbers, recipients, lanes, changes }: WriterParts): Direct<'cancel'> {
  return {
    cancel(emailId, at) {
      const outcome = { canceled: 0, sending: 0 }
      const num = numbers.find(emailId)?.num
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
    },
  }
}
