/**
 * A mail transaction (RFC 5321 3.3): from MAIL until its end it counts as a request of its company, and its recipients
 * and its message count for the memory they take.
 */
import type { Socket } from 'node:net'
import type { Principal } from '../accounts/account.ts'
import type { Admission } from '../ingress/admission/admission.ts'
import type { Visit, Visitor } from '../ingress/admission/visit.ts'
import type { AnyReason } from '../ingress/fault.ts'
import type { Ingress } from '../ingress/ingress.ts'
import { Reading } from '../ingress/reading.ts'
import { withId } from '../ingress/target.ts'
import type { Arrival } from '../mail/header/received.ts'
import { ArrivingMessage } from './body.ts'
import { messageReader } from './read-job.ts'
import type { ArrivedMessage } from './receive.ts'

/** Octets of recipients for which room is reserved at a time. */
const RECIPIENTS_ROOM = 4 * 1024
/** The cost of an address beside its octets. */
const RECIPIENT_COST = 64
/** Octets for which room is reserved at a time, if the client does not announce the size. */
const UNKNOWN = 64 * 1024

export interface TransactionParts {
  ingress: Ingress
  socket: Socket
  /** For the log. */
  sessionId: string
  principal: Principal
  /** The domain that the login named; null: the domain of From counts. */
  domain: string | null
  /** Octets announced in MAIL; null: none. */
  size: number | null
  /** MAIL FROM:<>, used by bounces. */
  nullSender: boolean
  /** Addresses need not be ASCII. */
  international: boolean
  /** For the message's Received field. */
  arrival: Arrival
  /** Called when the client is too slow and others need its place. */
  giveWay(reason: AnyReason): void
}

export class SubmissionTransaction {
  /** Without duplicates, in the order of RCPT. */
  readonly recipients = new Set<string>()
  /** RCPT commands so far, including refused ones. */
  named = 0
  readonly #parts: TransactionParts
  readonly #admission: Admission
  readonly #visitor: Visitor
  #visit: Visit | undefined
  #recipientOctets = 0
  #recipientsRoom = RECIPIENTS_ROOM

  /** Throws a Fault when there is no room for another transaction, or the key has reached its rate limit. */
  constructor(parts: TransactionParts) {
    const { ingress, socket, sessionId, principal } = parts
    this.#parts = parts
    this.#admission = ingress.admission
    this.#visitor = withId({ socket, method: 'SMTP', url: 'DATA' } as Visitor, sessionId)
    ingress.callers.count(this.#visitor, principal)
    this.#arriving()
  }

  get nullSender(): boolean {
    return this.#parts.nullSender
  }

  get international(): boolean {
    return this.#parts.international
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

  /** Reserves room for the message. Rejects with a Fault if there is none in time. */
  async ready(max: number): Promise<ArrivingMessage> {
    const { size } = this.#parts
    // A client does not count as slow while it waits for room.
    if (this.#visit) this.#admission.ended(this.#visit)
    try {
      await this.#admission.reserve(this.#visitor, size ?? UNKNOWN)
    } finally {
      this.#arriving()
    }
    return new ArrivingMessage(size, max, (length) => this.#received(length))
  }

  /** Resolves when the message is durable. Rejects with the error that it is refused with. */
  async accept({ octets, bareLf }: ArrivedMessage): Promise<{ id: string }> {
    const { ingress, principal, domain, arrival } = this.#parts
    await this.#turn()
    const handed = { recipients: [...this.recipients], domain, bareLf, arrival }
    return new Reading(ingress.deps, messageReader).accept(principal, handed, octets, null)
  }

  /** Releases all reservations. Further calls have no effect. */
  end(): void {
    this.#admission.release(this.#visitor)
    this.#visit = undefined
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
  #turn(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#visit) this.#admission.arrived(this.#visit, resolve)
      else resolve()
    })
  }
}
