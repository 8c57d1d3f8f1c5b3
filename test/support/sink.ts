/**
 * An SMTP server that accepts everything unless a script says otherwise. Tests await what arrives, answer each step of the dialogue
 * as they like (refuse, delay, hang, cut), and are called at each step, so that a process can be killed exactly there.
 */
import type { Dialogue, Pace, Reaction, SinkHooks, Step as SinkStep } from '../../harness/sink/hooks.ts'
import { type ServerOptions, SinkServer } from '../../harness/sink/server.ts'

export type { Reaction } from '../../harness/sink/hooks.ts'

export type Step =
  | SinkStep
  /** The answer to the final dot was handed to the kernel. */
  | 'answered'

export interface Moment {
  step: Step
  /** Counts connections from 1. */
  session: number
  /** The address that the client connected from. */
  peer: string
  /** Counts messages within the session from 1 (0 before the first MAIL). */
  transaction: number
  /** MAIL FROM address without brackets; null outside a transaction. */
  sender: string | null
  /** `rcpt` only: the address just named. */
  recipient: string | null
  /** Recipients accepted so far. */
  recipients: readonly string[]
  /** The whole command line (`ehlo`, `mail`, `rcpt`, ...). */
  line: string
  secure: boolean
  /** `dot` and `answered` only. */
  message: SinkMessage | null
}

/** Undefined: the default answer. May be asynchronous: the dialogue of that session waits. */
export type Script = (moment: Moment) => Reaction | undefined | Promise<Reaction | undefined>

export interface SinkMessage {
  sender: string
  recipients: readonly string[]
  /** What followed the address in MAIL: `SIZE=... BODY=8BITMIME SMTPUTF8`. */
  mailParameters: string
  /** The message as it was before dot-stuffing (RFC 5321 4.5.2), with its final CRLF. */
  raw: Buffer
  session: number
  /** The address that the client connected from, and what it said in EHLO. */
  peer: string
  helo: string
  secure: boolean
  /** Unix ms at the final dot. */
  at: number
  /** The answer that was written, null while it was not (or when it never was). */
  answer: string | null
}

export interface SinkOptions extends ServerOptions {
  script?: Script
  /** Ms that everything on the link to it takes there and back. */
  link?: number
}

/** How long the awaiting functions wait before they fail with a report. */
const PATIENCE = 30_000

interface Waiter {
  ready: () => boolean
  resolve: () => void
}

export class Sink {
  /** Messages whose final dot arrived and was not refused, in order of arrival. */
  readonly messages: SinkMessage[] = []
  /** Messages whose final dot was answered with 4xx or 5xx. */
  readonly refused: SinkMessage[] = []
  /** Every line of every dialogue: `<session> C: ...` and `<session> S: ...`. */
  readonly dialogue: string[] = []
  script: Script | undefined
  readonly #pace: Pace
  readonly #server: SinkServer
  /** The message of each session that is being answered. */
  readonly #answering = new Map<Dialogue, SinkMessage>()
  readonly #waiters = new Set<Waiter>()
  #taken = 0

  constructor({ script, link = 0, ...options }: SinkOptions) {
    this.script = script
    this.#pace = { link, latency: 0, dribble: 0 }
    this.#server = new SinkServer(options, this.#hooks())
  }

  get port(): number {
    return this.#server.port
  }

  /** Connections opened so far. */
  get connections(): number {
    return this.#server.connections
  }

  /** Sessions open now. */
  get open(): number {
    return this.#server.sessions.size
  }

  /** Listens; after `close` on the same port again. */
  listen(): Promise<void> {
    return this.#server.listen()
  }

  /** Stops listening and cuts every session. */
  close(): Promise<void> {
    return this.#server.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** The next message not yet handed out. */
  async next(): Promise<SinkMessage> {
    const index = this.#taken++
    await this.when(() => this.messages.length > index, `message ${index + 1}`)
    return this.messages[index]!
  }

  /** Resolves as soon as `n` messages have arrived altogether. */
  async until(n: number): Promise<SinkMessage[]> {
    await this.when(() => this.messages.length >= n, `${n} messages`)
    return this.messages
  }

  /** The first message that has `recipient` in its envelope. */
  async messageFor(recipient: string): Promise<SinkMessage> {
    const find = () => this.messages.find((message) => message.recipients.includes(recipient))
    await this.when(() => find() !== undefined, `a message for ${recipient}`)
    return find()!
  }

  /** Resolves when `ready` holds; looked at after every step and the end of every dialogue. Fails with what was seen after 30 s. */
  async when(ready: () => boolean, what: string): Promise<void> {
    if (ready()) return
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter = { ready, resolve }
    const tail = () => this.dialogue.slice(-40).join('\n')
    const timer = setTimeout(
      () =>
        reject(new Error(`the sink waited for ${what}, has ${this.messages.length}; last lines:\n${tail()}`)),
      PATIENCE,
    )
    this.#waiters.add(waiter)
    try {
      await promise
    } finally {
      clearTimeout(timer)
      this.#waiters.delete(waiter)
    }
  }

  #noticed(): void {
    for (const waiter of this.#waiters) if (waiter.ready()) waiter.resolve()
  }

  #hooks(): SinkHooks {
    return {
      pace: this.#pace,
      keeps: () => true,
      at: (step, dialogue, line, recipient) =>
        step === 'dot' ? this.#arrived(dialogue) : this.#ask(momentOf(step, dialogue, line, recipient)),
      answered: (dialogue, reply) => {
        const message = this.#answering.get(dialogue)!
        message.answer = reply
        this.#answering.delete(dialogue)
        return this.#ask({ ...momentOf('answered', dialogue), message })
      },
      line: ({ number }, from, text) => {
        this.dialogue.push(`${number} ${from}: ${text}`)
        this.#noticed()
      },
      closed: (dialogue) => {
        this.#answering.delete(dialogue)
        this.#noticed()
      },
    }
  }

  /** The reaction of the script; waiting calls are woken after it. */
  #ask(moment: Moment): ReturnType<Script> {
    const reaction = this.script?.(moment)
    if (reaction instanceof Promise) return reaction.finally(() => this.#noticed())
    this.#noticed()
    return reaction
  }

  /** The final dot. A message whose answer is withheld has arrived all the same. */
  #arrived(dialogue: Dialogue): ReturnType<Script> {
    const { sender, recipients, mailParameters, number, peer, helo, secure } = dialogue
    const message: SinkMessage = {
      sender: sender ?? '',
      recipients,
      mailParameters,
      raw: dialogue.message(),
      session: number,
      peer,
      helo,
      secure,
      at: Date.now(),
      answer: null,
    }
    this.#answering.set(dialogue, message)
    const note = (reaction: Reaction | undefined) => {
      const refused = reaction !== undefined && 'reply' in reaction && !reaction.reply.startsWith('2')
      if (refused) this.refused.push(message)
      else this.messages.push(message)
      this.#noticed()
      return reaction
    }
    const reaction = this.#ask({ ...momentOf('dot', dialogue), message })
    return reaction instanceof Promise ? reaction.then(note) : note(reaction)
  }
}

function momentOf(step: Step, dialogue: Dialogue, line = '', recipient: string | null = null): Moment {
  const { number: session, peer, transaction, sender, recipients, secure } = dialogue
  return { step, session, peer, transaction, sender, recipient, recipients, line, secure, message: null }
}

export async function startSink(options: SinkOptions = {}): Promise<Sink> {
  const sink = new Sink(options)
  await sink.listen()
  return sink
}
