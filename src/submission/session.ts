/** One client connection (RFC 5321, RFC 6409): its commands, one at a time, and the replies. */
import type { Socket } from 'node:net'
import { clip } from '../common/clip.ts'
import { presentWork } from '../common/present-work.ts'
import type { SmtpListener } from '../config/settings.ts'
import { addressGroup } from '../ingress/admission/address-group.ts'
import { REFUSAL_DELAY_MS } from '../ingress/fault.ts'
import { isLoopback } from '../network/private-address.ts'
import { type Command, readCommand } from './command.ts'
import { endsSession, type Login, SessionContext, type SessionParts } from './context.ts'
import { InputEndError } from './input.ts'
import { logCommand } from './logged-command.ts'
import { MECHANISMS } from './login.ts'
import type { MailPolicy, MailTransactions, SessionWork } from './policy.ts'
import { CommandRefusal, reply, type SubmissionReply } from './reply.ts'

/** Ms for the next line of a logged-in client (RFC 5321 4.5.3.2.7). */
const IDLE = 300_000
/** Useless commands in a row that end a session. */
const MAX_USELESS = 100

const OK = reply(250, '2.0.0', 'Ok')

/** Commands that make progress towards a message. */
const USEFUL = new Set(['AUTH', 'RCPT', 'DATA'])
/** MAIL counts as neither useful nor useless: the command after it shows which. */
const NEITHER = new Set(['MAIL'])
/** Commands whose refusals are logged for the company. */
const HANDING_IN = new Set(['MAIL', 'RCPT', 'DATA'])

export class SmtpServerSession {
  readonly #context: SessionContext
  readonly #listener: SmtpListener
  readonly #policy: MailPolicy
  readonly #work: SessionWork
  #secure = false
  #helo = false
  #login: Login | null = null
  #useless = 0

  constructor(parts: SessionParts, policy: MailPolicy, listener: SmtpListener, socket: Socket) {
    this.#context = new SessionContext(parts, socket)
    this.#listener = listener
    this.#policy = policy
    this.#work = policy.begin(this.#context, listener)
  }

