/** The happenings of a recipient, the facts on which a decision rests, and the shape of a decision. */

import type { BounceCategory } from '../../mail/reply/category.ts'
import type { AttemptTls } from '../attempt-tls.ts'
import type { EventDetail, NewEvent } from '../event.ts'
import type { HoldReason, RecipientState, Suspicion } from '../recipient.ts'
import type { Stop, Suppression } from '../suppression.ts'

/**
 * The rule that suppresses an address after this number of final refusals because of a full mailbox within this number
 * of milliseconds.
 */
export interface FullMailboxRule {
  refusals: number
  withinMs: number
}

/** The facts on which a decision rests, and which it may change. */
export interface Facts {
  state: RecipientState
  /** Unix ms; null unless it waits. */
  dueAt: number | null
  /** Attempts that count. */
  attempts: number
  /** An answer was lost after the final dot and none has come since: only the preferred server may be tried. */
  uncertain: boolean
  /** The server to try first, if any: after a lost answer, or a deferral. */
  preferredServer: string | null
  /** Unix ms since when a trouble that is not the mail's fault keeps it waiting; or BY_HAND. */
  postponedSince: number | null
  heldFor: HoldReason | null
  suspicion: Suspicion
  /** The recipient is being sent, and ends as canceled unless its attempt ends it. */
  cancelRequested: boolean
  server: string | null
  lastCode: number | null
  lastMessage: string | null
}

/**
 * Stand for a time in `postponedSince`: the recipient was made due by hand, and closed paths are tried for it. An
 * operator may do that for all paths, a member for those of the member's own route.
 */
export const BY_HAND = { operator: 0, member: 1 } as const

/** Unix ms since when the recipient is postponed, if it is postponed at `now`. */
export function postponedFrom(postponedSince: number | null, now: number): number {
  return postponedSince === null || isByHand(postponedSince) ? now : postponedSince
}

export function isByHand(postponedSince: number | null): boolean {
  return postponedSince === BY_HAND.operator || postponedSince === BY_HAND.member
}

/** How one attempt ended for one recipient. */
export type Verdict =
  /** The server took responsibility (250 after the final dot), or the capture or simulator did. */
  | 'delivered'
  /** Permanently refused by the other side, or by DNS (5xx). */
  | 'bounced'
  /** Cannot be sent for a reason on our side or of the message (e.g. no SMTPUTF8 at the next hop). Permanent. */
  | 'failed'
  /** Not tried because the address is on a suppression list (as a verdict only from the simulator). Permanent. */
  | 'suppressed'
  /** Try again later (4xx, time-outs, connection trouble). */
  | 'deferred'
  /** Final dot sent, answer lost: may have been delivered. Try later, same server, same Message-ID. */
  | 'uncertain'
  /**
   * Refused for a reason that is not the mail's fault: the path there is in trouble. Back to waiting, not counted as an
   * attempt.
   */
  | 'postponed'
  /** Not tried: the node is stopping, or the lease is over. Back to waiting, not counted as an attempt. */
  | 'released'

/** The result of one attempt for one recipient. */
export interface Outcome {
  verdict: Verdict
  /** SMTP reply code; absent when there was no reply. */
  code?: number
  enhancedCode?: string
  /** Last reply, or a sentence saying what happened. At most 1,000 characters. */
  message: string
  /** Absent when the server accepted the mail, or none was asked. */
  category?: BounceCategory
  /** The address, or its domain, is dead. */
  permanent?: boolean
  /** The server that gave the reply, when the attempt asked several; as in AttemptHappening. */
  server?: string
  /** The encryption of the session with that server. */
  tls?: AttemptTls | null
  /** The server refused the address itself (RCPT 5.1.x and the like), so it belongs on the suppression list. */
  suppress?: boolean
  /**
   * The email may take down the process that tries it next. Absent: an attempt clears the suspicion, without an attempt
   * it stays as it was.
   */
  suspicion?: Suspicion
  /** Delivered, and the recipient complained at once (only the simulator reports this). */
  complained?: boolean
}

