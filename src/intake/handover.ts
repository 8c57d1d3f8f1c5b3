import type { Lease, NewEmail } from '../store/store.ts'

/**
 * How fresh mail reaches delivery without being read back: intake asks for a lease before the commit, and hands the work
 * over after it. What gets no lease is simply waiting in the store, like everything after a restart.
 */
export interface Handover {
  /** A lease when there is room for the email's work right now, else null. */
  lease(email: NewEmail): Lease | null
  /** The commit is durable: these recipients are leased to us. */
  accepted(email: NewEmail, leased: number[], lease: Lease): void
  /** Nothing was accepted under this lease after all: the room kept for it is free again. */
  abandoned(lease: Lease): void
  /** Something was accepted without a lease, due at this Unix ms. */
  waiting(dueAt: number): void
}

/** Where this node delivers nothing: all that is accepted waits in the store for those that do. */
export const noHandover: Handover = {
  lease: () => null,
  accepted() {},
  abandoned() {},
  waiting() {},
}