  /** Resolves when the session is over. */
  async run(): Promise<void> {
    const { channel, parts } = this.#context
    try {
      await this.#begin()
      channel.say(reply(220, null, `${parts.hostname} ESMTP Postroad`))
      for (;;) {
        this.#context.assertGoesOn()
        const line = await channel.line(this.#login === null ? this.#work.idle() : IDLE)
        presentWork.on(describeSession, this.#context)
        const answer = await this.#answer(line)
        if (answer !== null) channel.say(answer)
      }
    } catch (error) {
      const last = this.#context.lastWords(error)
      if (last !== null) channel.say(last)
      channel.leave()
    } finally {
      this.#transactions.reset()
    }
  }

  async #begin(): Promise<void> {
    const { implicitTls, proxied } = this.#listener
    const { channel, parts } = this.#context
    try {
      if (proxied) await this.#context.introduced()
      if (!implicitTls) return
      // Without a proxy, the handshake was counted when the connection was opened.
      if (proxied && !parts.ingress.admission.connections.shakes(channel.socket)) throw new InputEndError()
      await this.#encrypt()
    } catch (error) {
      // A client that expects TLS cannot read a plain-text reply.
      throw implicitTls && !this.#secure ? new InputEndError() : error
    }
  }

  /** Ends the session, after the reply to a message that is under way. */
  dismiss(): void {
    const { channel } = this.#context
    const refusal = this.#context.stop()
    if (channel.waiting && !this.#transactions.atMessage) channel.interrupt(refusal)
  }

  cut(): void {
    this.#context.channel.socket.destroy()
  }

  /** Null: there is no reply. */
  async #answer(line: Buffer): Promise<SubmissionReply | null> {
    const startedAt = performance.now()
    let command: Command | null = null
    try {
      command = readCommand(line)
      const answered = this.#execute(command)
      const answer = answered instanceof Promise ? await answered : answered
      if (USEFUL.has(command.verb)) this.#useless = 0
      else if (!NEITHER.has(command.verb)) this.#wasUseless()
      return answer
    } catch (error) {
      if (endsSession(error)) throw error
      this.#wasUseless()
      if (error instanceof CommandRefusal) {
        this.#logRefusal(command, error.reply, startedAt)
        return error.reply
      }
      const reason = this.#context.reasonOf(error)
      // A delay keeps the client from retrying at once.
      if (reason.code === 'too_much_under_way' && !this.#transactions.begun)
        await this.#context.wait(REFUSAL_DELAY_MS)
      const refused = this.#context.refusedFor(reason)
      this.#logRefusal(command, refused.reply, startedAt)
      if (refused.last) throw refused
      return refused.reply
    }
  }

  /** Logs the refusal of a command that hands in mail. Other commands may contain a password. */
  #logRefusal(command: Command | null, reply: SubmissionReply, startedAt: number): void {
    const login = this.#login
    if (command === null || login === null || !HANDING_IN.has(command.verb)) return
    const { requestLog } = this.#context.parts.ingress
    const { verb, rest } = command
    const fields = { command: `${verb} ${rest}`, ...this.#transactions.envelope }
    logCommand(requestLog, login.principal, verb, reply, fields, startedAt)
  }

  /** Ends the session after too many useless commands in a row. */
  #wasUseless(): void {
    if (++this.#useless <= MAX_USELESS) return
    throw new CommandRefusal(reply(421, '4.7.0', 'Too many commands without effect'), { last: true })
  }

  /** Runs a command. Throws CommandRefusal, or another error that refuses the command. */
  #execute(command: Command): SubmissionReply | Promise<SubmissionReply | null> {
    const { verb, rest } = command
    switch (verb) {
      case 'EHLO':
      case 'HELO':
        return this.#hello(command)
      case 'STARTTLS':
        return this.#startTls(rest)
      case 'AUTH':
        return this.#auth(rest)
      case 'MAIL':
        this.#assertHello()
        this.#loginIfNeeded()
        return this.#transactions.mail(rest, this.#login)
      case 'RCPT':
        this.#loginIfNeeded()
        return this.#transactions.rcpt(rest)
      case 'DATA':
        return this.#transactions.data(rest, this.#login)
      case 'RSET':
        this.#transactions.reset()
        return OK
      case 'NOOP':
        return OK
      case 'HELP':
        return reply(214, '2.0.0', this.#policy.help(this.#listener))
      case 'VRFY':
        return reply(252, '2.0.0', 'Addresses cannot be verified before mail is sent to them')
      case 'QUIT':
        throw new CommandRefusal(reply(221, '2.0.0', 'Bye'), { last: true })
      case 'BDAT': {
        // RFC 3030 2: octets of a message follow, which must not be run as commands.
        const text = 'Send messages with DATA; BDAT is not supported'
        throw new CommandRefusal(reply(502, '5.5.1', text), { last: true })
      }
      // A browser that was tricked into this request sends HTTP, and none of its lines may run as SMTP commands.
      case 'GET':
      case 'POST':
      case 'PUT':
      case 'CONNECT':
        throw new CommandRefusal(reply(421, '4.7.0', 'This is SMTP, not HTTP'), { last: true })
      default:
        throw new CommandRefusal(reply(500, '5.5.1', `Unknown command ${clip(verb, 40)}`))
    }
  }

  get #transactions(): MailTransactions {
    return this.#work.transactions
  }

  #loginIfNeeded(): void {
    this.#login ??= this.#work.logins?.keyless() ?? null
  }

  #assertHello(): void {
    if (!this.#helo) throw new CommandRefusal(reply(503, '5.5.1', 'Send EHLO first'))
  }

