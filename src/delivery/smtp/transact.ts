import { notAttempted } from '../../email/not-attempted.ts'
import { CROWDED } from '../../mail/reply/phrases.ts'
import { matcherOf, plainWords } from '../../mail/reply/words.ts'
import type { SmtpConnection } from './connection.ts'
import type { Dialogue } from './dialogue.ts'
import { AmbiguousLineEnd, dotStuff, type StuffedMessage } from './dot-stuffing.ts'
import { isAscii, isSendable, mailCommand } from './envelope.ts'
import type { SmtpError, Stage } from './error.ts'
import type { Extensions } from './extensions.ts'
import { type Reply, replyClass, replyText } from './reply.ts'
import type { OutgoingMessage, RecipientReply, Transaction, UntriedReason } from './transaction.ts'

/**
 * Commands in flight at once under PIPELINING. The replies to them fit a receive window many times over (RFC
 * 2920 3.1).
 */
const pipeline = 100

/** A command, and the index of the recipient it is about, if any. */
interface CommandStep {
  command: string
  stage: 'mail' | 'rcpt' | 'data'
  kind: 'rset' | 'mail' | 'rcpt' | 'data'
  recipient: number
}

/**
 * - `clear`: the server holds nothing of an earlier transaction.
 * - `reset`: it holds a sender without a message (RFC 5321 4.1.1.2).
 * - `behind`: it has a message that it has not answered yet.
 */
type TransferStart = 'clear' | 'reset' | 'behind'

interface TransferTurn {
  dialogue: Dialogue
  /** The transaction before has ended. */
  begun: Promise<void>
}

/** One transaction under way: the recipients still without an answer, and the server's state. */
export class Transfer {
  #connection: SmtpConnection
  #extensions: Extensions
  #transaction: Transaction
  #turn: TransferTurn
  #replies: (RecipientReply | null)[]
  /** Recipients without an answer yet. */
  #waiting: number
  /** Recipients that the server accepted. */
  #accepted = 0
  #begun = false
  #start: TransferStart = 'clear'
  #mailTaken = false
  /** The commands under way were written behind a message that had no answer yet. */
  #isBehind = false
  /** The refusal of MAIL that may be about ENVID: MAIL is sent once more, without it. */
  #refusedId: Reply | null = null
  /** MAIL was sent once more. */
  #isWithoutId = false
  /** The server has not understood the session. */
  #hasLostTrack = false
  #dataTaken = false

  constructor(
    connection: SmtpConnection,
    extensions: Extensions,
    transaction: Transaction,
    turn: TransferTurn,
  ) {
    this.#connection = connection
    this.#turn = turn
    this.#extensions = extensions
    this.#transaction = transaction
    this.#replies = transaction.recipients.map(() => null)
    this.#waiting = transaction.recipients.length
  }

  /** A command of the transaction has been sent. */
  get begun(): boolean {
    return this.#begun
  }

  /** The server holds a sender without a message: RSET has to come before the next MAIL (RFC 5321 4.1.1.2). */
  get leftOpen(): boolean {
    return this.#mailTaken && !this.#dataTaken
  }

