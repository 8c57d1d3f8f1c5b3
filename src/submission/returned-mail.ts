/**
 * Accepts returned mail on the listeners of POSTROAD_BOUNCE_LISTEN: from any sender, but only for addresses that expect
 * it. Nothing is ever sent in answer (RFC 5321 6.1 asks for a bounce of accepted mail that cannot be delivered; this
 * mail counts as delivered once it is kept).
 */
import { clip } from '../common/clip.ts'
import type { Addressees } from '../inbound/addressees.ts'
import { MAX_READ, type ReceiveMail } from '../inbound/arrived-mail.ts'
import type { InboundMetrics } from '../inbound/inbound-metrics.ts'
import type { ReturnedMailPace } from '../inbound/pace.ts'
import { addressNetwork } from '../ingress/admission/address-group.ts'
import { assertData, beforeMessage } from './before-message.ts'
import { readMail, readRecipient } from './command.ts'
import { endsSession, type SessionContext } from './context.ts'
import { NetworkPlaces } from './network-places.ts'
import type { MailPolicy, MailTransactions } from './policy.ts'
import { DISCARDED_OCTETS, receive } from './receive.ts'
import { CommandRefusal, reply, type SubmissionReply } from './reply.ts'
import { assertReversePath } from './reverse-path.ts'
import { SessionTransactions } from './session-transactions.ts'
import { MailTransaction } from './transaction.ts'
import { returnedMailWords } from './words.ts'

/** Ms for each line of a client, and for its whole session. */
const IDLE = 60_000
const SESSION_WITHIN = 600_000
/** Ms for the octets of a message: a bounce may return a whole email, which is read and dropped. */
const MESSAGE_WITHIN = 300_000
/** Recipients of a message: a bounce has one, and a server may combine several. */
const MAX_RECIPIENTS = 20
/** RCPT commands of a message, refused ones included, after which the session ends. */
const MAX_NAMED = 100
/** All returned mail together has the share of one company, so a flood takes no more than that from senders. */
export const RETURNED_MAIL = 'returned mail'

const TOO_MANY = reply(
  451,
  '4.3.2',
  'Too much returned mail from your network is under way here; try again later',
)

interface ReturnedMailParts {
  addressees: Addressees
  receiveMail: ReceiveMail
  metrics: InboundMetrics
  pace: ReturnedMailPace
  /** The most octets of an email sent from here, which may be returned whole. */
  maxMessageSize: number
}

export function returnedMailPolicy(parts: ReturnedMailParts): MailPolicy {
  const places = new NetworkPlaces()
  return {
    setting: 'POSTROAD_BOUNCE_LISTEN',
    maxSize: mostOf(parts),
    help: () => 'Bounces and reports about mail of this service are taken here, and nothing else',
    begin(context) {
      context.words = returnedMailWords
      const until = performance.now() + SESSION_WITHIN
      return {
        transactions: new ReturnedMailTransactions(context, parts, places),
        logins: null,
        idle: () => Math.max(0, Math.min(IDLE, until - performance.now())),
      }
    },
  }
}

/** Octets of a returned mail. Only its beginning is kept: the rest is read and dropped. */
function mostOf({ maxMessageSize }: Pick<ReturnedMailParts, 'maxMessageSize'>): number {
  return maxMessageSize + DISCARDED_OCTETS
}

class ReturnedMailTransactions extends SessionTransactions<MailTransaction> implements MailTransactions {
  readonly #parts: ReturnedMailParts
  readonly #places: NetworkPlaces

  constructor(context: SessionContext, parts: ReturnedMailParts, places: NetworkPlaces) {
    super(context)
    this.#parts = parts
    this.#places = places
  }

