/**
 * Mail that programs hand in, in requests of their companies. It keeps the pace of mail that comes back, together with
 * the mail of the listener, and companies take turns. A program is told to come again sooner than a mail server would
 * be: what waits takes up requests that the company needs to send.
 */
import { Tally } from '../common/tally.ts'
import type { ArrivedMail, ReceivedMail, ReceiveMail } from './arrived-mail.ts'
import type { ReturnedMailPace } from './pace.ts'

/** Mails of one company that may wait or be read at once. */
const MOST_UNDER_WAY = 100
/** Ms that a mail waits for its turn. */
const PATIENCE = 5_000
/** Seconds after which a program that got no turn may try again. */
const RETRY_AFTER = 5

/** The turn of a mail did not come in time, or too many of its company are under way. */
export class TooManyHandedIn extends Error {
  override name = 'TooManyHandedIn'
  readonly retryAfter = RETRY_AFTER
}

export class HandedInMail {
  readonly #receive: ReceiveMail
  readonly #pace: ReturnedMailPace
  readonly #patience: number
  readonly #companies = new Tally()
  #underWay = 0

  /** `patience`: ms that a mail waits. */
  constructor(receive: ReceiveMail, pace: ReturnedMailPace, patience = PATIENCE) {
    this.#receive = receive
    this.#pace = pace
    this.#patience = patience
  }

  /** Requests that hand in a mail: they are no sending that other mail would have to wait for. */
  get underWay(): number {
    return this.#underWay
  }

  /**
   * Receives the mail that `read` resolves to, which is called at its turn. Rejects with TooManyHandedIn when that does
   * not come in time, and with the reason of `gone` when that is aborted before.
   */
  async receive(
    companyId: string,
    gone: AbortSignal,
    read: () => Promise<ArrivedMail>,
  ): Promise<ReceivedMail> {
    if (this.#companies.of(companyId) >= MOST_UNDER_WAY) throw new TooManyHandedIn()
    this.#companies.add(companyId, 1)
    this.#underWay++
    try {
      await this.#turn(companyId, gone)
      return await this.#receive(await read())
    } finally {
      this.#companies.add(companyId, -1)
      this.#underWay--
    }
  }

  async #turn(companyId: string, gone: AbortSignal): Promise<void> {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(new TooManyHandedIn()), this.#patience)
    try {
      await this.#pace.turn(companyId, AbortSignal.any([gone, late.signal]))
    } finally {
      clearTimeout(timer)
    }
  }
}
