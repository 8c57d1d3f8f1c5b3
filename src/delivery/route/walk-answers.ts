/** The answers that one attempt has so far, for each of its recipients. */
import type { AttemptTls } from '../../email/attempt-tls.ts'
import { notAttempted } from '../../email/not-attempted.ts'
import type { TlsSession } from '../../mail/domain-report/tls-report.ts'
import type { DeliveryRecipient, RecipientOutcome } from '../delivery.ts'
import { CONSEQUENCES, hinders } from '../judge/finding.ts'
import {
  asTemporary,
  failureOfReply,
  mostTelling,
  outcomeOfFailure,
  outcomeOfReply,
  type RouteFailure,
  releasedOutcome,
} from '../outcome.ts'
import type { ReplyRule } from '../sites/site-block.ts'
import type { RecipientReply } from '../smtp/transaction.ts'
import { reportOf } from './hindrance-report.ts'
import type { RouteRequest, RouteResult } from './route.ts'
import type { RouteState } from './route-state.ts'
import { attemptTls, type ServerTarget } from './server.ts'
import type { PooledSession } from './session-pool.ts'

/**
 * The number of servers that may refuse this service before no other server of the site is tried (Postfix tries two as
 * well).
 */
export const MOST_REFUSING = 2

export class WalkAnswers {
  protected readonly state: RouteState
  protected readonly request: RouteRequest
  protected readonly deadline: number
  readonly #pinned: boolean
  /** Recipients without a final answer. */
  protected left: DeliveryRecipient[]
  protected settled: RecipientOutcome[] = []
  /** Failures so far: some concern all recipients that were left at the time, others single recipients by position. */
  readonly #failures: RouteFailure[] = []
  readonly #ofRecipient = new Map<number, RouteFailure[]>()
  /** Unix ms: when the first of the skipped hosts is asked again. */
  protected notBefore = Number.POSITIVE_INFINITY
  readonly #sessions: TlsSession[] = []
  protected server: string | null = null
  protected tls: AttemptTls | null = null
  /** The attempt was cut short, because other mail needs the session: no further server is asked. */
  protected isCut = false

  /** `pinned`: no other server may be asked, so a refusal here is not taken as final. */
  constructor(request: RouteRequest, state: RouteState, pinned = false) {
    this.state = state
    this.#pinned = pinned
    this.request = request
    this.left = request.delivery.recipients
    this.deadline = performance.now() + state.limits.attempt
  }

  /**
   * The servers of a site share its rules, so after two refusals of this service there is no use in trying more of
   * them.
   */
  protected isRefused(): boolean {
    const refusing = this.failures.filter(({ finding }) => finding === 'busy' || finding === 'path')
    if (new Set(refusing.map(({ server }) => server)).size < MOST_REFUSING) return false
    this.request.dialogue.note('no further servers are tried: two of them refuse this service')
    return true
  }

  /** The failures so far; none when the first server took the mail. */
  get failures(): RouteFailure[] {
    return [...this.#failures, ...[...this.#ofRecipient.values()].flat()]
  }

  protected get replies(): readonly ReplyRule[] {
    return this.request.delivery.path.terms.replies
  }

  /** The failure that decides about a recipient that is left. */
  protected decisive(position: number): RouteFailure {
    const failure = mostTelling([...(this.#ofRecipient.get(position) ?? []), ...this.#failures])
    return this.#pinned ? asTemporary(failure) : failure
  }

  /** Returns false, and releases the remaining recipients, when nothing may be handed over any more. */
  protected mayGoOn(): boolean {
    const { mayHandOver, stopping } = this.request
    if (mayHandOver() && !stopping.aborted) return true
    const why = stopping.aborted
      ? notAttempted('the service is stopping')
      : notAttempted('the lease had expired')
    this.settle(this.left.map(({ position }) => releasedOutcome(position, why)))
    return false
  }

  protected count(session: TlsSession | null): void {
    if (session !== null) this.#sessions.push(session)
  }

  /** The result for the queue: recipients without an answer that stands get the most telling of theirs. */
  protected result(): RouteResult {
    const decisive = this.left.map(({ position }) => this.decisive(position))
    const left = this.left.map(({ position }, index) => outcomeOfFailure(position, decisive[index]!))
    const result: RouteResult = {
      outcomes: left.length === 0 ? this.settled : [...this.settled, ...left],
      server: this.server,
      tls: this.tls,
    }
    if (this.#sessions.length > 0) result.tlsSessions = this.#sessions
    const hindrance =
      decisive.find(({ finding, unreachable }) => hinders(finding) || unreachable) ??
      this.failures.find(isBusy)
    if (hindrance !== undefined) result.hindrance = reportOf(hindrance)
    const wasSpared = hindrance?.finding === 'unreachable' && !this.isCut
    if (wasSpared && this.notBefore < Number.POSITIVE_INFINITY) result.notBefore = this.notBefore
    return result
  }

  /** The recipients settled so far had their answer from an earlier server. */
  protected talkingTo({ server, tls }: PooledSession['session'], target: ServerTarget): void {
    if (this.server !== null && server !== this.server) {
      for (const outcome of this.settled) {
        if (outcome.tls === undefined) outcome.tls = this.tls
        outcome.server ??= this.server
      }
    }
    this.server = server
    this.tls = attemptTls(target, tls)
  }

  /** Returns the recipients that were over the server's limit for this transaction. */
  protected hear(
    recipients: DeliveryRecipient[],
    replies: RecipientReply[],
    server: string,
  ): DeliveryRecipient[] {
    const settled: RecipientOutcome[] = []
    const crowded: DeliveryRecipient[] = []
    for (const [index, recipient] of recipients.entries()) {
      const { position } = recipient
      const reply = replies[index]
      if (reply === undefined) throw new Error(`No reply for recipient ${index} of ${recipients.length}`)
      const found = failureOfReply(reply, server, this.state.route, this.replies)
      const isCut = this.isCut && reply.kind === 'timeout'
      const cut = { finding: 'unreachable', unreachable: true, asked: server } as const
      const failure: RouteFailure | null = found && isCut ? { ...found, ...cut } : found
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

  protected settle(outcomes: RecipientOutcome[]): void {
    if (outcomes.length === this.left.length && this.settled.length === 0) {
      // All recipients at once, the usual case.
      this.settled = outcomes
      this.left = []
      return
    }
    const positions = new Set(outcomes.map(({ position }) => position))
    this.settled.push(...outcomes)
    this.left = this.left.filter(({ position }) => !positions.has(position))
  }

  protected failUnreachable(asked: string, enhancedCode: string, message: string): void {
    this.failAll({ finding: 'unreachable', enhancedCode, message, unreachable: true, asked })
  }

  protected failAll(failure: RouteFailure): void {
    this.#failures.push(failure)
  }
}

function isBusy({ finding }: RouteFailure): boolean {
  return finding === 'busy'
}
