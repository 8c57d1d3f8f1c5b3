/**
 * Returned mail that the programs of a company hand in over HTTP. It shares one pace with mail that arrives over SMTP,
 * and companies take turns. A program is turned away after a short wait, because each waiting request takes a place
 * that its company needs for sending.
 */
import { Tally } from '../common/tally.ts'
import type { ArrivedMail, ReceivedMail, ReceiveMail } from './arrived-mail.ts'
import type { ReturnedMailPace } from './pace.ts'

/** The most mails of one company that may wait or be read. */
const MAX_UNDER_WAY = 100
/** Ms that a mail waits for its turn. */
const PATIENCE = 5_000
/** Seconds after which a program that got no turn may try again. */
const RETRY_AFTER = 5

/** A mail did not get its turn in time, or its company has too many under way. */
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

  /** Requests that hand in mail. They do not count as sending, for which returned mail waits. */
  get underWay(): number {
    return this.#underWay
  }

  /**
   * Waits for a turn, then calls `read` and receives its mail. Rejects with TooManyHandedIn if no turn comes in time,
   * and with the reason of `gone` if that is aborted first.
   */
  async receive(
    companyId: string,
    gone: AbortSignal,
    read: () => Promise<ArrivedMail>,
  ): Promise<ReceivedMail> {
    if (this.#companies.of(companyId) >= MAX_UNDER_WAY) throw new TooManyHandedIn()
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
