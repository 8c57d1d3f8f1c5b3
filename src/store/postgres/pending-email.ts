import type { AcceptResult, Lease, NewEmail } from '../store.ts'

/** An email handed to the store. */
export interface DoubtfulEmail {
  email: NewEmail
  lease: Lease | null
  /** The number of the email's company. */
  company: number
  /** True: an earlier commit may have stored it, and the outcome is unknown. */
  doubtful?: boolean
}

/** An email that is being accepted. */
export interface PendingEmail extends DoubtfulEmail {
  answer(accepted: AcceptResult): void
  refuse(error: Error): void
}
