/**
 * A session with an SMTP server (RFC 5321): opened once, used for one transaction after the other. The envelope of the
 * next one may be written behind the final dot of the one before (RFC 2920 3.1).
 *
 * ```
 * const session = await openSession(target, dialogue)
 * const replies = await session.send(transaction, dialogue)
 * await session.quit()
 * ```
 */
import { SmtpConnection } from './connection.ts'
import type { Dialogue } from './dialogue.ts'
import type { Extensions } from './extensions.ts'
import { type Fallback, firstConnection } from './first-connection.ts'
import { open } from './opening.ts'
import type { SmtpTarget } from './target.ts'
import type { TlsOutcome } from './tls.ts'
import { Transfer } from './transact.ts'
import type { RecipientReply, Transaction } from './transaction.ts'

/**
 * Connects and gets ready for MAIL: greeting, EHLO or HELO, TLS by policy, AUTH. Rejects with SmtpError; nothing stays
 * open then. Aborting the signal ends the attempt at once (kind `closed`). With a fallback, the session is with
 * whichever of the two addresses accepts a connection first.
 */
export async function openSession(
  target: SmtpTarget,
  dialogue: Dialogue,
  signal?: AbortSignal,
  fallback: Fallback | null = null,
): Promise<SmtpSession> {
  if (!/^[\u0021-\u007e]{1,255}$/.test(target.helo)) {
    throw new TypeError(`EHLO name must be printable ASCII without spaces: ${JSON.stringify(target.helo)}`)
  }
  const begun: SmtpConnection[] = []
  const begin = (to: SmtpTarget) => {
    const connection = new SmtpConnection(to, dialogue)
    begun.push(connection)
    if (signal?.aborted) connection.destroy()
    connection.deadline.limit(connection.timeouts.opening)
    return connection
  }
  const abandon = () => {
    for (const connection of begun) connection.destroy()
  }
  signal?.addEventListener('abort', abandon, { once: true })
  const connection =
    fallback === null ? begin(target) : await firstConnection(target, fallback, begin, dialogue)
  try {
    const extensions = await open(connection, target)
    return new SmtpSession(connection, extensions)
  } catch (error) {
    // RFC 5321 3.8, 4.1.1.10: QUIT is sent also to a server that refuses us. Its answer is not waited for.
    if (connection.failure === null) void connection.quit()
    else connection.destroy()
    throw error
  } finally {
    signal?.removeEventListener('abort', abandon)
    connection.deadline.liftLimit()
  }
}

/**
 * Milliseconds of a round trip from which the next envelope is written behind the dot. Below it there is nothing to
 * gain.
 */
const FAR_MS = 5
/**
 * A server that took longer to answer its last final dot gets no envelope behind the next one. One round trip less
 * would hardly matter there, and the delivery could wait while another session becomes free.
 */
const QUICK_DOT_MS = 1_000

/** Completes the sentence that begins with the server. */
export function cutShortText(ms: number): string {
  return `gave no answer within ${ms / 1_000} seconds, and the session was needed for other mail`
}

/** A transaction that has its turn, or waits for it. */
interface Turn {
  dialogue: Dialogue
  /** Called when no other transaction is under way any more. */
  begin(): void
}

export class SmtpSession {
  readonly extensions: Extensions
  /** `mx.x.test [192.0.2.1]:25` */
  readonly server: string
  readonly address: string
  /**
   * The TLS of the session; null: it is not encrypted. Opportunistic TLS accepts any certificate, so only a session
   * with `verified` may be shown as verified.
   */
  readonly tls: TlsOutcome | null
  /**
   * Called when the server ends the session while nothing is under way (421, FIN, RST), so that a pool drops it at
   * once. Not called when we end the session ourselves.
   */
  onIdleEnd: (() => void) | null = null
  #connection: SmtpConnection
  /** The transaction under way, and the one that is sent behind its final dot. */
  #current: Turn | null = null
  #next: Turn | null = null
  /** True: the transaction under way waits for the answer to its final dot. */
  #isAtDot = false
  #quitting = false
  #resetFirst = false
  #transactions = 0

