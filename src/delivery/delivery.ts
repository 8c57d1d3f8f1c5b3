/**
 * A delivery: the work of handing one email over along one path, for some of its recipients. Plain data, so that it can
 * cross to a delivery thread and back. And its courier, who comes back with the result.
 */
import type { KeyObject } from 'node:crypto'
import type { DkimAlgorithm } from '../accounts/account.ts'
import type { Email } from '../email/fields.ts'
import type { Outcome } from '../email/lifecycle.ts'
import type { Addressee } from '../mail/batch/substitute.ts'
import type { MessageBody, MessageContent } from '../mail/message.ts'
import type { Suspicion } from '../store/store.ts'
import type { DeathCause } from '../workers/error.ts'
import type { Hindrance } from './judge/finding.ts'
import type { Way } from './path/path.ts'

/**
 * From so many octets on a message is large: to compose and sign it takes some milliseconds, and sessions alone do not
 * bound the memory that those under way take.
 */
export const LARGE_MESSAGE = 256 * 1024

/** One key a message is signed with. `id` lets a thread keep its own parsed copy. */
export interface SigningKey {
  id: string
  domain: string
  selector: string
  algorithm: DkimAlgorithm
  privateKey: KeyObject
}

export interface DeliveryRecipient {
  /** Index of the recipient within the email. */
  position: number
  /** Envelope address: local part as given, domain as A-label. */
  address: string
  /** Attempts made so far. */
  attempts: number
}

/**
 * What is to be sent: either parts to compose, or a ready message (messages.mime). In batch sending the values of the
 * addressee are filled in where the copy is composed and signed: that reads the whole of it, again for every copy.
 */
export type DeliveryMessage =
  | { kind: 'parts'; content: MessageContent<MessageBody>; addressee?: Addressee | null }
  | { kind: 'raw'; raw: Uint8Array; date: number; addressee: Addressee | null }

export interface Delivery {
  /** What is read of it where it is delivered. */
  email: Email<'send'>
  recipients: DeliveryRecipient[]
  path: Way
  /**
   * The server that must be tried first: set after an uncertain or greylisted attempt. Host name as it was recorded.
   */
  preferredServer: string | null
  /** Set after an uncertain attempt: no other server is tried while that one still serves the domain. */
  preferredOnly: boolean
  /** What its recipients are leased under: see sending-right.ts. */
  leaseToken: number
  /** The gravest of its recipients. */
  suspicion?: Suspicion
  message: DeliveryMessage
  signing: SigningKey[]
}

export interface RecipientOutcome extends Outcome {
  position: number
}

/** What keeps mail from taking its path, though nothing is wrong with the mail. */
export interface HindranceReport {
  kind: Hindrance
  /** All mail that goes there; otherwise only that of the same sending domain, as far as anybody knows. */
  wide: boolean
  message: string
}

/** Why a delivery must not be tried again. */
export interface Condemned {
  during: 'composing' | 'sending'
  cause: DeathCause
  /** For the operator and the sender. */
  message: string
}

/** What one attempt did. */
export interface DeliveryResult {
  outcomes: RecipientOutcome[]
  /**
   * Host name (and IP) talked to, the last of several, e.g. `mx1.x.test [192.0.2.1]:25`; null when none was reached.
   */
  server: string | null
  /** The conversation, one line a step: `<ms since start> > command` or `<ms> < reply`. Bounded. */
  dialogue: string
  /** Unix ms. */
  startedAt: number
  /** Milliseconds. */
  duration: number
  tls: string | null
  /** Nothing was tried, as no server could be reached a moment ago: Unix ms when one is asked again. */
  notBefore?: number
  /** Met on the path. Recipients are `postponed` for it, unless another server took the mail. */
  hindrance?: HindranceReport
  /** `capture` only: the bytes as they would have left. */
  captured?: Uint8Array
  /**
   * It took down the process in which it was tried alone: its recipients go into quarantine, whatever `outcomes` says.
   */
  condemned?: Condemned
  /** A worker died of composing the message, and why: whoever composes it again may lose another. */
  died?: DeathCause
  /**
   * It holds a place among what is handed over and not recorded (cluster/unrecorded.ts), until this result is durable.
   */
  handedOver?: true
}

/** Hands a delivery to its destination. Never rejects for a fault of the other side: that is an outcome. */
export interface Courier {
  deliver(delivery: Delivery): Promise<DeliveryResult>
  /** Finishes or gives back what is open, at the latest after `ms`. */
  close(ms: number): Promise<void>
}
