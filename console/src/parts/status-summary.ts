/** How an email stands, in one word: of several recipients the worst that has become of one. Pure. */
import type { EventType } from '../../../src/email/event.ts'
import type { RecipientState } from '../../../src/email/recipient.ts'

/** The worst first. */
const WRONG: readonly RecipientState[] = ['quarantined', 'failed', 'bounced', 'suppressed']
/** What an email has as its last event from the moment it is accepted, though nothing was tried yet. */
const ACCEPTED: readonly string[] = ['queued', 'sent'] satisfies EventType[]

interface Told {
  lastEvent: string
  recipients: number
  /** Of so many recipients as were looked at, which may be fewer. */
  states: readonly { state: string; count: number }[]
}

/** `of`: a name of a status. `note`: of how many recipients. */
export function statusSummary({ lastEvent, recipients, states }: Told): {
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
