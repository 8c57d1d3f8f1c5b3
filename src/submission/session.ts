/** One connection of a client (RFC 5321, RFC 6409): its commands, in turn, and what each is answered. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import type { SecureContext } from 'node:tls'
import type { Principal } from '../accounts/account.ts'
import type { SubmissionListener } from '../config/settings.ts'
import type { HttpCore } from '../http/core.ts'
import { type AnyReason, clip, REFUSED_FOR } from '../http/fault.ts'
import { Refusal } from '../intake/refusal.ts'
import { AddressError, parseDomain, parseMailbox } from '../mail/address/address.ts'
import { isLoopback } from '../network/private-address.ts'
import type { Body } from './body.ts'
import { Channel } from './channel.ts'
import { type Command, readCommand, readMail, readRecipient } from './command.ts'
import type { FailedLogins } from './failed-logins.ts'
import { InputEnded, InputTimeout, LineError } from './input.ts'
import { credentialsOf, domainOf, MECHANISMS } from './login.ts'
import type { SubmissionMetrics } from './metrics.ts'
import { receive } from './receive.ts'
import { Refused, type Reply, reply } from './reply.ts'
import { Transaction } from './transaction.ts'
import { loginWords, smtpWords } from './words.ts'

/** Ms until the next line of a client that is logged in (RFC 5321 4.5.3.2.7). */
const IDLE = 300_000
/** Ms in which a client has to log in, and in which it sends each line until then. */
const LOGIN_WITHIN = 120_000
const STRANGER_IDLE = 60_000
/** In one session: failed logins, and commands in a row that lead to nothing. */
const MAX_FAILED_LOGINS = 3
const MAX_USELESS = 100
/** Commands in one turn of the event loop. */
const IN_ONE_TURN = 100

const OK = reply(250, '2.0.0', 'Ok')
const STOPPING = reply(421, '4.3.2', 'The service is stopping; try again later')
const HELLO_FIRST = reply(503, '5.5.1', 'Say EHLO first')

/** What all sessions have in common. */
export interface SessionParts {
  core: HttpCore
  /** Null: there is no certificate. */
  tls: { readonly context: SecureContext } | null
  /** Name in the greeting. */
  hostname: string
  failedLogins: FailedLogins
  metrics: SubmissionMetrics
}

export class Session {
  readonly id = randomUUID()
  readonly #parts: SessionParts
  readonly #listener: SubmissionListener
  readonly #address: string
  readonly #channel: Channel
  readonly #since = performance.now()
  /** While a failed login is kept waiting. */
  #waiting: AbortController | null = null
  #secure = false
  #helo = false
  #login: { principal: Principal; user: string } | null = null
  #transaction: Transaction | null = null
  #failedLogins = 0
  #useless = 0
  #atMessage = false
  #stopping = false

