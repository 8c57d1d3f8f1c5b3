import type { Lease, NewEmail } from '../store/store.ts'

/**
 * How fresh mail reaches delivery without being read back: intake reserves a place before the commit, and hands the
 * work over after it. Mail without a place simply waits in the store, like all mail after a restart.
 */
export interface Handover {
  /** A place for the email's work if there is room right now, otherwise null. */
  reserve(email: NewEmail): Reservation | null
  /** Tells that an email was accepted without a place. `dueAt`: Unix ms. */
  waiting(dueAt: number): void
}

/** A place for the work of one email. Disposing of it gives the place back, once, whatever happened to the email. */
export interface Reservation extends Disposable {
  /** The lease under which the email's recipients are stored, so that no other node claims them. */
  readonly lease: Lease
  /** The commit is durable: these recipients of `email` are leased to us. */
  begin(email: NewEmail, leased: number[]): void
}

/** For a node that does not deliver: all accepted mail waits in the store for the nodes that do. */
export const noHandover: Handover = {
  reserve: () => null,
  waiting() {},
}
