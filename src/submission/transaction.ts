/**
 * A mail transaction (RFC 5321 3.3): from its admission until its end it counts as a request of its party, and its
 * recipients and its message count for the memory they take.
 */
import type { Socket } from 'node:net'
import type { Admission } from '../ingress/admission/admission.ts'
import type { Visit, Visitor } from '../ingress/admission/visit.ts'
import type { AnyReason } from '../ingress/fault.ts'
import { withId } from '../ingress/target.ts'
import { ArrivingMessage } from './body.ts'
import type { Envelope } from './policy.ts'

/** Octets of recipients for which room is reserved at a time. */
const RECIPIENTS_ROOM = 4 * 1024
/** Octets that an address costs in addition to its own. */
const RECIPIENT_COST = 64
/** Octets for which room is reserved at a time, if the client does not announce the size. */
const UNKNOWN = 64 * 1024

export interface TransactionParts {
  /** The address in MAIL FROM; empty: the null reverse-path, used by bounces (RFC 5321 4.5.5). */
  sender: string
  admission: Admission
  socket: Socket
  /** Names the session in the log. */
  sessionId: string
  /** Octets announced in MAIL; null: none. */
  size: number | null
  /** Counts the transaction for its party. Throws a Fault when there is no room for another one. */
  admit(visitor: Visitor): void
  /** Called at the end of a transaction that was admitted. */
  onEnd?(): void
  /** Called when the client is too slow and others need its place. */
  giveWay(reason: AnyReason): void
}

export class MailTransaction {
  /** The recipients in the order of their RCPT commands, without duplicates. */
  readonly recipients = new Set<string>()
  /** RCPT commands so far, including refused ones. */
  named = 0
  readonly #parts: TransactionParts
  readonly #admission: Admission
  readonly #visitor: Visitor
  #visit: Visit | undefined
  #recipientOctets = 0
  #recipientsRoom = RECIPIENTS_ROOM

  constructor(parts: TransactionParts) {
    const { admission, socket, sessionId } = parts
    this.#parts = parts
    this.#admission = admission
    this.#visitor = withId({ socket, method: 'SMTP', url: 'DATA' } as Visitor, sessionId)
  }

  get envelope(): Envelope {
    return { sender: this.#parts.sender, recipient: [...this.recipients] }
  }

  /** Must be called before there is a recipient. Throws a Fault when it is not admitted; then it may be tried again. */
  admit(): void {
    if (this.#visit !== undefined) return
    this.#parts.admit(this.#visitor)
    this.#arriving()
  }

  /** Throws a Fault when there is no room for the address. */
  add(address: string): void {
    if (this.recipients.has(address)) return
    const octets = this.#recipientOctets + Buffer.byteLength(address) + RECIPIENT_COST
    if (octets > this.#recipientsRoom && this.#visit) {
      this.#admission.exceed(this.#visit, RECIPIENTS_ROOM)
      this.#recipientsRoom += RECIPIENTS_ROOM
    }
    this.#recipientOctets = octets
    this.recipients.add(address)
  }

  /**
   * Reserves room for the message. Rejects with a Fault if there is none in time. `cut`: see ArrivingMessage.
   */
  async ready(max: number, { cut = false }: { cut?: boolean } = {}): Promise<ArrivingMessage> {
    const { size } = this.#parts
    // A client does not count as slow while it waits for room.
    if (this.#visit) this.#admission.ended(this.#visit)
    try {
      await this.#admission.reserve(this.#visitor, Math.min(size ?? UNKNOWN, max))
    } finally {
      this.#arriving()
    }
    return new ArrivingMessage(size, { max, cut }, (length) => this.#received(length))
  }

  /** Releases all reservations. Further calls have no effect. */
  end(): void {
    if (this.#visit === undefined) return
    this.#admission.release(this.#visitor)
    this.#visit = undefined
    this.#parts.onEnd?.()
  }

  #arriving(): void {
    this.#visit = this.#admission.arriving(this.#visitor, ({ reason }) => this.#parts.giveWay(reason))
  }

  #received(length: number): void {
    const visit = this.#visit
    if (visit === undefined) return
    this.#admission.received(visit, length)
    if (length > visit.expected) this.#admission.exceed(visit, Math.max(UNKNOWN, length - visit.expected))
  }

  /** Waits until the complete message may be processed. */
  turn(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#visit) this.#admission.arrived(this.#visit, resolve)
      else resolve()
    })
  }
}
