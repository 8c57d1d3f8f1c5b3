/** The answers that one attempt has so far, for each of its recipients. */
import type { AttemptTls } from '../../email/attempt-tls.ts'
import type { DeliveryRecipient, RecipientOutcome } from '../delivery.ts'
import { CONSEQUENCES, isTrouble } from '../judge/finding.ts'
import {
  asTemporary,
  decisiveFailure,
  outcomeOfFailure,
  outcomeOfReply,
  type RouteFailure,
} from '../outcome.ts'
import type { RecipientReply } from '../smtp/transaction.ts'

interface AttemptAnswers {
  outcomes: RecipientOutcome[]
  server: string | null
  tls: AttemptTls | null
  /** The trouble that is reported to the queue; null: there was none. */
  pathTrouble: RouteFailure | null
}

export class RecipientAnswers {
  readonly #pinned: boolean
  #left: DeliveryRecipient[]
  #settled: RecipientOutcome[] = []
  /** Failures so far: some concern all recipients that were left at the time, others single recipients by position. */
  readonly #failures: RouteFailure[] = []
  readonly #ofRecipient = new Map<number, RouteFailure[]>()
  #server: string | null = null
  #tls: AttemptTls | null = null

  /** `pinned`: no other server may be asked, so a refusal here is not taken as final. */
  constructor(recipients: DeliveryRecipient[], pinned: boolean) {
    this.#left = recipients
    this.#pinned = pinned
  }

  /** Recipients without a final answer. */
  get left(): DeliveryRecipient[] {
    return this.#left
  }

  get settled(): readonly RecipientOutcome[] {
    return this.#settled
  }

  /** The failures so far; none when the first server took the mail. */
  get failures(): RouteFailure[] {
    return [...this.#failures, ...[...this.#ofRecipient.values()].flat()]
  }

  /** The server that the next answers come from. The recipients settled so far had theirs from an earlier one. */
  talkingTo(server: string, tls: AttemptTls): void {
    if (this.#server !== null && server !== this.#server) {
      for (const outcome of this.#settled) {
        if (outcome.tls === undefined) outcome.tls = this.#tls
        outcome.server ??= this.#server
      }
    }
    this.#server = server
    this.#tls = tls
  }

  /** Encryption that failed. Once a transaction has begun, that of its session is reported. */
  withoutSession(tls: AttemptTls): void {
    if (this.#server === null) this.#tls = tls
  }

  /** Returns the recipients that were over the server's limit for this transaction. */
  hear(
    recipients: DeliveryRecipient[],
    replies: RecipientReply[],
    failureOf: (reply: RecipientReply) => RouteFailure | null,
  ): DeliveryRecipient[] {
    const settled: RecipientOutcome[] = []
    const crowded: DeliveryRecipient[] = []
    for (const [index, recipient] of recipients.entries()) {
      const { position } = recipient
      const reply = replies[index]
      if (reply === undefined) throw new Error(`No reply for recipient ${index} of ${recipients.length}`)
      const failure = failureOf(reply)
      if (failure === null) settled.push(outcomeOfReply(position, reply))
      else if (!CONSEQUENCES[failure.finding].asksNext) settled.push(outcomeOfFailure(position, failure))
      else {
        if (failure.finding === 'crowded') crowded.push(recipient)
        const others = this.#ofRecipient.get(position)
        if (others === undefined) this.#ofRecipient.set(position, [failure])
        else others.push(failure)
      }
    }
    this.settle(settled)
    return crowded
  }

  settle(outcomes: RecipientOutcome[]): void {
    if (outcomes.length === this.#left.length && this.#settled.length === 0) {
      // All recipients at once, the usual case.
      this.#settled = outcomes
      this.#left = []
      return
    }
    const positions = new Set(outcomes.map(({ position }) => position))
    this.#settled.push(...outcomes)
    this.#left = this.#left.filter(({ position }) => !positions.has(position))
  }

  /** A failure of all recipients that are left. */
  failAll(failure: RouteFailure): void {
    this.#failures.push(failure)
  }

  /** `asked`: host, address and port. */
  failUnreachable(
    asked: string,
    enhancedCode: string,
    message: string,
    why: Pick<RouteFailure, 'noWayOut'> = {},
  ): void {
    this.failAll({ finding: 'unreachable', enhancedCode, message, unreachable: true, asked, ...why })
  }

  /** Recipients without an answer that stands get the most telling of theirs. */
  result(): AttemptAnswers {
    const decisive = this.#left.map(({ position }) => this.#decisive(position))
    const left = this.#left.map(({ position }, index) => outcomeOfFailure(position, decisive[index]!))
    const pathTrouble =
      decisive.find(({ finding, unreachable }) => isTrouble(finding) || unreachable) ??
      this.failures.find(({ finding }) => finding === 'busy') ??
      null
    const outcomes = left.length === 0 ? this.#settled : [...this.#settled, ...left]
    return { outcomes, server: this.#server, tls: this.#tls, pathTrouble }
  }

  /** The failure that decides about a recipient that is left. */
  #decisive(position: number): RouteFailure {
    const failure = decisiveFailure([...(this.#ofRecipient.get(position) ?? []), ...this.#failures])
    return this.#pinned ? asTemporary(failure) : failure
  }
}
