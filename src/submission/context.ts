/** The state that the commands of one session share: the client, the channel, and the replies to errors. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import type { Principal } from '../accounts/account.ts'
import { addressGroup } from '../ingress/admission/address-group.ts'
import type { AnyReason } from '../ingress/fault.ts'
import type { Ingress } from '../ingress/ingress.ts'
import { Channel } from './channel.ts'
import type { FailedLogins } from './failed-logins.ts'
import { InputEndError, InputTimeout, LineError } from './input.ts'
import { CommandRefusal, reply, type SubmissionReply } from './reply.ts'
import type { TrustedProxies } from './trusted-proxies.ts'
import type { SessionTurns } from './turns.ts'
import { smtpWords } from './words.ts'

/** Reasons that a key valid at login may be refused for later. */
const KEY_GONE: ReadonlySet<AnyReason['code']> = new Set(['key_invalid', 'key_expired', 'key_elsewhere'])

/** The parts that all sessions share. */
export interface SessionParts {
  ingress: Ingress
  /** Null: there is no certificate. */
  tls: { readonly context: SecureContext } | null
  /** Name in the greeting. */
  hostname: string
  /** Proxies that may pass on a client's address. */
  proxies: TrustedProxies
  failedLogins: FailedLogins
  turns: SessionTurns
}

/** A logged-in client. */
export interface Login {
  principal: Principal
  /** The given user name, which may contain a domain; '' if mail is accepted without a login. */
  user: string
}

export class SessionContext {
  readonly id = randomUUID()
  readonly parts: SessionParts
  readonly channel: Channel
  /** The logged-in company; null: the client is not logged in, and its address counts instead. */
  party: string | null = null
  /** The replies of this listener. */
  words = smtpWords
  #address: string
  /** The group of the client's address, which has the turns while the client is not logged in. */
  #group: string
  #waiting: AbortController | null = null
  #stopped: CommandRefusal | null = null

  constructor(parts: SessionParts, socket: Socket) {
    this.parts = parts
    this.#address = socket.remoteAddress ?? ''
    this.#group = addressGroup(this.#address)
    this.channel = new Channel(socket, (octets) => parts.turns.take(this.party ?? this.#group, octets))
  }

  /** The client's address; '' when it is unknown. */
  get address(): string {
    return this.#address
  }

  get group(): string {
    return this.#group
  }

  /** Reads the client's address from the proxy's header. Rejects with an error that ends the session. */
  async introduced(): Promise<void> {
    const { ingress, proxies } = this.parts
    this.#address = await proxies.clientOf(this.channel, this.id)
    this.#group = addressGroup(this.#address)
    if (this.#address === '') return
    const room = ingress.admission.connections.comesFrom(this.channel.socket, this.#address)
    if (!room) throw new InputEndError()
  }

  /** Waits this long at most, until the client disconnects or the session is stopped. */
  async wait(ms: number): Promise<void> {
    await this.channel.flush()
    const waiting = new AbortController()
    this.#waiting = waiting
    const timer = setTimeout(() => waiting.abort(), ms)
    await once(this.channel.socket, 'close', { signal: waiting.signal }).catch(() => {})
    clearTimeout(timer)
    this.#waiting = null
  }

  /**
   * The result of the work. Rejects with InputEndError when the client disconnects before, and with the refusal of a
   * stopped session.
   */
  async unlessGone<Result>(work: Promise<Result>): Promise<Result> {
    const waiting = new AbortController()
    this.#waiting = waiting
    const gone = once(this.channel.socket, 'close', { signal: waiting.signal })
      .catch(() => {})
      .then(() => {
        throw this.#stopped ?? new InputEndError()
      })
    try {
      return await Promise.race([work, gone])
    } finally {
      waiting.abort()
      this.#waiting = null
    }
  }

  /** The result of the work. Its signal is aborted, with InputEndError, when the client disconnects. */
  async whileThere<Result>(work: (gone: AbortSignal) => Promise<Result>): Promise<Result> {
    const { socket } = this.channel
    const leaving = new AbortController()
    const leave = () => leaving.abort(new InputEndError())
    if (socket.destroyed) leave()
    socket.once('close', leave)
    try {
      return await work(leaving.signal)
    } finally {
      socket.off('close', leave)
    }
  }

  /** Ends the wait that is under way. Returns the refusal that ends the session (RFC 5321 3.8). */
  stop(): CommandRefusal {
    const text = 'The service is stopping; try again later'
    this.#stopped = new CommandRefusal(reply(421, '4.3.2', text), { last: true })
    this.#waiting?.abort()
    return this.#stopped
  }

  /** Throws the refusal of a stopped session. */
  assertGoesOn(): void {
    if (this.#stopped !== null) throw this.#stopped
  }

  reasonOf(error: unknown): AnyReason {
    return this.parts.ingress.reasons.reasonOf(error, { id: this.id, method: 'SMTP' })
  }

  /**
   * Ends the session if the reason is that its key is no longer valid: the client then keeps its message, and learns
   * about the key at its next login. A 5yz here would concern the message, and bounce it.
   */
  refusedFor(reason: AnyReason, wordsFor = this.words): CommandRefusal {
    const words = wordsFor(reason)
    const keyGone = KEY_GONE.has(reason.code)
    return new CommandRefusal(keyGone ? { ...words, code: 421, enhanced: '4.7.0' } : words, { last: keyGone })
  }

  asRefused(error: unknown, wordsFor = this.words): CommandRefusal {
    return error instanceof CommandRefusal ? error : this.refusedFor(this.reasonOf(error), wordsFor)
  }

  /** The reply to an error that ends the session. Null: the client has disconnected. */
  lastWords(error: unknown): SubmissionReply | null {
    if (error instanceof InputEndError) return null
    if (error instanceof InputTimeout) return reply(421, '4.4.2', 'That took too long')
    if (error instanceof LineError) return reply(500, '5.5.2', `The command cannot be read: ${error.message}`)
    return this.asRefused(error).reply
  }
}

/** Whether an error ends the session, rather than only the command. */
export function endsSession(error: unknown): boolean {
  if (error instanceof CommandRefusal) return error.last
  return error instanceof InputEndError || error instanceof InputTimeout || error instanceof LineError
}
