/** AUTH (RFC 4954): identifies the key or password, and slows down and limits wrong ones. */
import { isToken } from '../accounts/token.ts'
import { clip } from '../common/clip.ts'
import type { SmtpListener } from '../config/settings.ts'
import type { AnyReason } from '../ingress/fault.ts'
import type { SmtpLogin } from '../ingress/smtp-logins.ts'
import { Refusal } from '../intake/refusal.ts'
import { LEAST_PASSWORD } from '../people/password-rule.ts'
import type { Login, SessionContext } from './context.ts'
import { InputEndError } from './input.ts'
import { credentialsOf } from './login.ts'
import type { SubmissionMetrics } from './metrics.ts'
import { CommandRefusal, reply } from './reply.ts'
import { keylessLogin } from './without-login.ts'
import { loginWords, smtpWords } from './words.ts'

/** Ms until a client must have logged in, and ms for each of its lines before that. */
const LOGIN_WITHIN = 120_000
const STRANGER_IDLE = 60_000
/** The failed login that ends a session. */
const MAX_FAILED = 3

/** Matches a login for one domain, e.g. `postmaster@mg.example.com`. */
const LOGIN = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

/** Returns the user name for the log; null for one that may be a secret: people mix up the two fields. */
function shownUser(user: string): string | null {
  return !user.includes('pr_') && (LOGIN.test(user) || user.length < LEAST_PASSWORD) ? clip(user) : null
}

export class LoginExchange {
  readonly #context: SessionContext
  readonly #metrics: SubmissionMetrics
  /** Whether clients may send without a login. */
  readonly #optional: boolean
  readonly #since = performance.now()
  #failed = 0

  constructor(
    context: SessionContext,
    { withoutLogin }: Pick<SmtpListener, 'withoutLogin'>,
    metrics: SubmissionMetrics,
  ) {
    this.#context = context
    this.#metrics = metrics
    this.#optional = withoutLogin
  }

  /** Ms for the next line of a client that has not logged in. */
  get idle(): number {
    return Math.max(0, Math.min(STRANGER_IDLE, this.#since + LOGIN_WITHIN - performance.now()))
  }

  /**
   * Resolves when the client is logged in. Rejects with CommandRefusal, after a delay if the credentials were wrong.
   */
  async auth(argument: string): Promise<Login> {
    const { channel } = this.#context
    const credentials = await credentialsOf(argument, (prompt) => {
      this.#context.assertGoesOn()
      channel.say(reply(334, null, Buffer.from(prompt).toString('base64')))
      return channel.line(this.idle)
    })
    let login: Login
    try {
      login = await this.#loginOf(credentials)
    } catch (error) {
      if (error instanceof InputEndError || error instanceof CommandRefusal) throw error
      return await this.#refuse(this.#context.reasonOf(error), credentials?.user ?? null)
    }
    this.#metrics.logins.inc({ result: 'accepted' })
    return this.#joined(login)
  }

  /** The login of a client that sends without one. Throws CommandRefusal if it has to log in. */
  keyless(): Login {
    // sendmail goes on after a failed AUTH. A 530 would bounce its message for a key that has expired, or for a login
    // that was put off (454).
    if (this.#failed > 0) {
      const text = 'The login failed; send the message once the login works'
      throw new CommandRefusal(reply(421, '4.7.0', text), { last: true })
    }
    if (!this.#optional) throw new CommandRefusal(smtpWords({ code: 'key_missing' }))
    return this.#joined(keylessLogin(this.#context))
  }

  /** Counts the connection as one of the company's from now on. */
  #joined(login: Login): Login {
    const { channel, parts } = this.#context
    const { companyId } = login.principal
    parts.ingress.admission.connections.joins(channel.socket, companyId)
    this.#context.party = companyId
    return login
  }

  /** Rejects with a Refusal or a Fault. */
  async #loginOf(credentials: SmtpLogin | null): Promise<Login> {
    if (credentials === null) throw new Refusal({ code: 'key_invalid', mistake: 'scheme' })
    const { address, parts } = this.#context
    const { user, password } = credentials
    const { callers, smtpLogins } = parts.ingress
    // Some programs cannot send without a user and a password, so a pair that is unknown here is accepted.
    if (this.#optional && !isToken(password) && !smtpLogins.knows(user)) return keylessLogin(this.#context)
    const principal = isToken(password)
      ? await callers.identify(password, address)
      : await this.#context.unlessGone(smtpLogins.identify(credentials, address))
    if (!principal.scopes.has('sending')) throw new Refusal({ code: 'scope_missing', scope: 'sending' })
    return { principal, user }
  }

  async #refuse(reason: AnyReason, user: string | null): Promise<never> {
    const words = loginWords(reason)
    const { id, address, parts } = this.#context
    const { failedLogins } = parts
    this.#metrics.logins.inc({ result: words.code < 500 ? 'postponed' : 'refused' })
    // The delay keeps the client from trying again at once.
    if (words.code >= 500 || reason.code === 'person_refused') {
      failedLogins.tell({ requestId: id, address, user: user === null ? null : shownUser(user) })
      await this.#context.wait(failedLogins.delay(address))
    }
    const last = ++this.#failed >= MAX_FAILED
    throw new CommandRefusal(last ? { ...words, code: 421, enhanced: '4.7.0' } : words, { last })
  }
}