export interface AttemptHappening {
  kind: 'attempted'
  /** Unix ms, as everywhere here. */
  at: number
  outcome: Outcome
  /** `server`, `tls` and `duration` belong to the attempt as a whole. */
  server: string | null
  tls: AttemptTls | null
  /** Milliseconds; absent when no attempt was made. */
  duration?: number
  /**
   * When postponed: no server was asked, so the recipient is not listed with an attempt, and the facts about answers
   * stay.
   */
  untried: boolean
  /** When postponed: the reason why the recipient is not looked at until it has passed. */
  heldFor: HoldReason | null
  /** When the attempt counts: the time of the next one; null: this was the last attempt of the schedule. */
  retryAt: number | null
  /** When postponed: the time of the next try, and the ms that the postponement may last. */
  again: number
  patience: number
  /**
   * When postponed: when the trouble was last met, and the beginning of a postponement that begins now. Absent: `at`.
   */
  metAt?: number
  beginsAt?: number
  /** When postponed: the path has accepted mail meanwhile, so the earlier postponement does not count. */
  anew?: true
  /** Null: full mailboxes suppress no address. */
  fullMailbox: FullMailboxRule | null
}

/** A report from outside about a message that was sent. `detail.reportId`, if present, is the id of the report. */
export type ReportHappening =
  | {
      kind: 'returned'
      at: number
      report: 'bounced' | 'delayed' | 'delivered'
      detail: EventDetail
      /** The server refused the address itself. */
      deadAddress: boolean
      /** Null: full mailboxes suppress no address. */
      fullMailbox: FullMailboxRule | null
    }
  | { kind: 'complained' | 'opened' | 'clicked'; at: number; detail: EventDetail }
  /** `listed`: the reporter has put the address on the list. */
  | { kind: 'unsubscribed'; at: number; detail: EventDetail; listed?: true }

export type Happening =
  /** A node claims the recipient. `suppressed`: the suppression of its address. */
  | { kind: 'claimed'; at: number; suppressed: Stop | null }
  /** The recipient's stored content is unreadable. */
  | { kind: 'damaged'; at: number; message: string }
  | AttemptHappening
  /** The recipient is given back untried: its node stops, or it may not be begun now. */
  | { kind: 'given-back'; at: number; dueAt: number; heldFor: HoldReason | null; message: string }
  | { kind: 'node-lost'; at: number; dueAt: number }
  | { kind: 'cancel'; at: number }
  /** The sender wants another time (`dueAt`), before the recipient was begun. */
  | { kind: 'reschedule'; at: number; dueAt: number }
  /**
   * `named`: the request names the email. `scheduled`: the email has not been begun, and waits for the sender's time.
   * `ahead`: the email goes before its lane, whose first mail is due, or was, at `firstDueAt`; null: none waits there.
   * `byMember`: not requested by an operator.
   */
  | {
      kind: 'retry'
      at: number
      named: boolean
      paused: boolean
      scheduled: boolean
      ahead?: { firstDueAt: number | null } | null
      byMember?: boolean
    }
  | { kind: 'hold-released'; at: number }
  | { kind: 'quarantine'; at: number; message: string }
  | { kind: 'suspect'; suspicion: 1 | 2 }
  | { kind: 'quarantine-released'; at: number }
  | ReportHappening

/** The suppression that follows for an address. */
export interface SuppressionCause extends Pick<Suppression, 'type' | 'reason' | 'code'> {
  /** It follows only when the address has had this many causes of this kind, including this one. */
  repeated?: FullMailboxRule
}

export interface Decision {
  /**
   * The changed facts; null: none, only the events. The facts about answers (`attempts`, `uncertain`,
   * `preferredServer`, `server`, `lastCode`) are all included if `tried`, and none of them otherwise. The suspicion of
   * an untried recipient only rises: if the row has a graver one by now, that stays.
   */
  change: Partial<Facts> | null
  events: NewEvent[]
  /** The recipient's address is added to the company's suppression list. */
  suppress: SuppressionCause | null
  /** The recipient is listed with the attempt. */
  tried: boolean
  /** The reason why `retry` left the recipient alone; the decision holds nothing else then. */
  left?: 'held' | 'scheduled' | 'paused'
}

/** A report about one recipient of an email. */
export interface RecipientReport {
  emailId: string
  position: number
  happening: ReportHappening
}
