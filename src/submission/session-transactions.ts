/** The transactions of a session, whatever its purpose: one at a time (RFC 5321 3.3). */
import type { AnyReason } from '../ingress/fault.ts'
import type { SessionContext } from './context.ts'
import type { Envelope } from './policy.ts'
import { CommandRefusal, reply } from './reply.ts'
import type { MailTransaction } from './transaction.ts'

export abstract class SessionTransactions<Transaction extends MailTransaction> {
  atMessage = false
  protected readonly context: SessionContext
  #transaction: Transaction | null = null

  constructor(context: SessionContext) {
    this.context = context
  }

  get begun(): boolean {
    return this.#transaction !== null
  }

  get envelope(): Envelope | null {
    return this.#transaction?.envelope ?? null
  }

  reset(): void {
    this.#transaction?.end()
    this.#transaction = null
  }

  protected begin(transaction: Transaction): void {
    this.#transaction = transaction
  }

  /** Throws CommandRefusal in an open transaction. */
  protected assertNone(): void {
    if (this.begun)
      throw new CommandRefusal(reply(503, '5.5.1', 'One message at a time; RSET discards the present one'))
  }

  /** Throws CommandRefusal without an open transaction. */
  protected current(): Transaction {
    if (this.#transaction !== null) return this.#transaction
    throw new CommandRefusal(reply(503, '5.5.1', 'Send MAIL first'))
  }

  /** Ends the session of a client that is too slow while others need its place. */
  protected readonly giveWay = (reason: AnyReason): void => {
    this.context.channel.interrupt(
      new CommandRefusal({ ...this.context.words(reason), code: 421 }, { last: true }),
    )
  }
}
