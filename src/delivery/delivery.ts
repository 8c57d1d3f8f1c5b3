/**
 * A delivery: the work of handing one email over along one path, for some of its recipients. It is plain data, so that
 * it can cross to a delivery thread and back. The courier takes a delivery and returns its result.
 */
import type { KeyObject } from 'node:crypto'
import type { DkimAlgorithm } from '../accounts/account.ts'
import type { AttemptTls } from '../email/attempt-tls.ts'
import type { Email } from '../email/fields.ts'
import type { Outcome } from '../email/lifecycle.ts'
import type { OwedAnswer } from '../email/owed-answer.ts'
import type { TroubleKind } from '../email/trouble-kind.ts'
import type { Addressee } from '../mail/batch/substitute.ts'
import type { TlsSession } from '../mail/domain-report/tls-report.ts'
import type { MessageBody, MessageContent } from '../mail/message.ts'
import type { Suspicion } from '../store/store.ts'
import type { DeathCause } from '../workers/error.ts'
import type { ReplyAdvice } from './judge/reply-advice.ts'
import type { DeliveryPath } from './path/path.ts'

/**
 * Size in octets from which a message counts as large: composing and signing it takes some milliseconds, and the number
 * of sessions alone does not bound the memory that large messages take.
 */
export const LARGE_MESSAGE = 256 * 1024

/** A key that a message is signed with. `id` lets a thread keep its own parsed copy. */
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
 * The message to send: either parts to compose, or a ready message (messages.mime). In batch sending, the addressee's
 * values are filled in by the thread that composes and signs the copy, because filling in reads the whole message for
 * every copy.
 */
export type DeliveryMessage =
  | { kind: 'parts'; content: MessageContent<MessageBody>; addressee?: Addressee | null }
  | { kind: 'raw'; raw: Uint8Array; date: number; addressee: Addressee | null }

export interface Delivery {
  /** The fields that delivery reads. */
  email: Email<'send'>
  recipients: DeliveryRecipient[]
  path: DeliveryPath
  /** The server to try first: set after an uncertain or greylisted attempt, as the host name that was recorded. */
  preferredServer: string | null
  /** Set after an uncertain attempt: no other server is tried while the preferred one still serves the domain. */
  preferredOnly: boolean
  /** The token of the lease on its recipients: see sending-right.ts. */
  leaseToken: number
  /** The gravest suspicion of its recipients. */
  suspicion?: Suspicion
  message: DeliveryMessage
  signing: SigningKey[]
}

export interface RecipientOutcome extends Outcome {
  position: number
  /** Milliseconds that the server asks us to wait. */
  waitMs?: number
}

/** A trouble that keeps mail from taking its path, though nothing is wrong with the mail. */
export interface TroubleReport extends ReplyAdvice {
  kind: TroubleKind
  met: TroubleStage
  message: string
  /** The server that was tried, and the code of its answer. Each is absent when there is none. */
  server?: string
  code?: number
}

/**
 * The point at which a trouble was met. It tells whose mail the trouble may concern. `connection`: there was no answer;
 * `session`: an answer to the session or to credentials; `mail`: to MAIL, which names the sender; `recipient`: to a
 * recipient or a message.
 */
export type TroubleStage = 'connection' | 'session' | 'mail' | 'recipient'

/** Why a delivery must not be tried again. */
export interface Crash {
  during: 'composing' | 'sending'
  cause: DeathCause
  /** Shown to the operator and the sender. */
  message: string
}

/** The result of one attempt. */
export interface DeliveryResult {
  outcomes: RecipientOutcome[]
  /**
   * Host name (and IP) of the server, the last of several, e.g. `mx1.x.test [192.0.2.1]:25`; null when none was
   * reached.
   */
  server: string | null
  /** The conversation, one line per step: `<ms since start> > command` or `<ms> < reply`. Bounded. */
  dialogue: string
  /** Unix ms. */
  startedAt: number
  /** Milliseconds. */
  duration: number
  /** Null: no server was reached. */
  tls: AttemptTls | null
  /** Sessions that were opened, or could not be encrypted, for reports to the recipient's domain (RFC 8460). */
  tlsSessions?: TlsSession[]
  /** Nothing was tried, because no server could be reached a moment ago: Unix ms of the next try. */
  notBefore?: number
  /** No server was asked, because this machine has no way out to any. */
  noWayOut?: true
  /** A trouble met on the path. Recipients are `postponed` for it, unless another server took the mail. */
  pathTrouble?: TroubleReport
  /** `capture` only: the bytes as they would have left. */
  captured?: Uint8Array
  /**
   * The delivery crashed the isolated process, in which it was tried alone. Its recipients go into quarantine, whatever
   * `outcomes` says.
   */
  condemned?: Crash
  /** The reason why composing the message crashed a worker. Composing it again may crash another one. */
  died?: DeathCause
  /**
   * The delivery holds a place among the unrecorded ones (cluster/unrecorded-messages.ts) until this result is durable.
   */
  handedOver?: true
}

/** How a delivery shares its session with the one before and the one after it. */
export interface SessionSharing {
  /** A delivery that waits for the answer to its final dot: this one begins behind it, on the same session. */
  behind: Delivery | null
  /** Called when the message waits for the answer to its final dot, so that another delivery may begin behind it. */
  onDot(): void
  /** Called after `onDot` when the delivery continues with another server, on a session of its own. */
  onApart(): void
}

/** Asks what servers owe to deliveries under way: those of some recipients of an email, by position. */
export interface OwedQuestion {
  emailId: string
  from: number
  limit: number
}

/** `positions`: the recipients of the question whose delivery waits for it. */
export interface DeliveryOwed extends OwedAnswer {
  positions: number[]
}

/** Hands a delivery to its destination. Never rejects for a fault of the other side: such a fault is an outcome. */
export interface Courier {
  deliver(delivery: Delivery, sharing?: SessionSharing): Promise<DeliveryResult>
  /**
   * Other mail needs the session of this delivery, which is ended if its server keeps it waiting and cannot have the
   * message. Its recipients are postponed then. `atDot` is called if it waits for the answer to its final dot. Absent:
   * this courier ends no delivery early.
   */
  cutShort?(delivery: Delivery, atDot: () => void): void
  /** The answers that servers owe now. Never rejects. Absent: this courier does not know them. */
  owed?(question: OwedQuestion): Promise<DeliveryOwed[]>
  /** Finishes or releases every open delivery within `ms`. */
  close(ms: number): Promise<void>
}