  constructor(parts: SessionParts, listener: SubmissionListener, socket: Socket) {
    this.#parts = parts
    this.#listener = listener
    this.#address = socket.remoteAddress ?? ''
    this.#channel = new Channel(socket)
    socket.once('close', () => this.#transaction?.end())
  }

  /** Resolves when the session is over. */
  async run(): Promise<void> {
    try {
      if (this.#listener.implicitTls) await this.#encrypt()
      this.#channel.say(reply(220, null, `${this.#parts.hostname} ESMTP Postroad`))
      for (let count = 1; ; count++) {
        if (count % IN_ONE_TURN === 0) await turn()
        if (this.#stopping) throw new Refused(STOPPING, { last: true })
        const line = await this.#channel.line(this.#login === null ? this.#strangerIdle : IDLE)
        const answer = await this.#answer(line)
        if (answer !== null) this.#channel.say(answer)
      }
    } catch (error) {
      const last = this.#lastWords(error)
      if (last !== null) this.#channel.say(last)
      this.#channel.leave()
    } finally {
      this.#reset()
    }
  }

  get #strangerIdle(): number {
    return Math.max(0, Math.min(STRANGER_IDLE, this.#since + LOGIN_WITHIN - performance.now()))
  }

  /** Ends the session, once the message that it is at has its answer. */
  dismiss(): void {
    this.#stopping = true
    this.#waiting?.abort()
    if (this.#channel.waiting && !this.#atMessage)
      this.#channel.interrupt(new Refused(STOPPING, { last: true }))
  }

  cut(): void {
    this.#channel.socket.destroy()
  }

  /** Null: there is nothing to be said. */
  async #answer(line: Buffer): Promise<Reply | null> {
    try {
      const answer = this.#obey(readCommand(line))
      return answer instanceof Promise ? await answer : answer
    } catch (error) {
      if (endsSession(error)) throw error
      this.#useful(false)
      if (error instanceof Refused) return error.reply
      const reason = this.#reasonOf(error)
      // Told at once, it would be asked again at once.
      const isMail = this.#transaction === null
      if (isMail && reason.code === 'too_much_under_way') await this.#wait(REFUSED_FOR)
      return smtpWords(reason)
    }
  }

  /** Throws Refused, or what the command is refused for. */
  #obey(command: Command): Reply | Promise<Reply | null> {
    switch (command.verb) {
      case 'EHLO':
      case 'HELO':
        return this.#hello(command)
      case 'STARTTLS':
        return this.#startTls(command)
      case 'AUTH':
        return this.#auth(command)
      case 'MAIL':
        return this.#mail(command)
      case 'RCPT':
        return this.#rcpt(command)
      case 'DATA':
        return this.#data(command)
      case 'RSET':
        this.#useful(this.#transaction !== null)
        this.#reset()
        return OK
      case 'NOOP':
        this.#useful(false)
        return OK
      case 'HELP':
        this.#useful(false)
        return reply(214, '2.0.0', 'Log in with any user name and an API key as password, then send')
      case 'VRFY':
        this.#useful(false)
        return reply(252, '2.0.0', 'Whether an address takes mail is not known before it was sent some')
      case 'QUIT':
        throw new Refused(reply(221, '2.0.0', 'Bye'), { last: true })
      // What a browser was made to send here is not from somebody who speaks SMTP, whatever it goes on with.
      case 'GET':
      case 'POST':
      case 'PUT':
      case 'CONNECT':
        throw new Refused(reply(421, '4.7.0', 'This is SMTP, not HTTP'), { last: true })
      default:
        throw new Refused(reply(500, '5.5.1', `There is no command ${clip(command.verb, 40)}`))
    }
  }

  /** Throws Refused to who asks for too much that leads to nothing. */
  #useful(useful: boolean): void {
    this.#useless = useful ? 0 : this.#useless + 1
    if (this.#useless > MAX_USELESS) {
      throw new Refused(reply(421, '4.7.0', 'Too many commands that lead to nothing'), { last: true })
    }
  }

  #hello({ verb, rest }: Command): Reply {
    this.#useful(false)
    if (rest === '' || /\s/.test(rest)) throw new Refused(reply(501, '5.5.4', `${verb} takes one name`))
    this.#reset()
    this.#helo = true
    const { hostname, core } = this.#parts
    if (verb === 'HELO') return reply(250, null, hostname)
    const { maxMessageSize } = core.deps.settings
    const extensions = ['PIPELINING', `SIZE ${maxMessageSize}`, '8BITMIME', 'SMTPUTF8', 'ENHANCEDSTATUSCODES']
    if (this.#offersTls) extensions.push('STARTTLS')
    if (this.#login === null && this.#mayLogIn) extensions.push(`AUTH ${MECHANISMS.join(' ')}`)
    return reply(250, null, [`${hostname} at your service`, ...extensions])
  }

  get #offersTls(): boolean {
    return this.#parts.tls !== null && !this.#secure
  }

  /** RFC 4954 4: no credentials where others can read them. */
  get #mayLogIn(): boolean {
    return this.#secure || this.#listener.clearLogin || isLoopback(this.#address)
  }

  async #startTls({ rest }: Command): Promise<null> {
    if (rest !== '') throw new Refused(reply(501, '5.5.4', 'STARTTLS stands alone'))
    if (!this.#offersTls) {
      const why = this.#secure ? 'This connection is encrypted already' : 'There is no certificate here'
      throw new Refused(reply(503, '5.5.1', why))
    }
    // RFC 3207 4.2: what came behind it in the clear would be obeyed as if it had come encrypted.
    if (this.#channel.more) {
      const text = 'Nothing may follow STARTTLS until the connection is encrypted'
      throw new Refused(reply(554, '5.5.1', text), { last: true })
    }
    const { connections } = this.#parts.core.limit.admission
    if (!connections.shakes(this.#channel.socket)) {
      throw new Refused(reply(454, '4.7.0', 'There are too many TLS handshakes at once; try again later'))
    }
    this.#channel.say(reply(220, '2.0.0', 'Go ahead'))
    await this.#channel.flush()
    await this.#encrypt()
    // RFC 3207 4.2: what was learned before is forgotten.
    this.#reset()
    this.#helo = false
    this.#login = null
    return null
  }

  async #encrypt(): Promise<void> {
    const { tls, core } = this.#parts
    await this.#channel.encrypt(tls!.context)
    const { socket } = this.#channel
    core.limit.admission.connections.secured(socket)
    this.#secure = true
    if (this.#stopping) throw new Refused(STOPPING, { last: true })
  }

  async #auth({ rest }: Command): Promise<Reply> {
    if (!this.#helo) throw new Refused(HELLO_FIRST)
    if (this.#login !== null) throw new Refused(reply(503, '5.5.1', 'You are logged in already'))
    if (!this.#mayLogIn) {
      const how = this.#offersTls ? 'say STARTTLS first' : 'connect from the same machine'
      const text = `Logging in takes an encrypted connection: ${how}; replace a key that was sent unencrypted`
      throw new Refused(reply(538, '5.7.11', text))
    }
    const credentials = await credentialsOf(rest, (prompt) => {
      this.#channel.say(reply(334, null, Buffer.from(prompt).toString('base64')))
      return this.#channel.line(this.#strangerIdle)
    })
    const { core, metrics } = this.#parts
    try {
      if (credentials === null) throw new Refusal({ code: 'key_invalid' })
      const caller = core.callers.identify(credentials.password, this.#address)
      const principal = caller instanceof Promise ? await caller : caller
      if (!principal.scopes.has('sending')) throw new Refusal({ code: 'scope_missing', scope: 'sending' })
      this.#login = { principal, user: credentials.user }
      core.limit.admission.connections.joins(this.#channel.socket, principal.companyId)
    } catch (error) {
      return this.#refuseLogin(loginWords(this.#reasonOf(error)), credentials?.user ?? null)
    }
    metrics.logins.inc({ result: 'accepted' })
    this.#useful(true)
    return reply(235, '2.7.0', 'You are logged in')
  }

  async #refuseLogin(words: Reply, user: string | null): Promise<never> {
    const { metrics, failedLogins } = this.#parts
    metrics.logins.inc({ result: words.code < 500 ? 'postponed' : 'refused' })
    if (words.code >= 500) {
      failedLogins.tell({
        requestId: this.id,
        address: this.#address,
        // Some take the key for the user name.
        user: user === null || user.includes('pr_') ? null : clip(user),
      })
      await this.#wait(failedLogins.delay(this.#address))
    }
    const last = ++this.#failedLogins >= MAX_FAILED_LOGINS
    throw new Refused(last ? { ...words, code: 421, enhanced: '4.7.0' } : words, { last })
  }

  /** Until the client has gone or the service stops, but no longer than this. */
  async #wait(ms: number): Promise<void> {
    await this.#channel.flush()
    const waiting = new AbortController()
    this.#waiting = waiting
    const timer = setTimeout(() => waiting.abort(), ms)
    await once(this.#channel.socket, 'close', { signal: waiting.signal }).catch(() => {})
    clearTimeout(timer)
    this.#waiting = null
  }

  async #mail({ rest }: Command): Promise<Reply> {
    if (!this.#helo) throw new Refused(HELLO_FIRST)
    if (this.#login === null) throw new Refused(smtpWords({ code: 'key_missing' }))
    if (this.#transaction !== null) {
      throw new Refused(reply(503, '5.5.1', 'One message at a time; RSET gives this one up'))
    }
    const { path, size, international } = readMail(rest)
    // The sender of what leaves is the address of From. This one has to be an address, and is not used.
    if (path !== '') addressOf(path, international, '5.1.7')
    const { core } = this.#parts
    const { maxMessageSize: max } = core.deps.settings
    if (size !== null && size > max) throw new Refusal({ code: 'message_too_large', max, found: size })
    const { user } = this.#login
    const principal = core.callers.current(this.#login.principal)
    const domain = this.#domainNamed(user, principal)
    if (domain !== null) await core.deps.intake.admit(principal, domain)
    const giveWay = (reason: AnyReason) =>
      this.#channel.interrupt(new Refused({ ...smtpWords(reason), code: 421 }, { last: true }))
    this.#transaction = new Transaction({
      core,
      socket: this.#channel.socket,
      sessionId: this.id,
      giveWay,
      principal,
      domain,
      size,
      international,
    })
    return reply(250, '2.1.0', 'Ok')
  }

  /** The domain of the user name, where it is one of the company: then mail is sent for that one. */
  #domainNamed(user: string, { companyId }: Principal): string | null {
    const named = domainOf(user)
    if (named === null) return null
    try {
      const domain = this.#parts.core.deps.accounts.directory.domainNamed(parseDomain(named))
      return domain?.companyId === companyId ? domain.name : null
    } catch (error) {
      if (error instanceof AddressError) return null
      throw error
    }
  }

  #rcpt({ rest }: Command): Reply {
    const transaction = this.#begun()
    const { maxRecipients } = this.#parts.core.deps.settings
    if (++transaction.named > 2 * maxRecipients + MAX_USELESS) {
      throw new Refused(reply(421, '4.5.3', 'Far too many recipients'), { last: true })
    }
    const address = addressOf(readRecipient(rest), transaction.international, '5.1.3')
    if (transaction.recipients.size >= maxRecipients && !transaction.recipients.has(address)) {
      const text = `A message may have ${maxRecipients} recipients; send the others another one`
      throw new Refused(reply(452, '4.5.3', text))
    }
    transaction.add(address)
    this.#useful(true)
    return reply(250, '2.1.5', 'Ok')
  }

  async #data({ rest }: Command): Promise<Reply> {
    const { transaction, body } = await this.#roomFor(rest)
    const { metrics, core } = this.#parts
    const { requestTimeout, maxMessageSize } = core.deps.settings
    let answer: Reply | null = null
    this.#useful(true)
    this.#atMessage = true
    try {
      const octets = await receive(this.#channel, body, { max: maxMessageSize, within: requestTimeout })
      const measured = metrics.seconds.startTimer()
      const { id } = await transaction.accept(octets).finally(measured)
      answer = reply(250, '2.0.0', `Queued as ${id}`)
    } catch (error) {
      if (endsSession(error)) throw error
      answer = this.#wordsFor(error)
    } finally {
      this.#atMessage = false
      this.#reset()
      const status = answer?.code ?? 421
      metrics.messages.inc({ status })
      core.deps.log.debug({ requestId: this.id, operation: 'smtp_send', status }, 'message')
    }
    return answer
  }

  /** Before 354 is said. */
  async #roomFor(rest: string): Promise<{ transaction: Transaction; body: Body }> {
    try {
      if (rest !== '') throw new Refused(reply(501, '5.5.4', 'DATA stands alone'))
      const transaction = this.#begun()
      // RFC 5321 3.3: 503 would do as well, and this one says what is missing.
      if (transaction.recipients.size === 0) {
        throw new Refused(reply(554, '5.5.1', 'There is no valid recipient'))
      }
      return { transaction, body: await transaction.ready(this.#parts.core.deps.settings.maxMessageSize) }
    } catch (error) {
      if (endsSession(error) || !this.#channel.more) throw error
      // RFC 2920 3.1: a client waits for 354. What this one has sent is a message, and its lines are no commands.
      throw new Refused(this.#wordsFor(error), { last: true })
    }
  }

  #begun(): Transaction {
    if (this.#transaction !== null) return this.#transaction
    throw new Refused(
      this.#login === null ? smtpWords({ code: 'key_missing' }) : reply(503, '5.5.1', 'Say MAIL first'),
    )
  }

  #reset(): void {
    this.#transaction?.end()
    this.#transaction = null
  }

  #reasonOf(error: unknown): AnyReason {
    return this.#parts.core.answers.reasonOf(error, { id: this.id, method: 'SMTP' })
  }

  #wordsFor(error: unknown): Reply {
    return error instanceof Refused ? error.reply : smtpWords(this.#reasonOf(error))
  }

  /** Null: nobody is there to hear them. */
  #lastWords(error: unknown): Reply | null {
    if (error instanceof InputEnded) return null
    if (error instanceof InputTimeout) return reply(421, '4.4.2', 'That took too long')
    if (error instanceof LineError) return reply(500, '5.5.2', `This cannot be read: ${error.message}`)
    return this.#wordsFor(error)
  }
}

function endsSession(error: unknown): boolean {
  if (error instanceof Refused) return error.last
  return error instanceof InputEnded || error instanceof InputTimeout || error instanceof LineError
}

/** The one spelling of an address. Throws Refused for what is none, with this enhanced code. */
function addressOf(path: string, international: boolean, enhanced: string): string {
  let address: string
  try {
    address = parseMailbox(`<${path}>`).address
  } catch (error) {
    if (!(error instanceof AddressError)) throw error
    throw new Refused(reply(553, enhanced, `The address cannot be used: ${error.message}`))
  }
  // RFC 6531 3.4. A domain was written in ASCII by now.
  if (international || /^[\x20-\x7e]*$/.test(address)) return address
  throw new Refused(reply(553, '5.6.7', 'An address that is not ASCII takes MAIL with SMTPUTF8'))
}
