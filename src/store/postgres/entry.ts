import type { Accepted } from '../store.ts'
import type { Doubtful } from './withdrawals.ts'

/** An email that is being accepted. */
export interface Entry extends Doubtful {
  answer(accepted: Accepted): void
  refuse(error: Error): void
}
