/**
 * An email on its way through the queue: as it is accepted, as it is claimed, and what is recorded of an attempt to
 * deliver it.
 */
import type { MessageBody, MessageContent } from '../mail/message.ts'
import type { Email, Recipient } from './fields.ts'
import type { Held } from './lifecycle/attempted.ts'
import type { Decision } from './lifecycle.ts'
import type { RecipientKind, RecipientState, Suspicion } from './recipient.ts'

export type { RecipientKind, RecipientState, Suspicion }

export type NewRecipient = Recipient

/** How far ahead a sender may have an email sent; MAX_AHEAD in ms. */
export const MAX_AHEAD_DAYS = 30
export const MAX_AHEAD = MAX_AHEAD_DAYS * 24 * 60 * 60 * 1_000

/** Ms for which an idempotency key stands for the email it was sent with. */
export const KEY_REMEMBERED_MS = 24 * 60 * 60 * 1_000

/** A checked email, ready to be made durable. */
export interface NewEmail extends Email {
  /** What the message is made of. `to`/`cc` as in its header fields. */
  content: MessageContent<MessageBody>
  /** Unix ms: when the recipients become due. */
  dueAt: number
  recipients: NewRecipient[]
  idempotency: Idempotency | null
  /** Absent where its company has none. */
  quota?: Quota
}

export interface Idempotency {
  key: string
  fingerprint: string
}

/** How many recipients its company may have on one day, and in one month, in UTC. Null: any number. */
export interface Quota {
  daily: number | null
  monthly: number | null
}

/** What a node takes work under, also in the same commit that accepts it: such work needs no reading back. */
export interface Lease {
  /** Fencing token, the one `join` gave: results under a token that is no longer the recipient's are refused. */
  token: number
}

export type Accepted =
  /** `leased`: positions handed to this node by the lease; suppressed ones are missing from it. */
  | { kind: 'accepted'; leased: number[] }
  /** The idempotency key was used before with the same fingerprint: this is the earlier email. */
  | { kind: 'repeated'; id: string; messageId: string }
  /** The idempotency key was used before with another fingerprint. */
  | { kind: 'conflict' }
  | OverQuota

/** With this email its company would have more recipients than it may. */
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

export type AcceptedAll =
  /** `leased`: as in Accepted, for each. */
  | { kind: 'accepted'; leased: number[][] }
  /** The earlier emails, in their order. */
  | { kind: 'repeated'; emails: AcceptedEmail[] }
  | { kind: 'conflict' }
  | OverQuota

export interface AcceptedEmail {
  id: string
  messageId: string
}

/** What was found of an email that was to be sent at another time, or not at all. */
export type Rescheduled =
  /** It waited for its time, and this is done for so many recipients. */
  | { found: 'scheduled'; recipients: number }
  | { found: 'unknown' }
  /** Its sender gave no time. */
  | { found: 'unscheduled' }
  /** Its time has come: it is being sent, or has been. */
  | { found: 'begun' }
  | { found: 'canceled' }

/** Work claimed: one email with those of its recipients that are due. */
export interface ClaimedEmail extends Email<'queue'> {
  content: MessageContent<MessageBody>
  recipients: ClaimedRecipient[]
}

export interface ClaimedRecipient extends Recipient<'queue'>, Held {
  position: number
}

export interface ClaimRequest {
  lease: Lease
  /** Unix ms. */
  now: number
  /** At most this many recipients (see `together`), and (past the first email) this many octets of messages. */
  maxRecipients: number
  maxBytes: number
  /**
   * Recipients of one email at one domain that make one transaction: they are claimed together, so that the last of
   * them may go beyond the numbers of recipients. Not in batch sending, where each recipient has a transaction of its
   * own.
   */
  together: number
  /** At most this many recipients for one company in one claim. */
  maxPerCompany: number
  /** `companyId\0domain` of lanes whose ready queue is full: skipped. */
  skip: string[]
  /** Companies whose ready queues take no more, or that are paused: skipped. */
  skipCompanies: string[]
  /** Recipient domains to which no company's mail goes now: skipped. */
  skipDomains: string[]
}

/** The result of one attempt as the store records it. */
export interface AttemptRecord {
  emailId: string
  leaseToken: number
  startedAt: number
  duration: number
  server: string | null
  tls: string | null
  dialogue: string
  captured: Uint8Array | null
  recipients: RecipientRecord[]
}

/** What becomes of one recipient: mostly a state, and a time if it waits. */
export interface RecipientRecord {
  position: number
  decision: Decision
}

/** Positions whose lease was no longer ours: the result was refused. */
export interface Recorded {
  refused: number[]
}

/** An email that took a process down. */
export interface QuarantineRequest {
  emailId: string
  leaseToken: number
  /** Recipients, leased under the token, of the delivery that did it. */
  positions: number[]
  /** What becomes of the others that wait: the same content is as dangerous, other content is suspect. */
  others: 'quarantine' | 'suspect'
  /** Unix ms. */
  at: number
  /** Shown with each recipient and its event. */
  message: string
}
