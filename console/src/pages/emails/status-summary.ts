/** How an email stands, in one word: of several recipients the worst that has become of one. Pure. */
import type { RecipientState } from '../../../../src/email/recipient.ts'
import type { Email } from './merge.ts'

/** The worst first. */
const WRONG: readonly RecipientState[] = ['quarantined', 'failed', 'bounced', 'suppressed']
/** The states of so many are known. */
const LOOKED_AT = 100

/** `of`: a name of a status. `note`: of how many recipients. */
export function statusSummary({
  lastEvent,
  recipients,
  states,
}: Pick<Email, 'lastEvent' | 'recipients' | 'states'>): {
  of: string
  note: string | undefined
} {
  if (recipients <= 1) return { of: lastEvent, note: undefined }
  const count = (state: RecipientState) => states.find((each) => each.state === state)?.count ?? 0
  const note = (some: number) => `${some}${recipients > LOOKED_AT ? '+' : ''} of ${recipients}`
  const worst = WRONG.find((state) => count(state) > 0)
  if (worst !== undefined) {
    const some = count(worst)
    return { of: worst, note: some === recipients ? undefined : note(some) }
  }
  const delivered = count('delivered')
  if (lastEvent !== 'delivered' || delivered >= Math.min(recipients, LOOKED_AT)) {
    return { of: lastEvent, note: undefined }
  }
  return { of: 'delivered', note: note(delivered) }
}
