/** The transactions of an application that has logged in. */
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { isKeyless, type Principal } from '../accounts/account.ts'
import type { AnyReason } from '../ingress/fault.ts'
import { Refusal } from '../intake/refusal.ts'
import { AddressError, parseDomain, parseMailbox } from '../mail/address/address.ts'
import { assertData, beforeMessage } from './before-message.ts'
import type { ArrivingMessage } from './body.ts'
import { readMail, readRecipient } from './command.ts'
import { endsSession, type Login, type SessionContext } from './context.ts'
import { logCommand } from './logged-command.ts'
import { domainOf } from './login.ts'
import type { SubmissionMetrics } from './metrics.ts'
import type { MailTransactions } from './policy.ts'
import { DISCARDED_OCTETS, receive } from './receive.ts'
import { bounceAdvice, bounceWords } from './relay-bounce.ts'
import { CommandRefusal, reply, type SubmissionReply } from './reply.ts'
import { assertReversePath } from './reverse-path.ts'
import { SessionTransactions } from './session-transactions.ts'
import { SubmissionTransaction } from './submission-transaction.ts'
import { smtpWords } from './words.ts'

/** RCPT commands of a transaction beyond twice the maximum of recipients, after which the session ends. */
const MORE_RECIPIENTS = 100

export class SubmissionTransactions
  extends SessionTransactions<SubmissionTransaction>
  implements MailTransactions
{
  readonly #metrics: SubmissionMetrics

  constructor(context: SessionContext, metrics: SubmissionMetrics) {
    super(context)
    this.#metrics = metrics
  }

  async mail(rest: string, login: Login | null): Promise<SubmissionReply> {
    if (login === null) throw new CommandRefusal(smtpWords({ code: 'key_missing' }))
    this.assertNone()
    const { path, size, international } = readMail(rest)
    assertReversePath(path)
    const { id, channel, parts } = this.context
    const { ingress } = parts
    const { maxMessageSize: max } = ingress.deps.settings
    if (size !== null && size > max) throw new Refusal({ code: 'message_too_large', max, found: size })
    const principal = ingress.callers.current(login.principal)
    const domain = this.#domainNamed(login.user, principal)
    if (domain !== null) await ingress.deps.intake.admit(principal, domain)
    const transaction = new SubmissionTransaction({
      ingress,
      socket: channel.socket,
      sessionId: id,
      principal,
      domain,
      size,
      sender: path,
      international,
      arrival: { by: parts.hostname, protocol: protocolOf(channel.socket, principal, international) },
      giveWay: this.giveWay,
    })
    this.begin(transaction)
    return reply(250, '2.1.0', 'Ok')
  }

  /** The domain in the user name, if it belongs to the company: mail is then sent for that domain. */
  #domainNamed(user: string, { companyId }: Principal): string | null {
    const named = domainOf(user)
    if (named === null) return null
    try {
      const { directory } = this.context.parts.ingress.deps.accounts
      return directory.domainNamed(parseDomain(named), companyId)?.name ?? null
    } catch (error) {
      if (error instanceof AddressError) return null
      throw error
    }
  }

  rcpt(rest: string): SubmissionReply {
    const transaction = this.current()
    const { maxRecipients } = this.context.parts.ingress.deps.settings
    if (++transaction.named > 2 * maxRecipients + MORE_RECIPIENTS) {
      throw new CommandRefusal(reply(421, '4.5.3', 'Far too many recipients'), { last: true })
    }
    const address = recipientOf(readRecipient(rest), transaction.international)
    if (transaction.recipients.size >= maxRecipients && !transaction.recipients.has(address)) {
      const text = `A message may have at most ${maxRecipients} recipients; send another message to the others`
      throw new CommandRefusal(reply(452, '4.5.3', text))
    }
    transaction.add(address)
    return reply(250, '2.1.5', 'Ok')
  }

  async data(rest: string, login: Login | null): Promise<SubmissionReply> {
    const { transaction, body } = await this.#roomFor(rest, login)
    const { id: requestId, channel, parts } = this.context
    const { ingress } = parts
    const { requestTimeout, maxMessageSize } = ingress.deps.settings
    const startedAt = performance.now()
    let answer: SubmissionReply | null = null
    this.atMessage = true
    try {
      const most = maxMessageSize + DISCARDED_OCTETS
      const refusal = smtpWords({ code: 'message_too_large', max: maxMessageSize, found: most })
      const received = await receive(channel, body, { within: requestTimeout, limit: { most, refusal } })
      const measured = this.#metrics.seconds.startTimer()
      const { id } = await transaction.accept(received).finally(measured)
      answer = reply(250, '2.0.0', `Queued as ${id}`)
    } catch (error) {
      if (endsSession(error)) throw error
      const wordsFor = transaction.nullSender ? this.#refuseBounce : smtpWords
      const refused = this.context.asRefused(error, wordsFor)
      if (refused.last) throw refused
      answer = refused.reply
    } finally {
      this.atMessage = false
      this.reset()
      const status = answer?.code ?? 421
      this.#metrics.messages.inc({ status })
      if (answer !== null && login !== null)
        logCommand(ingress.requestLog, login.principal, 'DATA', answer, transaction.envelope, startedAt)
      ingress.deps.log.debug({ requestId, operation: 'smtp_send', status, answer: answer?.text }, 'message')
    }
    return answer
  }

  readonly #refuseBounce = (reason: AnyReason): SubmissionReply => {
    const { id, parts } = this.context
    const advice = bounceAdvice(reason)
    if (advice !== null) parts.ingress.reasons.advise(advice, { id })
    return bounceWords(reason)
  }

  /** Reserves room before the 354 reply. */
  #roomFor(
    rest: string,
    login: Login | null,
  ): Promise<{ transaction: SubmissionTransaction; body: ArrivingMessage }> {
    return beforeMessage(this.context, async () => {
      if (login === null) throw new CommandRefusal(smtpWords({ code: 'key_missing' }))
      const transaction = this.current()
      assertData(rest, transaction)
      const { maxMessageSize } = this.context.parts.ingress.deps.settings
      return { transaction, body: await transaction.ready(maxMessageSize) }
    })
  }
}

/** RFC 3848, RFC 6531 4.3. */
function protocolOf(socket: Socket, principal: Principal, international: boolean): string {
  const secure = socket instanceof TLSSocket ? 'S' : ''
  return `${international ? 'UTF8SMTP' : 'ESMTP'}${secure}${isKeyless(principal) ? '' : 'A'}`
}

/** The canonical spelling of a recipient's address. Throws CommandRefusal. */
function recipientOf(path: string, international: boolean): string {
  let address: string
  try {
    address = parseMailbox(`<${path}>`).address
  } catch (error) {
    if (!(error instanceof AddressError)) throw error
    throw new CommandRefusal(reply(553, '5.1.3', `The address cannot be used: ${error.message}`))
  }
  // RFC 6531 3.4. The domain is in ASCII by now.
  if (international || /^[\x20-\x7e]*$/.test(address)) return address
  throw new CommandRefusal(reply(553, '5.6.7', 'A non-ASCII address requires MAIL with SMTPUTF8'))
}