  constructor(connection: SmtpConnection, extensions: Extensions) {
    this.#connection = connection
    this.extensions = extensions
    this.server = connection.server
    this.address = connection.address
    this.tls = connection.tls
    connection.onEnd = () => {
      if (this.#current === null && !this.#quitting) this.onIdleEnd?.()
    }
    connection.rest()
  }

  /** True when another transaction may start now, and none is under way. */
  get usable(): boolean {
    return this.#current === null && !this.#quitting && this.#connection.failure === null
  }

  /** True when another transaction may start now, behind the final dot of the one under way. */
  get takesNext(): boolean {
    if (!this.#isAtDot || this.#next !== null || !this.extensions.pipelining) return false
    return this.#connection.failure === null
  }

  /** True when it saves time to start a transaction behind the final dot of another one. */
  get gainsByNext(): boolean {
    const { roundTrip, dotAnswered } = this.#connection
    return roundTrip >= FAR_MS && dotAnswered <= QUICK_DOT_MS
  }

  /**
   * Transactions started so far. A `deferred` without a code at stage `mail` on a used session mostly means that the
   * server hung up while it was idle.
   */
  get transactions(): number {
    return this.#transactions
  }

  /**
   * Carries out one transaction, and resolves to a reply for each recipient, in order. Never rejects because of the
   * server; it rejects when `transaction.message` does. Afterwards `usable` tells whether the session may go on. While
   * `takesNext`, it starts behind the one under way.
   */
  async send(transaction: Transaction, dialogue: Dialogue): Promise<RecipientReply[]> {
    const isBehind = this.#current !== null
    if (isBehind && !this.takesNext) throw new Error('An SMTP session carries one transaction at a time')
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const turn: Turn = { dialogue, begin }
    if (isBehind) this.#next = turn
    else this.#begin(turn)
    this.#transactions++
    const connection = this.#connection
    const transfer = new Transfer(connection, this.extensions, transaction, { dialogue, begun })
    try {
      const replies = await transfer.run(isBehind ? 'behind' : this.#resetFirst ? 'reset' : 'clear', () => {
        this.#isAtDot = true
      })
      this.#resetFirst = transfer.leftOpen
      return replies
    } catch (error) {
      // The caller's code threw. If it was in the middle of a transaction, the state of the server is unknown.
      if (transfer.begun) connection.destroy()
      throw error
    } finally {
      this.#ended(turn)
    }
  }

  /** True while the transaction with this dialogue waits for the answer to its final dot. */
  isAtDot(dialogue: Dialogue): boolean {
    return this.#isAtDot && this.#current?.dialogue === dialogue
  }

  /**
   * Ends the session if the transaction with this dialogue is under way, and has waited for an answer for `ms` before
   * its final dot: behind the dot the server may have the message. False otherwise, and while the message is sent.
   */
  cutIfSilent(dialogue: Dialogue, ms: number): boolean {
    const { deadline, isAwaiting } = this.#connection
    if (this.#current?.dialogue !== dialogue || this.#isAtDot) return false
    if (!isAwaiting || deadline.runsFor < ms) return false
    this.#connection.fail('timeout', cutShortText(ms))
    return true
  }

  #begin(turn: Turn): void {
    this.#current = turn
    this.#connection.dialogue = turn.dialogue
    turn.dialogue.connection = this.#connection
    this.#connection.deadline.limit(this.#connection.timeouts.transaction)
    turn.begin()
  }

  #ended(turn: Turn): void {
    const next = this.#next
    this.#next = null
    // The transaction was given up before any of it was sent, and the earlier one is still under way.
    if (turn === next) return
    this.#isAtDot = false
    this.#current = null
    turn.dialogue.connection = null
    this.#connection.deadline.liftLimit()
    this.#connection.rest(next?.dialogue)
    if (next !== null) this.#begin(next)
  }

  /**
   * Sends QUIT and waits for the answer or the end of the connection, whichever comes first, a few seconds at most.
   * Never rejects.
   */
  async quit(): Promise<void> {
    this.#connection.onEnd = null
    if (!this.usable) {
      this.destroy()
      return
    }
    this.#quitting = true
    await this.#connection.quit()
  }

  /**
   * Ends the connection at once. A transaction under way ends as if the server had hung up; behind its final dot, as
   * `stopped`.
   */
  destroy(): void {
    this.#connection.onEnd = null
    this.#connection.destroy()
  }
}
