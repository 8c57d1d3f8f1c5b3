/** Sends the message of one attempt on a session, in as many transactions as its server needs. */
import { failureOfReply, type RouteFailure } from '../outcome.ts'
import type { SmtpSession } from '../smtp/session.ts'
import type { RecipientReply } from '../smtp/transaction.ts'
import type { AttemptEnd } from './attempt-end.ts'
import type { RecipientAnswers } from './recipient-answers.ts'
import type { RouteRequest } from './route.ts'
import type { RouteState } from './route-state.ts'
import { attemptTls, type ServerTarget } from './server.ts'
import { SessionAtDot } from './session-at-dot.ts'
import type { PooledSession } from './session-pool.ts'

export class AttemptTransactions {
  readonly #request: RouteRequest
  readonly #state: RouteState
  readonly #answers: RecipientAnswers
  readonly #end: AttemptEnd
  #session: SmtpSession | null = null
  /** The session that was offered to the next delivery. */
  #atDot: SessionAtDot | null = null

  constructor(request: RouteRequest, state: RouteState, answers: RecipientAnswers, end: AttemptEnd) {
    this.#request = request
    this.#state = state
    this.#answers = answers
    this.#end = end
  }

  /** True while the message waits for the answer to its final dot. */
  get isAtDot(): boolean {
    return this.#session?.isAtDot(this.#request.dialogue) ?? false
  }

  /** Ends the session if its server has owed an answer for that many milliseconds. True: the session was ended. */
  cutIfSilent(silence: number): boolean {
    return this.#session?.cutIfSilent(this.#request.dialogue, silence) ?? false
  }

  /** False when the session turned out to be stale, so that the caller asks the same server again on a new one. */
  async on(pooled: PooledSession, target: ServerTarget, key: string): Promise<boolean> {
    const { sender, envelopeId, message, mayHandOver, handOver = mayHandOver, dialogue } = this.#request
    const { session } = pooled
    const onDot = () => this.#offer(pooled, key, target.host)
    const failureOf = (reply: RecipientReply) => this.#failureOf(reply, session.server)
    let recipients = this.#answers.left
    let refusedAll = false
    this.#session = session
    try {
      for (let first = true; recipients.length > 0; first = false) {
        const addresses = recipients.map(({ address }) => address)
        const replies = await session.send(
          { sender, envelopeId, recipients: addresses, message, mayHandOver, handOver, onDot },
          dialogue,
        )
        if (first && pooled.reused && !this.#end.isCut && wasStale(replies)) {
          const [reply] = replies as [RecipientReply]
          dialogue.note(`The open connection to ${session.server} ${staleness(reply)}; opening another`)
          if (reply.untried === 'lost') this.#state.keepDotsApart(key)
          return false
        }
        this.#answers.talkingTo(session.server, attemptTls(target, session.tls))
        refusedAll = replies.every(({ code = 0 }) => code >= 400 && code < 500)
        const crowded = this.#answers.hear(recipients, replies, failureOf)
        // RFC 5321 4.5.3.1.10: recipients over the server's limit go with the next transaction, as long as each
        // transaction gets some of them through.
        recipients = session.usable && crowded.length < recipients.length ? crowded : []
      }
    } finally {
      this.#session = null
      // A session that refused all recipients for now is not kept: postscreen takes no mail on a connection on which it
      // tests a client.
      this.#state.pool.release(pooled, !refusedAll)
      this.#atDot?.leave()
    }
    if (this.#atDot !== null && this.#answers.left.length > 0) this.#request.onApart?.()
    return true
  }

  #failureOf(reply: RecipientReply, server: string): RouteFailure | null {
    const { replies } = this.#request.delivery.path.terms
    const found = failureOfReply(reply, server, this.#state.route, replies)
    if (found === null || !this.#end.isCut || reply.kind !== 'timeout') return found
    return { ...found, finding: 'unreachable', unreachable: true, asked: server }
  }

  /**
   * Offers the session to the next delivery while this message waits for the answer to its final dot, if the session
   * can take another transaction.
   */
  #offer(pooled: PooledSession, key: string, host: string): void {
    const { onDot, delivery } = this.#request
    if (!delivery.path.terms.envelopeBehindDot) return
    // After a failure, the next delivery would begin with another server.
    if (onDot === undefined || this.#answers.failures.length > 0 || !this.#state.takesNext(pooled, key))
      return
    this.#atDot = new SessionAtDot(pooled.session, key, host)
    onDot(this.#atDot)
  }
}

/** True when the server no longer served the pooled session, which says nothing about the message. */
function wasStale(replies: RecipientReply[]): boolean {
  return replies.every(
    ({ verdict, stage, code }) =>
      verdict === 'deferred' &&
      (stage === 'mail' || stage === 'idle') &&
      (code === undefined || code === 421),
  )
}

/** Completes "The open connection to mx …". */
function staleness({ kind, code }: RecipientReply): string {
  if (kind === 'timeout') return 'gave no answer'
  if (kind === 'protocol') return 'gave a malformed answer'
  return kind === 'reply' && code === undefined ? 'did not take the envelope' : 'was closed meanwhile'
}