  /**
   * One reply for each recipient, in order. Rejects only when the message cannot be composed. `onDot` is called when
   * the final dot has been written.
   */
  async run(start: TransferStart, onDot: () => void): Promise<RecipientReply[]> {
    this.#start = start
    const { failure } = this.#connection
    if (failure) {
      this.#lose(failure)
      return this.#replies as RecipientReply[]
    }
    const { eightBitMime, smtpUtf8 } = this.#extensions
    const message = await this.#transaction.message({ eightBitMime, smtpUtf8 })
    const stuffed = this.#prepare(message)
    if (stuffed && this.#waiting > 0) {
      if (!this.#transaction.mayHandOver())
        this.#give({ verdict: 'released', message: released, stage: 'mail' })
      else {
        const isTaken = (await this.#envelope(message)) || (await this.#envelopeWithoutId(message))
        await this.#turn.begun
        if (isTaken) await this.#text(stuffed, message.size, onDot)
      }
    }
    return this.#replies as RecipientReply[]
  }

  /** Finds the failures that can be known before a command is sent. Null when nothing is left to send. */
  #prepare(message: OutgoingMessage): StuffedMessage | null {
    const { server } = this.#connection
    const { sender, recipients } = this.#transaction
    const extensions = this.#extensions
    if (sender !== '' && !isSendable(sender)) {
      return this.#fail('5.1.7', `The sender address cannot be sent over SMTP: ${JSON.stringify(sender)}`)
    }
    // RFC 6531 3.2: a message that needs SMTPUTF8 must not go to a server without it.
    if (!extensions.smtpUtf8 && !isAscii(sender)) {
      const text = `The sender address has non-ASCII characters, but ${server} does not support SMTPUTF8`
      return this.#fail('5.6.7', text, 'unsuited')
    }
    if (!extensions.smtpUtf8 && message.smtpUtf8) {
      const text = `The message has UTF-8 in its header, but ${server} does not support SMTPUTF8`
      return this.#fail('5.6.9', text, 'unsuited')
    }
    // RFC 6152 3: convert it or return it. The composer converts; a message that still has 8-bit content here could not
    // be converted.
    if (!extensions.eightBitMime && message.eightBit) {
      const text = `The message has 8-bit content, but ${server} does not support 8BITMIME`
      return this.#fail('5.6.3', text, 'unsuited')
    }
    if (extensions.size !== null && message.size > extensions.size) {
      // RFC 1870 4: the server would answer 552, so this counts as that answer.
      const sizes = `${server} accepts messages of up to ${extensions.size} octets, this one has ${message.size}`
      this.#give({ verdict: 'bounced', message: sizes, stage: 'mail', enhancedCode: '5.3.4', unsuited: true })
      return null
    }
    recipients.forEach((recipient, index) => {
      if (!isSendable(recipient)) {
        const text = `The address cannot be sent over SMTP: ${JSON.stringify(recipient)}`
        this.#settle(index, { verdict: 'failed', message: text, stage: 'rcpt', enhancedCode: '5.1.3' })
      } else if (!extensions.smtpUtf8 && !isAscii(recipient)) {
        const text = `The address has non-ASCII characters before the @, but ${server} does not support SMTPUTF8`
        this.#settle(index, {
          verdict: 'failed',
          message: text,
          stage: 'rcpt',
          enhancedCode: '5.6.7',
          unsuited: true,
        })
      }
    })
    try {
      return message.stuffed ?? dotStuff(message.chunks)
    } catch (error) {
      if (!(error instanceof AmbiguousLineEnd)) throw error
      return this.#fail('5.6.0', error.message)
    }
  }

  /** `unsuited`: the server lacks something that another server may have. */
  #fail(enhancedCode: string, message: string, unsuited?: 'unsuited'): null {
    const reply: RecipientReply = { verdict: 'failed', message, stage: 'mail', enhancedCode }
    if (unsuited) reply.unsuited = true
    this.#give(reply)
    return null
  }

  /**
   * A server may offer DSN and refuse ENVID, which helps to read its reports and is not needed for delivery: MAIL is
   * sent once more without it.
   */
  async #envelopeWithoutId(message: OutgoingMessage): Promise<boolean> {
    if (this.#refusedId === null || this.#waiting === 0) return false
    // The envelope may have been written behind a dot.
    await this.#turn.begun
    this.#isWithoutId = true
    this.#start = 'clear'
    this.#accepted = 0
    if (this.#transaction.mayHandOver()) return await this.#envelope(message)
    this.#give({ verdict: 'released', message: released, stage: 'mail' })
    return false
  }

  /** MAIL, RCPT and DATA. True when the server waits for the message for at least one recipient. */
  async #envelope(message: OutgoingMessage): Promise<boolean> {
    const connection = this.#connection
    this.#begun = true
    const steps = this.#steps(message)
    const window = this.#extensions.pipelining ? pipeline : 1
    for (let at = 0; at < steps.length; at += window) {
      const group = at === 0 && steps.length <= window ? steps : steps.slice(at, at + window)
      if (at > 0 && group.at(-1)!.kind === 'data' && !this.#transaction.mayHandOver()) {
        this.#give({ verdict: 'released', message: released, stage: 'data' })
        break
      }
      this.#isBehind = this.#start === 'behind' && at === 0 && connection.isAwaiting
      const { replies, error } = await connection.exchange(
        group.map((step) => step.command),
        group.map((step) => step.stage),
        { dialogue: this.#turn.dialogue },
      )
      const trusted = connection.failure?.kind !== 'protocol'
      // After surplus replies or garbage, no reply can be matched to its recipient.
      for (let index = 0; trusted && index < replies.length; index++) {
        if (!this.#hear(group[index]!, replies[index]!)) break
      }
      const lost = error ?? connection.failure
      if (this.#refusedId !== null) {
        const isRefused = !this.#isWithoutId
        // The session takes no other MAIL: the refusal was the server's last word on it.
        const isLast = isRefused
          ? lost !== null || this.#dataTaken
          : at === 0 && replies.length === 0 && lost?.kind === 'closed'
        if (isLast) this.#give(refusal('mail', this.#refusedId))
        if (isRefused && !this.#dataTaken) return false
      }
      if (lost) {
        if (this.#isBehind && this.#waiting > 0) this.#giveUntried(lost)
        else this.#lose(lost, this.#hasLostTrack || (at === 0 && replies.length === 0) ? 'mail' : lost.stage)
        return false
      }
      // No recipient is left: DATA on its own would be refused or, worse, accepted.
      if (this.#waiting === 0 && !this.#dataTaken) break
    }
    if (!this.#dataTaken) return false
    if (this.#waiting > 0) return true
    // Pipelined DATA was accepted although every recipient (or the sender) was refused. RFC 2920 3.1 suggests a lone
    // dot; but a server in that state may deliver an empty message, so we close the connection, which obliges it to
    // drop the transaction.
    connection.dialogue?.note('DATA was accepted without recipients; leaving before anything is sent')
    connection.destroy()
    return false
  }

  /** The extensions that MAIL may use. */
  get #offered(): Extensions {
    return this.#isWithoutId ? { ...this.#extensions, dsn: false } : this.#extensions
  }

  #steps(message: OutgoingMessage): CommandStep[] {
    const { sender, recipients } = this.#transaction
    const utf8 = message.smtpUtf8 || !isAscii(sender) || recipients.some((recipient) => !isAscii(recipient))
    const mail = mailCommand(this.#transaction, message, this.#offered, utf8 && this.#extensions.smtpUtf8)
    const steps: CommandStep[] = [{ command: mail, stage: 'mail', kind: 'mail', recipient: -1 }]
    if (this.#start === 'reset')
      steps.unshift({ command: 'RSET', stage: 'mail', kind: 'rset', recipient: -1 })
    for (let index = 0; index < recipients.length; index++) {
      if (this.#replies[index]) continue
      steps.push({ command: `RCPT TO:<${recipients[index]}>`, stage: 'rcpt', kind: 'rcpt', recipient: index })
    }
    steps.push({ command: 'DATA', stage: 'data', kind: 'data', recipient: -1 })
    return steps
  }

  /** False when the reply shows that replies and commands are out of step. */
  #hear(step: CommandStep, reply: Reply): boolean {
    const digit = replyClass(reply)
    const wanted = step.kind === 'data' ? 3 : 2
    if (digit === wanted) {
      if (step.kind === 'mail') {
        this.#mailTaken = true
        // It was ENVID: the next transactions of the session go without it at once.
        if (this.#isWithoutId) this.#extensions.dsn = false
      } else if (step.kind === 'rcpt') this.#accepted++
      else if (step.kind === 'data') this.#dataTaken = true
    } else if (digit < 4 || step.kind === 'rset') {
      // 250 to DATA or 354 to RCPT: the replies have slipped against the commands, and no later reply can be trusted.
      this.#connection.fail('protocol', `answered ${step.kind.toUpperCase()} with ${replyText(reply)}`)
      return false
    } else if (this.#isBehind && this.#isFaultBehind(step, reply)) {
      this.#connection.fail('reply', `did not take the envelope behind a final dot: ${replyText(reply)}`)
      return false
    } else if (step.kind === 'mail' && reply.code === 503) {
      // "Bad sequence of commands" is about the session, not about the mail: another session may do better.
      this.#hasLostTrack = true
      this.#connection.fail('reply', `lost track of the session: ${replyText(reply)}`)
      return false
    } else if (step.kind === 'mail' && this.#mayBeAboutId(reply)) {
      this.#refusedId = reply
    } else if (this.#refusedId !== null && !this.#isWithoutId) {
      // The server has no sender: these answers say nothing about the recipients.
    } else if (step.kind === 'rcpt') {
      if (!this.#replies[step.recipient]) {
        this.#settle(step.recipient, answer(verdictOfRefusal(reply, this.#accepted), 'rcpt', reply))
      }
    } else {
      this.#give(refusal(step.stage, reply))
    }
    return true
  }

  #mayBeAboutId({ code, enhancedCode }: Reply): boolean {
    if (!this.#offered.dsn || this.#transaction.envelopeId === undefined) return false
    return (
      PARAMETER_FAULTS.has(code) || (enhancedCode !== null && ENHANCED_PARAMETER_FAULTS.test(enhancedCode))
    )
  }

  /**
   * True for a reply to an envelope behind a message that may be about its place there: the server may have dropped
   * some commands at the dot, or forbid what comes before its answer ("554 SMTP synchronization error"). MAIL and DATA
   * concern the whole mail, so no such refusal of them ends it. That of a recipient does, unless its code complains
   * about commands: many servers say 550 5.5.0 for a mailbox that does not exist.
   */
  #isFaultBehind({ kind }: CommandStep, { code, enhancedCode }: Reply): boolean {
    // When all recipients are refused, the refusal of DATA is in order.
    if (this.#waiting === 0) return false
    if (kind === 'rcpt') return COMMAND_FAULTS.has(code)
    return code >= 500 || (enhancedCode !== null && ENHANCED_COMMAND_FAULTS.test(enhancedCode))
  }

  /** Recipients that the server has refused are asked for again as well: it may have missed some of the commands. */
  #giveUntried(error: SmtpError): void {
    this.#replies.fill(null)
    this.#waiting = this.#replies.length
    // Behind another message the session may have ended at that one's dot.
    this.#lose(error, 'mail', error.stage === 'dot' && error.code !== undefined ? 'ended' : 'lost')
  }

  /** Sends the message itself and reads the answer to it. */
  async #text(stuffed: StuffedMessage, size: number, onDot: () => void): Promise<void> {
    const connection = this.#connection
    connection.dialogue?.sent(`(message of ${size} octets)`)
    const { replies, error, dotSent, abandoned } = await connection.sendMessage(
      stuffed,
      this.#transaction.handOver ?? this.#transaction.mayHandOver,
      () => {
        onDot()
        // Refused recipients may be tried again on this session.
        if (this.#accepted === this.#replies.length) this.#transaction.onDot?.()
      },
    )
    if (abandoned) {
      connection.dialogue?.note('abandoned before the final dot')
      connection.destroy()
      this.#give({ verdict: 'released', message: released, stage: 'data' })
      return
    }
    const reply = replies[0]
    if (!reply) {
      // RFC 5321 4.2.5: a 421 in answer to the dot is a refusal; without an answer the server may have taken
      // the message.
      if (dotSent && error!.kind !== 'reply') {
        this.#give({ verdict: 'uncertain', message: error!.message, stage: 'dot', kind: error!.kind })
      } else this.#lose(error!)
      return
    }
    const digit = replyClass(reply)
    if (digit === 3) {
      connection.fail('protocol', `answered the message with ${replyText(reply)}`)
      this.#give({ verdict: 'uncertain', message: replyText(reply), stage: 'dot' })
    } else this.#give(answer(digit === 2 ? 'delivered' : digit === 4 ? 'deferred' : 'bounced', 'dot', reply))
  }

  #lose(error: SmtpError, stage = error.stage, untried?: UntriedReason): void {
    const { kind, message, code, enhancedCode, said } = error
    const reply: RecipientReply = {
      verdict: 'deferred',
      message,
      stage: stage === 'idle' ? 'mail' : stage,
      kind,
      said,
    }
    if (code !== undefined) reply.code = code
    if (enhancedCode !== undefined) reply.enhancedCode = enhancedCode
    if (untried !== undefined) reply.untried = untried
    this.#give(reply)
  }

  /** Gives the same reply to every recipient that has none yet. */
  #give(reply: RecipientReply): void {
    for (let index = 0; index < this.#replies.length; index++) {
      if (!this.#replies[index]) this.#settle(index, reply)
    }
  }

  #settle(index: number, reply: RecipientReply): void {
    this.#replies[index] = reply
    this.#waiting--
  }
}

function answer(verdict: RecipientReply['verdict'], stage: Stage, reply: Reply): RecipientReply {
  const answered: RecipientReply = { verdict, message: replyText(reply), stage, code: reply.code }
  if (reply.enhancedCode !== null) answered.enhancedCode = reply.enhancedCode
  return answered
}

function refusal(stage: Stage, reply: Reply): RecipientReply {
  return answer(replyClass(reply) === 5 ? 'bounced' : 'deferred', stage, reply)
}

/** RFC 5321 4.2.2: an error in parameters, one that is not implemented, those that MAIL may not have (for now). */
const PARAMETER_FAULTS: ReadonlySet<number> = new Set([501, 504, 555, 455])
/** RFC 3463 3.6: invalid command arguments. */
const ENHANCED_PARAMETER_FAULTS = /^[45]\.5\.4$/
/** RFC 5321 4.2.2: an unknown command, one that is not implemented, a bad sequence. */
const COMMAND_FAULTS: ReadonlySet<number> = new Set([500, 502, 503])
/** RFC 3463 3.6: an invalid command or syntax. Not 4.5.3, too many recipients, or 4.5.4, invalid arguments. */
const ENHANCED_COMMAND_FAULTS = /^4\.5\.[0-2]$/

const released = notAttempted('given back before the message was sent')

/**
 * RFC 5321 4.5.3.1.10: 552 to RCPT was once the code for too many recipients and must then be treated as 452: when the
 * server accepted others before it and no enhanced code gives another reason, such as a full mailbox (5.2.2). Servers
 * also say so in words, or by 5.5.3 (RFC 3463 3.6), with any code.
 */
function verdictOfRefusal(reply: Reply, acceptedBefore: number): 'bounced' | 'deferred' {
  const { code, enhancedCode } = reply
  if (code < 500) return 'deferred'
  if (acceptedBefore === 0) return 'bounced'
  const tooMany = enhancedCode === '5.5.3' || (code === 552 && enhancedCode === null)
  return tooMany || matcherOf(plainWords(replyText(reply)))(CROWDED) ? 'deferred' : 'bounced'
}
