/** The parts of the table of the lifecycle. */
import type { EventType } from '../../../src/email/event.ts'
import type { Decision, Facts, FullMailboxRule, Happening } from '../../../src/email/lifecycle.ts'
import type { RecipientState } from '../../../src/email/recipient.ts'

export const STATES = [
  'waiting',
  'sending',
  'quarantined',
  'delivered',
  'bounced',
  'failed',
  'suppressed',
  'canceled',
] as const satisfies RecipientState[]

/** How often a mailbox must have been full before mail to it is suppressed. */
export const MAILBOX_RULE: FullMailboxRule = { refusals: 3, withinMs: 14 * 86_400_000 }

/** The expected decision; null: none is made. */
export type Cell = {
  change?: Partial<Facts>
  events?: [EventType, string?][]
  suppress?: string
  tried?: true
  left?: Decision['left']
} | null

export type Eight = [Cell, Cell, Cell, Cell, Cell, Cell, Cell, Cell]

export interface Row {
  name: string
  happening: Happening
  /** Beside what each recipient of the table has: see `factsIn`. */
  given?: Partial<Facts>
  /** In the order of STATES. */
  cells: Eight
}

export const AT = 1_000_000
export const LATER = AT + 60_000
export const MX = 'mx.x.test [192.0.2.1]:25'
export const OTHER = 'b.mx.x.test [192.0.2.2]:25'

/** Of a recipient with one attempt behind it. */
export function factsIn(state: RecipientState, given: Partial<Facts> = {}): Facts {
  return {
    state,
    dueAt: state === 'waiting' ? LATER : null,
    attempts: 1,
    uncertain: false,
    preferredServer: state === 'waiting' || state === 'sending' ? MX : null,
    postponedSince: null,
    heldFor: null,
    suspicion: 0,
    cancelRequested: false,
    server: MX,
    lastCode: 451,
    lastMessage: 'Earlier',
    ...given,
  }
}

export const no = null
/** Of a recipient outside the queue. */
export const GONE = { dueAt: null, heldFor: null, cancelRequested: false } as const

/** Only in one state. */
export function sending(cell: Cell): Eight {
  return [no, cell, no, no, no, no, no, no]
}
export function waiting(cell: Cell): Eight {
  return [cell, no, no, no, no, no, no, no]
}
