/** An email in the queue: as it is accepted, as it is claimed, and the record of an attempt to deliver it. */

import type { MessageBody, MessageContent } from '../mail/message.ts'
import type { Email, Recipient } from './fields.ts'
import type { LeaseFacts } from './lifecycle/attempt.ts'
import type { Decision } from './lifecycle.ts'
import type { RecipientKind, RecipientState, Suspicion } from './recipient.ts'
import type { StoredAttempt } from './stored-email.ts'

export type { RecipientKind, RecipientState, Suspicion }

export type NewRecipient = Recipient

/** How far ahead an email may be scheduled; MAX_AHEAD in ms. */
export const MAX_AHEAD_DAYS = 30
export const MAX_AHEAD = MAX_AHEAD_DAYS * 24 * 60 * 60 * 1_000

/** Milliseconds for which an idempotency key is remembered. */
export const KEY_REMEMBERED_MS = 24 * 60 * 60 * 1_000

/** A checked email, ready to be made durable. */
export interface NewEmail extends Email {
  /** The content of the message. `to`/`cc` as in its header fields. */
  content: MessageContent<MessageBody>
  /** Unix ms at which the recipients become due. */
  dueAt: number
  recipients: NewRecipient[]
  idempotency: Idempotency | null
  /** Absent when the company has none. */
  quota?: Quota
}

export interface Idempotency {
  key: string
  fingerprint: string
}

/** The recipients that the company may have in a day and in a month, in UTC. Null: any number. */
export interface Quota {
  daily: number | null
  monthly: number | null
}

/** A node's lease. Work may be leased in the commit that accepts it, and then need not be read back. */
export interface Lease {
  /** Fencing token, returned by `join`: a result under a token that the recipient no longer has is refused. */
  token: number
}

export type AcceptResult =
  /** `leased`: positions leased to this node; suppressed ones are missing. */
  | { kind: 'accepted'; leased: number[] }
  /** The idempotency key was used before with the same fingerprint: this is the earlier email. */
  | { kind: 'repeated'; id: string; messageId: string }
  /** The idempotency key was used before with another fingerprint. */
  | { kind: 'conflict' }
  | OverQuota

/** With this email the company would have more recipients than its quota. */
export interface OverQuota {
  kind: 'over-quota'
  which: 'daily' | 'monthly'
  limit: number
}

/** Emails of one company that are accepted together. Their own `idempotency` is null: one key stands for all. */
export interface NewEmails {
  emails: readonly NewEmail[]
  idempotency: Idempotency | null
}

export type AcceptAllResult =
  /** `leased`: as in AcceptResult, for each email. */
  | { kind: 'accepted'; leased: number[][] }
  /** The earlier emails, in their order. */
  | { kind: 'repeated'; emails: AcceptedEmail[] }
  | { kind: 'conflict' }
  | OverQuota

export interface AcceptedEmail {
  /** UUIDv7. */
  id: string
  /** With angle brackets. */
  messageId: string
}

/** The result of rescheduling or canceling an email, by the state in which it was found. */
export type RescheduleResult =
  /** The email was scheduled, and this many recipients were changed. */
  | { found: 'scheduled'; recipients: number }
  | { found: 'unknown' }
  /** The email was not scheduled. */
  | { found: 'unscheduled' }
  /** The email's time has come: it is being sent, or has been. */
  | { found: 'begun' }
  | { found: 'canceled' }

/** Claimed work: one email with its due recipients. */
export interface ClaimedEmail extends Email<'queue'> {
  content: MessageContent<MessageBody>
  recipients: ClaimedRecipient[]
}

export interface ClaimedRecipient extends Recipient<'queue'>, LeaseFacts {
  position: number
}

/** The room for some lanes of a company. */
export interface LaneRoom {
  companyId: string
  /** Recipient domains; null: all. */
  domains: readonly string[] | null
  /** The most recipients of these lanes together (see `together`); 0: they are skipped. */
  room: number
}

export interface ClaimRequest {
  lease: Lease
  /** Unix ms. */
  now: number
  /**
   * At most this many recipients (see `together`), and this many octets of messages, which only the first email may
   * exceed.
   */
  maxRecipients: number
  maxBytes: number
  /**
   * Recipients of one email at one domain that share a transaction: they are claimed together, so the last of them may
   * exceed the limits. Not in batch sending, where each recipient has a transaction of its own.
   */
  together: number
  /** At most this many recipients for one company in one claim. */
  maxPerCompany: number
  /** Lanes with less room than `maxPerCompany`. A lane is the mail of a company to one recipient domain. */
  rooms: LaneRoom[]
  /** The most recipients of each other lane; Infinity: as many as the other limits allow. */
  roomOfOthers: number
  /** Companies whose ready queues are full, or that are paused: skipped. */
  skipCompanies: string[]
  /** Paused recipient domains: skipped for all companies. */
  skipDomains: string[]
}

/** The record of one attempt for the store. */
export interface AttemptRecord extends Omit<StoredAttempt, 'recipients'> {
  emailId: string
  leaseToken: number
  captured: Uint8Array | null
  recipients: RecipientRecord[]
}

/** The outcome for one recipient: mostly a state, and a time if it waits. */
export interface RecipientRecord {
  position: number
  decision: Decision
}

/** Positions whose lease was no longer ours: their results were refused. */
export interface RecordResult {
  refused: number[]
}

/** An email that took a process down. */
export interface QuarantineRequest {
  emailId: string
  leaseToken: number
  /** The recipients of the guilty delivery, leased under the token. */
  positions: number[]
  /**
   * The treatment of the email's other waiting recipients: the same content is as dangerous, other content is suspect.
   */
  others: 'quarantine' | 'suspect'
  /** Unix ms. */
  at: number
  /** Shown with each recipient and its event. */
  message: string
}
