/** A recipient's kind and states. */

export type RecipientKind = 'to' | 'cc' | 'bcc'

/**
 * `waiting` and `sending` are live; `quarantined` is neither tried nor removed until the operator releases or cancels
 * it. The others are final: no attempt follows, but reports may (a late bounce, a complaint), and some of them change
 * the state once more.
 */
export type LiveState = 'waiting' | 'sending'
export type FinalState = 'delivered' | 'bounced' | 'failed' | 'suppressed' | 'canceled'
export type RecipientState = LiveState | 'quarantined' | FinalState

/**
 * May this take down the process that composes or sends it?
 * - 0: nothing says so.
 * - 1: it, or another recipient of its email, was under way when a process or thread ended.
 * - 2: it was under way when the process died that was to show who is to blame.
 */
export type Suspicion = 0 | 1 | 2

/** Why a recipient waits without a time of its own: its sending domain may not send, or the path it takes is closed. */
export type HeldFor = 'domain' | 'path'
