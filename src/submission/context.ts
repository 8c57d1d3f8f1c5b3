/** What the commands of one session share: whose it is, what it is spoken over, and words for what goes wrong. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import type { Principal } from '../accounts/account.ts'
import { addressGroup } from '../http/admission/address-group.ts'
import type { HttpCore } from '../http/core.ts'
import type { AnyReason } from '../http/fault.ts'
import { Channel } from './channel.ts'
import type { FailedLogins } from './failed-logins.ts'
import { InputEnded, InputTimeout, LineError } from './input.ts'
import type { SubmissionMetrics } from './metrics.ts'
import type { Proxies } from './proxies.ts'
import { Refused, type Reply, reply } from './reply.ts'
import type { SessionTurns } from './turns.ts'
import { smtpWords } from './words.ts'

/** Of a key that was good when it was logged in with. */
const KEY_GONE: ReadonlySet<AnyReason['code']> = new Set(['key_invalid', 'key_expired', 'key_elsewhere'])

/** What all sessions have in common. */
export interface SessionParts {
  core: HttpCore
  /** Null: there is no certificate. */
  tls: { readonly context: SecureContext } | null
  /** Name in the greeting. */
  hostname: string
  /** Who may say for whom they connect. */
  proxies: Proxies
  failedLogins: FailedLogins
  turns: SessionTurns
  metrics: SubmissionMetrics
}

/** Who has logged in. */
export interface Login {
  principal: Principal
  /** The name that was given, which may name a domain. */
  user: string
}

export class SessionContext {
  readonly id = randomUUID()
  readonly parts: SessionParts
  readonly channel: Channel
  /** The company that is logged in; null: nobody is, and the source address counts. */
  party: string | null = null
  #address: string
  #waiting: AbortController | null = null

  constructor(parts: SessionParts, socket: Socket) {
    this.parts = parts
    this.#address = socket.remoteAddress ?? ''
    this.channel = new Channel(socket, (octets) =>
      parts.turns.take(this.party ?? addressGroup(this.#address), octets),
    )
  }

  /** Of the client; '' when it cannot be told. */
  get address(): string {
    return this.#address
  }

  /** A proxy says for whom it has connected. Rejects with what ends the session. */
  async introduced(): Promise<void> {
    const { core, proxies } = this.parts
    this.#address = await proxies.clientOf(this.channel, this.id)
    if (this.#address === '') return
    const room = core.limit.admission.connections.comesFrom(this.channel.socket, this.#address)
    if (!room) throw new InputEnded()
  }

  /** Until the client has gone, or the wait is ended, but no longer than this. */
  async wait(ms: number): Promise<void> {
    await this.channel.flush()
    const waiting = new AbortController()
    this.#waiting = waiting
    const timer = setTimeout(() => waiting.abort(), ms)
    await once(this.channel.socket, 'close', { signal: waiting.signal }).catch(() => {})
    clearTimeout(timer)
    this.#waiting = null
  }

  /** What it comes to. Rejects with InputEnded when the client has gone before, or the wait is ended. */
  async unlessGone<Result>(work: Promise<Result>): Promise<Result> {
    const waiting = new AbortController()
    this.#waiting = waiting
    const gone = once(this.channel.socket, 'close', { signal: waiting.signal })
      .catch(() => {})
      .then(() => {
        throw new InputEnded()
      })
    try {
      return await Promise.race([work, gone])
    } finally {
      waiting.abort()
      this.#waiting = null
    }
  }

  endWait(): void {
    this.#waiting?.abort()
  }

  reasonOf(error: unknown): AnyReason {
    return this.parts.core.answers.reasonOf(error, { id: this.id, method: 'SMTP' })
  }

  /**
   * Ends the session where the key that was logged in with counts no more: a client keeps its message then, and hears
   * of the key when it logs in again. A 5yz here would be about the message, and bounce it.
   */
  refusedFor(reason: AnyReason, wordsFor = smtpWords): Refused {
    const words = wordsFor(reason)
    const keyGone = KEY_GONE.has(reason.code)
    return new Refused(keyGone ? { ...words, code: 421, enhanced: '4.7.0' } : words, { last: keyGone })
  }

  asRefused(error: unknown, wordsFor = smtpWords): Refused {
    return error instanceof Refused ? error : this.refusedFor(this.reasonOf(error), wordsFor)
  }

  /** What is said to what ends the session. Null: nobody is there to hear it. */
  lastWords(error: unknown): Reply | null {
    if (error instanceof InputEnded) return null
    if (error instanceof InputTimeout) return reply(421, '4.4.2', 'That took too long')
    if (error instanceof LineError) return reply(500, '5.5.2', `This cannot be read: ${error.message}`)
    return this.asRefused(error).reply
  }
}

/** True for what ends the session, and not a command alone. */
export function endsSession(error: unknown): boolean {
  if (error instanceof Refused) return error.last
  return error instanceof InputEnded || error instanceof InputTimeout || error instanceof LineError
}
