/**
 * The beginning of an email and its recipients. It is decided before the suppression list is consulted, so that a
 * statement that consults the list itself needs no round trip: it only chooses between `initialState` and
 * `suppressedAtStart`.
 */
import type { NewEvent } from '../event.ts'
import type { Stop } from '../suppression.ts'
import type { LeaseFacts } from './attempt.ts'
import { endDecision } from './decision.ts'
import type { Decision } from './happening.ts'

interface AcceptanceTimes {
  /** Unix ms. */
  createdAt: number
  dueAt: number
  /** Set when the sender gave `dueAt`. */
  scheduledAt: number | null
}

/** The first event, about the email as a whole. */
export function firstEvent({ createdAt: at, dueAt, scheduledAt }: AcceptanceTimes): NewEvent {
  return scheduledAt === null ? sentEvent(at) : { type: 'scheduled', at, detail: { nextAttemptAt: dueAt } }
}

/** The event of a scheduled email as a whole: the first of its recipients is claimed. */
export function sentEvent(at: number): NewEvent {
  return { type: 'sent', at, detail: {} }
}

type InitialState = { state: 'waiting'; dueAt: number } | { state: 'sending'; dueAt: null }

/** The facts about a recipient that has not been tried. */
export const UNTRIED: LeaseFacts = {
  attempts: 0,
  uncertain: false,
  preferredServer: null,
  postponedSince: null,
  suspicion: 0,
}

/** A recipient whose address is on no list. `leased`: the accepting node would take it at once. */
export function initialState({ dueAt, scheduledAt }: AcceptanceTimes, leased: boolean): InitialState {
  return leased && scheduledAt === null ? { state: 'sending', dueAt: null } : { state: 'waiting', dueAt }
}

/** A recipient whose address is on the company's suppression list; also when that is found out later, at a claim. */
export function suppressedAtStart(at: number, { type, reason }: Stop): Decision {
  const decision = endDecision('suppressed', at, NOT_SENT.before + reason + NOT_SENT.after)
  decision.events[0]!.detail.suppressedBy = type
  return decision
}

/** The message of `suppressedAtStart` around the reason. */
export const NOT_SENT = { before: 'Not sent: the address is on the suppression list (', after: ')' } as const
