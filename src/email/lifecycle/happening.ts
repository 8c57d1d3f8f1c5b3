/** What may happen to a recipient, what a decision about it rests on, and what a decision says. */
import type { EventDetail, NewEvent } from '../event.ts'
import type { HeldFor, RecipientState, Suspicion } from '../recipient.ts'
import type { Stop, Suppression } from '../suppression.ts'

/** What a decision rests on, and what it may change. */
export interface Facts {
  state: RecipientState
  /** Unix ms; null unless it waits. */
  dueAt: number | null
  /** Those that count. */
  attempts: number
  /** An answer was lost after the final dot and none has come since: only the preferred server may be tried. */
  uncertain: boolean
  /** To be tried first, if any: after a lost answer, or one that put us off. */
  preferredServer: string | null
  /** Unix ms: since when what is not the mail's fault keeps it waiting; or BY_HAND. */
  postponedSince: number | null
  heldFor: HeldFor | null
  suspicion: Suspicion
  /** It is under way, and ends as canceled unless its attempt ends it. */
  cancelRequested: boolean
  server: string | null
  lastCode: number | null
  lastMessage: string | null
}

/**
 * Stands for a time in `postponedSince`: it was made due by hand, and closed paths are tried for it. An operator's word
 * counts for all of them, a member's for those by a route of its own.
 */
export const BY_HAND = { operator: 0, member: 1 } as const

/** Unix ms: since when it is postponed, if it is so at `now`. */
export function postponedFrom(postponedSince: number | null, now: number): number {
  const byHand = postponedSince === BY_HAND.operator || postponedSince === BY_HAND.member
  return postponedSince === null || byHand ? now : postponedSince
}

/** How one attempt ended for one recipient. */
export type Verdict =
  /** The server took responsibility (250 after the final dot), or the capture or simulator did. */
  | 'delivered'
  /** Permanently refused by the other side, or by DNS (5xx). */
  | 'bounced'
  /** Cannot be sent for a reason on our side or of the message (e.g. no SMTPUTF8 at the next hop). Permanent. */
  | 'failed'
  /** Not tried because the address is on a suppression list (here only the simulator says so). Permanent. */
  | 'suppressed'
  /** Try again later (4xx, time-outs, connection trouble). */
  | 'deferred'
  /** Final dot sent, answer lost: may have been delivered. Try later, same server, same Message-ID. */
  | 'uncertain'
  /**
   * Refused for what is not the mail's fault: the path there is in trouble. Back to waiting, not counted as an attempt.
   */
  | 'postponed'
  /** Not tried: shutting down or lease over. Back to waiting, not counted as an attempt. */
  | 'released'

/** What one attempt came to for one recipient. */
export interface Outcome {
  verdict: Verdict
  /** SMTP reply code; absent when no reply was had. */
  code?: number
  enhancedCode?: string
  /** Last reply, or a sentence saying what happened. At most 1,000 characters. */
  message: string
  /** The server whose word it is, where the attempt asked several; as in Attempted. */
  server?: string
  /** Of the session with that server; null: in clear. */
  tls?: string | null
  /** The address itself is what was refused (RCPT 5.1.x and the like), so it belongs on the suppression list. */
  suppress?: boolean
  /**
   * It may take down who tries it next. Absent: an attempt says that it does not, and what was not tried stays as it
   * was.
   */
  suspicion?: Suspicion
  /** Delivered, and the recipient complained at once (only the simulator says so). */
  complained?: boolean
}

export interface Attempted {
  kind: 'attempted'
  /** Unix ms, as everywhere here. */
  at: number
  outcome: Outcome
  /** Of the whole attempt. */
  server: string | null
  tls: string | null
  /** Milliseconds; absent where nothing was tried. */
  duration?: number
  /** For what is postponed: nobody was asked, so there is no attempt to name it, and what is known of answers stays. */
  untried: boolean
  /** For what is postponed: why it waits without being looked at until that is over. */
  heldFor: HeldFor | null
  /** For what counts: when it comes again; null: this was the last attempt of the schedule. */
  retryAt: number | null
  /** For what is postponed: when it comes again, and for how many ms that may go on. */
  again: number
  patience: number
}

/** What others report of a message that had left. `detail.reportId`, if there is one, names the report. */
export type Reported =
  | {
      kind: 'returned'
      at: number
      report: 'bounced' | 'delayed' | 'delivered'
      detail: EventDetail
      /** The address itself is what was refused. */
      deadAddress: boolean
    }
  | { kind: 'complained' | 'opened' | 'clicked'; at: number; detail: EventDetail }
  /** `listed`: whoever reports it has put the address on the list. */
  | { kind: 'unsubscribed'; at: number; detail: EventDetail; listed?: true }

export type Happening =
  /** A node takes it. `suppressed`: what its address is on the suppression list for. */
  | { kind: 'claimed'; at: number; suppressed: Stop | null }
  /** It cannot be read back. */
  | { kind: 'damaged'; at: number; message: string }
  | Attempted
  /** Untried: its node stops, or it may not be begun now. */
  | { kind: 'given-back'; at: number; dueAt: number; heldFor: HeldFor | null; message: string }
  | { kind: 'node-lost'; at: number; dueAt: number }
  | { kind: 'cancel'; at: number }
  /** Its sender wants it at another time (`dueAt`), before it was begun. */
  | { kind: 'reschedule'; at: number; dueAt: number }
  /**
   * `named`: its email was named. `scheduled`: its email has not been begun, and its sender gave the time. `byMember`:
   * not by an operator.
   */
  | { kind: 'retry'; at: number; named: boolean; paused: boolean; scheduled: boolean; byMember?: boolean }
  | { kind: 'hold-released'; at: number }
  | { kind: 'quarantine'; at: number; message: string }
  | { kind: 'suspect'; suspicion: 1 | 2 }
  | { kind: 'quarantine-released'; at: number }
  | Reported

/** What an address goes on the suppression list for. */
export type Suppressing = Pick<Suppression, 'type' | 'reason' | 'code'>

export interface Decision {
  /**
   * What changes of the facts; null: nothing but the events. What answers tell (`attempts`, `uncertain`,
   * `preferredServer`, `server`, `lastCode`) is all in it where `tried`, and nothing of it otherwise. The suspicion of
   * what was not tried only rises: where the row has a graver one by now, that stays.
   */
  change: Partial<Facts> | null
  events: NewEvent[]
  /** Its address goes on the company's suppression list. */
  suppress: Suppressing | null
  /** An attempt names it. */
  tried: boolean
  /** Why `retry` left it; nothing else is in the decision then. */
  left?: 'held' | 'scheduled' | 'paused'
}

/** A report about one recipient of an email. */
export interface Happened {
  emailId: string
  position: number
  happening: Reported
}
