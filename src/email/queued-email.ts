/**
 * An email on its way through the queue: as it is accepted, as it is claimed, and what is recorded of an attempt to
 * deliver it.
 */
import type { MessageContent } from '../mail/message.ts'
import type { Email } from './fields.ts'
import type { Decision } from './lifecycle.ts'
import type { RecipientState, Suspicion } from './recipient.ts'

export type { RecipientState, Suspicion }

export type RecipientKind = 'to' | 'cc' | 'bcc'

export interface NewRecipient {
  /** Envelope address: local part as given, domain as lower-case A-label. */
  address: string
  /** Domain part of `address`. */
  domain: string
  kind: RecipientKind
  /** Batch sending: this recipient's values. Null otherwise. */
  variables: Record<string, string> | null
}

/** A checked email, ready to be made durable. */
export interface NewEmail extends Email {
  /** What the message is made of. `to`/`cc` as in its header fields. */
  content: MessageContent
  /** Unix ms: when the recipients become due. */
  dueAt: number
  recipients: NewRecipient[]
  idempotency: { key: string; fingerprint: string } | null
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

/** Work claimed: one email with those of its recipients that are due. */
export interface ClaimedEmail extends Email<'queue'> {
  content: MessageContent
  recipients: ClaimedRecipient[]
}

export interface ClaimedRecipient {
  position: number
  address: string
  domain: string
  attempts: number
  variables: Record<string, string> | null
  /** Server to try first, if any (after an uncertain or deferred attempt). */
  preferredServer: string | null
  /** An answer was lost after the final dot and none has come since: only the preferred server may be tried. */
  uncertain: boolean
  /** Unix ms: since when what is not the mail's fault keeps it waiting; null when nothing does. Or BY_HAND. */
  postponedSince: number | null
  suspicion: Suspicion
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
