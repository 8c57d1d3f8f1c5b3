/** One line about how far a run has come. */
import { now } from '../harness/clock.ts'
import type { FaultLog } from './fault-log.ts'
import type { Ledger } from './ledger.ts'
import type { Load } from './load.ts'

export function progressLine(began: number, ledger: Ledger, log: FaultLog, load: Load): string {
  const { fates, arrivedOnce, arrivedAll, acceptedRecipients, arrivedAccepted } = ledger
  const minutes = Math.floor((now() - began) / 60_000)
  const rest = Math.floor(((now() - began) / 1_000) % 60)
  const lasting = log.all.filter(({ until }) => until === Number.POSITIVE_INFINITY).map(({ kind }) => kind)
  return (
    `${String(minutes).padStart(3)}:${String(rest).padStart(2, '0')}  accepted ${fates.accepted}  arrived ${arrivedOnce}` +
    `  on the way ${acceptedRecipients - arrivedAccepted}  doubled ${arrivedAll - arrivedOnce}` +
    `  503 ${load.answers[503] ?? 0}  faults ${log.all.length}` +
    `${lasting.length > 0 ? ` (now: ${lasting.join(', ')})` : ''}`
  )
}