  #hello({ verb, rest }: Command): SubmissionReply {
    if (rest === '' || /\s/.test(rest))
      throw new CommandRefusal(reply(501, '5.5.4', `${verb} requires one name`))
    this.#transactions.reset()
    this.#helo = true
    const { hostname } = this.#context.parts
    if (verb === 'HELO') return reply(250, null, hostname)
    const { maxSize } = this.#policy
    const extensions = ['PIPELINING', `SIZE ${maxSize}`, '8BITMIME', 'SMTPUTF8', 'ENHANCEDSTATUSCODES']
    if (this.#offersTls) extensions.push('STARTTLS')
    if (this.#login === null && this.#mayLogIn) extensions.push(`AUTH ${MECHANISMS.join(' ')}`)
    return reply(250, null, [`${hostname} at your service`, ...extensions])
  }

  /**
   * False where no login is needed: programs use STARTTLS wherever it is offered, and would fail because no certificate
   * names 127.0.0.1.
   */
  get #offersTls(): boolean {
    return this.#context.parts.tls !== null && !this.#secure && !this.#listener.withoutLogin
  }

  /** RFC 4954 4: no credentials over an unencrypted connection. */
  get #mayLogIn(): boolean {
    if (this.#work.logins === null) return false
    const { clearLogin, withoutLogin } = this.#listener
    return this.#secure || clearLogin || withoutLogin || isLoopback(this.#context.address)
  }

  async #startTls(rest: string): Promise<null> {
    if (rest !== '') throw new CommandRefusal(reply(501, '5.5.4', 'STARTTLS takes no parameters'))
    if (!this.#offersTls) {
      const why = this.#secure
        ? 'This connection is already encrypted'
        : this.#listener.withoutLogin
          ? 'There is no TLS at this address; turn it off in the application'
          : 'This service has no certificate; turn TLS off in the application, or set POSTROAD_TLS_CERT'
      throw new CommandRefusal(reply(503, '5.5.1', why))
    }
    const { channel, parts } = this.#context
    // RFC 3207 4.2: otherwise plain-text input after STARTTLS would run as if it had arrived encrypted.
    if (channel.more) {
      const text = 'Nothing may follow STARTTLS until the connection is encrypted'
      throw new CommandRefusal(reply(554, '5.5.1', text), { last: true })
    }
    if (!parts.ingress.admission.connections.shakes(channel.socket)) {
      throw new CommandRefusal(
        reply(454, '4.7.0', 'There are too many TLS handshakes at once; try again later'),
      )
    }
    channel.say(reply(220, '2.0.0', 'Go ahead'))
    await channel.flush()
    await this.#encrypt()
    // RFC 3207 4.2: the state from before TLS is discarded.
    this.#transactions.reset()
    this.#helo = false
    this.#login = null
    this.#context.party = null
    return null
  }

  async #encrypt(): Promise<void> {
    const { channel, parts } = this.#context
    const { connections } = parts.ingress.admission
    const party = addressGroup(this.#context.address)
    await channel.encrypt(parts.tls!.context, party, (socket, begin) => connections.handshake(socket, begin))
    connections.secured(channel.socket)
    this.#secure = true
    this.#context.assertGoesOn()
  }

  async #auth(rest: string): Promise<SubmissionReply> {
    this.#assertHello()
    const { logins } = this.#work
    if (logins === null) throw new CommandRefusal(reply(502, '5.5.1', 'There is no login at this address'))
    if (this.#login !== null) throw new CommandRefusal(reply(503, '5.5.1', 'You are already logged in'))
    if (!this.#mayLogIn) {
      const how = this.#offersTls
        ? 'send STARTTLS first (turn TLS on in the application)'
        : 'connect from the same machine'
      const text = `A login requires an encrypted connection: ${how}; replace a key that was sent unencrypted`
      throw new CommandRefusal(reply(538, '5.7.11', text))
    }
    this.#login = await logins.auth(rest)
    return reply(235, '2.7.0', 'You are logged in')
  }
}

/** The fields that identify a session in the log. */
function describeSession({ id }: SessionContext): object {
  return { sessionId: id, operation: 'SMTP' }
}
