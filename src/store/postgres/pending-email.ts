import type { AcceptResult } from '../store.ts'
import type { Doubtful } from './withdrawals.ts'

/** An email that is being accepted. */
export interface PendingEmail extends Doubtful {
  answer(accepted: AcceptResult): void
  refuse(error: Error): void
}