  get #network(): string {
    return addressNetwork(this.context.address)
  }

  mail(rest: string): SubmissionReply {
    this.assertNone()
    const { path, size } = readMail(rest)
    assertReversePath(path)
    if (size !== null && size > mostOf(this.#parts)) throw new CommandRefusal(this.#tooLarge(size))
    const { id: sessionId, channel, parts } = this.context
    const { admission } = parts.ingress
    const network = this.#network
    const transaction = new MailTransaction({
      admission,
      socket: channel.socket,
      sessionId,
      sender: path,
      size,
      admit: (visitor) => {
        if (!this.#places.allows(network, admission.shareOf(RETURNED_MAIL)))
          throw new CommandRefusal(TOO_MANY)
        admission.admit(visitor, RETURNED_MAIL)
        this.#places.take(network)
      },
      onEnd: () => this.#places.give(network),
      giveWay: this.giveWay,
    })
    this.begin(transaction)
    return reply(250, '2.1.0', 'Ok')
  }

  rcpt(rest: string): SubmissionReply {
    const transaction = this.current()
    if (++transaction.named > MAX_NAMED) {
      throw new CommandRefusal(reply(421, '4.5.3', 'Far too many recipients'), { last: true })
    }
    const address = readRecipient(rest)
    const refusal = this.#parts.addressees.refusalOf(address, Date.now())
    if (refusal !== null) {
      this.#parts.metrics.refused.inc({ reason: refusal })
      throw new CommandRefusal(reply(550, '5.1.1', `There is no ${clip(address, 100)} here`))
    }
    if (transaction.recipients.size >= MAX_RECIPIENTS && !transaction.recipients.has(address)) {
      throw new CommandRefusal(reply(452, '4.5.3', 'Send another message to the other recipients'))
    }
    // Admitted only now: anybody can send MAIL and wait, or name recipients that do not exist.
    transaction.admit()
    transaction.add(address)
    return reply(250, '2.1.5', 'Ok')
  }

  async data(rest: string): Promise<SubmissionReply> {
    const { channel, address: peer } = this.context
    const network = this.#network
    const { transaction, body } = await beforeMessage(this.context, async () => {
      const transaction = this.current()
      assertData(rest, transaction)
      return { transaction, body: await transaction.ready(MAX_READ, { cut: true }) }
    })
    this.atMessage = true
    const most = mostOf(this.#parts)
    try {
      const { octets } = await receive(channel, body, {
        within: MESSAGE_WITHIN,
        limit: { most, refusal: this.#tooLarge(most) },
      })
      await transaction.turn()
      const { addressees, pace } = this.#parts
      const recipients = addressees.distinct(transaction.recipients, Date.now())
      // Each recipient costs as much as a message. A client that has disconnected will send the mail again, so this
      // copy takes no turn.
      await this.context.whileThere((gone) => Promise.all(recipients.map(() => pace.turn(network, gone))))
      // RFC 5321 4.4. The reader recognizes automatic replies and forged reports by this field.
      const reversePath = transaction.envelope.sender
      const raw = Buffer.concat([Buffer.from(`Return-Path: <${reversePath}>\r\n`), octets])
      const mail = {
        raw,
        size: body.length,
        source: 'smtp',
        peer,
        client: network,
        reversePath,
      } as const
      const received = recipients.map((recipient) => this.#parts.receiveMail({ ...mail, recipient }))
      const kept = await Promise.all(received)
      const id = kept[0]!.id
      if (kept.some(({ putOff }) => putOff)) {
        // The mail is kept, but the sender should try again: a fault of DNS must not cost a genuine report (RFC 3463
        // 3.5).
        return reply(451, '4.4.3', `The signature cannot be checked now; try again later (kept as ${id})`)
      }
      return reply(250, '2.0.0', `Kept as ${id}`)
    } catch (error) {
      if (endsSession(error)) throw error
      const refused = this.context.asRefused(error)
      if (refused.last) throw refused
      return refused.reply
    } finally {
      this.atMessage = false
      this.reset()
    }
  }

  #tooLarge(found: number): SubmissionReply {
    return returnedMailWords({ code: 'message_too_large', max: mostOf(this.#parts), found })
  }
}
