/** The status of an email in one word: with several recipients, the worst status of any of them. Pure. */
import type { EventType } from '../../../src/email/event.ts'
import type { RecipientState } from '../../../src/email/recipient.ts'

/** Failure states, the worst first. */
const WRONG: readonly RecipientState[] = ['quarantined', 'failed', 'bounced', 'suppressed']
/** Last events of an email that was accepted but not yet tried. */
const ACCEPTED: readonly string[] = ['queued', 'sent'] satisfies EventType[]

interface SummaryFields {
  lastEvent: string
  recipients: number
  /** Counts of the recipients that the server has read, which may be fewer than all. */
  states: readonly { state: string; count: number }[]
}

/** `of`: the name of a status. `note`: the share of recipients that it applies to. */
export function statusSummary({ lastEvent, recipients, states }: SummaryFields): {
  of: string
  note: string | undefined
} {
  const count = (state: RecipientState) => states.find((each) => each.state === state)?.count ?? 0
  const known = states.reduce((sum, each) => sum + each.count, 0)
  if (ACCEPTED.includes(lastEvent) && known > 0 && count('waiting') === known) {
    return { of: 'queued', note: undefined }
  }
  if (recipients <= 1) return { of: lastEvent, note: undefined }
  const standing = (of: string, some: number) => ({
    of,
    note: some >= known ? undefined : `${some}${recipients > known ? '+' : ''} of ${recipients}`,
  })
  const worst = WRONG.find((state) => count(state) > 0)
  if (worst !== undefined) return standing(worst, count(worst))
  if (lastEvent === 'delivered') return standing(lastEvent, count('delivered'))
  if (lastEvent === 'delivery_delayed' && count('waiting') > 0) return standing(lastEvent, count('waiting'))
  return { of: lastEvent, note: undefined }
}
