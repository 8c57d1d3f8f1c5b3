/**
 * A mail transaction (RFC 5321 3.3): from MAIL on it counts as a request of its company, and its recipients and its
 * message for what they take of the memory, until it is over.
 */
import type { Socket } from 'node:net'
import type { Principal } from '../accounts/account.ts'
import type { Admission } from '../http/admission/admission.ts'
import type { Visit, Visitor } from '../http/admission/visit.ts'
import type { HttpCore } from '../http/core.ts'
import type { AnyReason } from '../http/fault.ts'
import { Reading } from '../http/reading.ts'
import { withId } from '../http/target.ts'
import type { Receipt } from '../intake/submission.ts'
import type { Arrival } from '../mail/header/received.ts'
import { Body } from './body.ts'
import { messageReader } from './read-job.ts'
import type { ArrivedMessage } from './receive.ts'

/** Octets of recipients for which room is asked at once. */
const RECIPIENTS_ROOM = 4 * 1024
/** What an address costs beside its octets. */
const RECIPIENT_COST = 64
/** Octets of a message whose size nobody has said, for which room is asked at once. */
const UNKNOWN = 64 * 1024

export interface TransactionParts {
  core: HttpCore
  socket: Socket
  /** For the log. */
  sessionId: string
  principal: Principal
  /** That the login named; null: the one of From. */
  domain: string | null
  /** Octets, as MAIL has it; null: it does not say. */
  size: number | null
  /** MAIL FROM:<>, as bounces have it. */
  nullSender: boolean
  /** Addresses need not be ASCII. */
  international: boolean
  /** For the Received field of the message. */
  arrival: Arrival
  /** Called when the client is too slow and others need its place. */
  giveWay(reason: AnyReason): void
}

export class Transaction {
  /** Each once, in the order of RCPT. */
  readonly recipients = new Set<string>()
  /** RCPT commands so far, those refused included. */
  named = 0
  readonly #parts: TransactionParts
  readonly #admission: Admission
  readonly #visitor: Visitor
  #visit: Visit | undefined
  #recipientOctets = 0
  #recipientsRoom = RECIPIENTS_ROOM

  /** Throws a Fault when there is no room for one more, or the key has sent enough for now. */
  constructor(parts: TransactionParts) {
    const { core, socket, sessionId, principal } = parts
    this.#parts = parts
    this.#admission = core.limit.admission
    this.#visitor = withId({ socket, method: 'SMTP', url: 'DATA' } as Visitor, sessionId)
    core.callers.count(this.#visitor, principal)
    this.#arriving()
  }

  get nullSender(): boolean {
    return this.#parts.nullSender
  }

  get international(): boolean {
    return this.#parts.international
  }

  /** Throws a Fault when there is no room for it. */
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

  /** What the message goes into. Rejects with a Fault when there is no room for it in time. */
  async ready(max: number): Promise<Body> {
    const { size } = this.#parts
    // Who waits for room is not slow.
    if (this.#visit) this.#admission.ended(this.#visit)
    try {
      await this.#admission.reserve(this.#visitor, size ?? UNKNOWN)
    } finally {
      this.#arriving()
    }
    return new Body(size, max, (length) => this.#received(length))
  }

  /** Resolves when the message is durable. Rejects with what it is refused for. */
  async accept({ octets, bareLf }: ArrivedMessage): Promise<Receipt> {
    const { core, principal, domain, arrival } = this.#parts
    await this.#turn()
    const handed = { recipients: [...this.recipients], domain, bareLf, arrival }
    return new Reading(core.deps, messageReader).accept(principal, handed, octets, null)
  }

  /** Nothing is held for it any more. Again is without effect. */
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

  /** The whole message is there: until it may be worked on. */
  #turn(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#visit) this.#admission.arrived(this.#visit, resolve)
      else resolve()
    })
  }
}
