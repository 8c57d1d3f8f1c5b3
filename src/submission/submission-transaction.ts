/** The transaction of an application: it counts as a request of its company, and its message becomes an email. */
import type { Principal } from '../accounts/account.ts'
import type { Ingress } from '../ingress/ingress.ts'
import { Reading } from '../ingress/reading.ts'
import type { Arrival } from '../mail/header/received.ts'
import { messageReader } from './read-job.ts'
import type { ArrivedMessage } from './receive.ts'
import { MailTransaction, type TransactionParts } from './transaction.ts'

interface SubmissionParts extends Omit<TransactionParts, 'admission' | 'admit'> {
  ingress: Ingress
  principal: Principal
  /** The domain that the login named; null: the domain of From counts. */
  domain: string | null
  /** Addresses need not be ASCII. */
  international: boolean
  /** Written into the message's Received field. */
  arrival: Arrival
}

export class SubmissionTransaction extends MailTransaction {
  readonly #parts: SubmissionParts

  /** Throws a Fault when there is no room for another transaction, or the key has reached its rate limit. */
  constructor(parts: SubmissionParts) {
    const { ingress, principal } = parts
    super({
      ...parts,
      admission: ingress.admission,
      admit: (visitor) => ingress.callers.count(visitor, principal),
    })
    this.#parts = parts
    this.admit()
  }

  get nullSender(): boolean {
    return this.#parts.sender === ''
  }

  get international(): boolean {
    return this.#parts.international
  }

  /** Resolves when the message is durable. Rejects with the error that it is refused with. */
  async accept({ octets, bareLf }: ArrivedMessage): Promise<{ id: string }> {
    const { ingress, principal, domain, arrival } = this.#parts
    await this.turn()
    const handed = { recipients: [...this.recipients], domain, bareLf, arrival }
    return new Reading(ingress.deps, messageReader).accept(principal, handed, octets, null)
  }
}
