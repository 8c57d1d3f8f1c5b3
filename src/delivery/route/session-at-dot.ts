import type { SmtpSession } from '../smtp/session.ts'

/**
 * A session whose message waits for the answer to its final dot. The next delivery may begin on it meanwhile (RFC 2920
 * 3.1).
 */
export class SessionAtDot {
  readonly session: SmtpSession
  /** The key of the session in the pool. */
  readonly key: string
  /** The name of the server. */
  readonly host: string
  /** Resolves when the delivery no longer uses the session. */
  readonly left: Promise<void>
  readonly #leave: () => void
  #isLeft = false

  constructor(session: SmtpSession, key: string, host: string) {
    this.session = session
    this.key = key
    this.host = host
    const { promise, resolve } = Promise.withResolvers<void>()
    this.left = promise
    this.#leave = resolve
  }

  get isLeft(): boolean {
    return this.#isLeft
  }

  leave(): void {
    this.#isLeft = true
    this.#leave()
  }
}
