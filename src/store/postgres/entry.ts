import type { Accepted } from '../store.ts'
import type { Doubtful } from './withdrawals.ts'

/** An email on its way into the database. */
export interface Entry extends Doubtful {
  answer(accepted: Accepted): void
  refuse(error: Error): void
}
