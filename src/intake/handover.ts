import type { Lease, NewEmail } from '../store/store.ts'

/**
 * How fresh mail reaches delivery without being read back: intake reserves a place before the commit, and hands the
 * work over after it. What gets no place is simply waiting in the store, like everything after a restart.
 */
export interface Handover {
  /** A place for the email's work when there is room for it right now, else null. */
  reserve(email: NewEmail): Reservation | null
  /** Something was accepted without a place, due at this Unix ms. */
  waiting(dueAt: number): void
}

/** A place for the work of one email. Disposing of it gives the place back, once, whatever became of the email. */
export interface Reservation extends Disposable {
  /** What the email's recipients are stored under, so that nobody else claims them. */
  readonly lease: Lease
  /** The commit is durable: these recipients of `email` are leased to us. */
  begin(email: NewEmail, leased: number[]): void
}

/** Where this node delivers nothing: all that is accepted waits in the store for those that do. */
export const noHandover: Handover = {
  reserve: () => null,
  waiting() {},
}
