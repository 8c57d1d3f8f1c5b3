import type { AcceptResult } from '../store.ts'
import type { DoubtfulEmail } from './withdrawals.ts'

/** An email that is being accepted. */
export interface PendingEmail extends DoubtfulEmail {
  answer(accepted: AcceptResult): void
  refuse(error: Error): void
}
