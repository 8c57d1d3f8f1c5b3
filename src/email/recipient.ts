/** A recipient's kind and states. */

export type RecipientKind = 'to' | 'cc' | 'bcc'

/**
 * `waiting` and `sending` are live; `quarantined` is neither tried nor removed until the operator releases or cancels
 * it. The others are final: no attempt follows, but reports may (a late bounce, a complaint), and some of these change
 * the state once more.
 */
type LiveState = 'waiting' | 'sending'
export type FinalState = 'delivered' | 'bounced' | 'failed' | 'suppressed' | 'canceled'
export type RecipientState = LiveState | 'quarantined' | FinalState
/** The states by which recipients are counted. `captured`: delivered in capture mode, so that nothing was sent. */
export type CountedState = RecipientState | 'captured'
/** The server of a captured message. */
export const CAPTURE_SERVER = 'capture'

/**
 * Whether a recipient's message may crash the process that composes or sends it.
 * - 0: nothing points to that.
 * - 1: the recipient, or another one of its email, was being sent when a process or thread crashed.
 * - 2: the recipient was being sent when the isolated process crashed, in which suspects are tried.
 */
export type Suspicion = 0 | 1 | 2

/**
 * The reason why a recipient waits without a time of its own: its sending domain may not send, its path is closed, or
 * its site is paused.
 */
export type HoldReason = 'domain' | 'path' | 'pause'
