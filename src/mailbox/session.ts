/**
 * One connection to the mailbox, over IMAP (RFC 9051, 3501). The service marks messages that it has read with a keyword
 * of its own instead of `\Seen`, so that it does not skip messages that a person has opened with a mail program.
 */

import type { ImapFlow } from 'imapflow'
import { DAY_MS } from '../common/utc-day.ts'
import type { ImapMailbox } from '../config/values.ts'
import { MAX_READ } from '../inbound/arrived-mail.ts'
import { CONNECT_FAULTS } from '../network/connect-fault.ts'

/** Marks messages that the service has read. On a server that keeps no keywords, `\Seen` does. */
const KEYWORD = 'PostroadRead'
/** The folder for messages that cannot be read. */
export const ASIDE = 'Postroad unreadable'
/** Octets of a line of the server: the answer to a search of two million messages. */
const MAX_OF_LINE = 16 * 1024 * 1024
/** Time limits in ms: for a connection, for its greeting, and for an answer of a silent server. */
const CONNECT_MS = 15_000
const SILENT_MS = 90_000

/** Why the mailbox cannot be used; the message is a sentence without a final dot, and holds no password. */
export class MailboxFault extends Error {
  override name = 'MailboxFault'
}

export interface MailboxMessage {
  uid: number
  /** The message, or its beginning. */
  raw: Uint8Array
  /** Octets of the whole message. */
  size: number
}

export interface SessionOptions {
  mailbox: ImapMailbox
  /** Certificate authorities (PEM) to trust instead of the built-in ones. */
  ca?: string[]
  /** Ms after which a silent server counts as gone. */
  silentMs?: number
}

export class MailboxSession implements AsyncDisposable {
  readonly #client: ImapFlow
  readonly #host: string
  /** The keyword, or `\Seen`. */
  readonly #mark: string
  #isNew = true
  #wake = Promise.withResolvers<void>()

  private constructor(client: ImapFlow, { host }: ImapMailbox, mark: string) {
    this.#client = client
    this.#host = host
    this.#mark = mark
    client.on('exists', () => {
      this.#isNew = true
      this.#wake.resolve()
    })
    client.on('close', () => this.#wake.resolve())
  }

  /** Logs in and opens the folder. Rejects with MailboxFault, also when `signal` aborts. */
  static async open(options: SessionOptions, signal?: AbortSignal): Promise<MailboxSession> {
    const { mailbox } = options
    const client = await newClient(options)
    const close = () => client.close()
    signal?.addEventListener('abort', close)
    try {
      signal?.throwIfAborted()
      await client.connect()
      const folder = await client.mailboxOpen(mailbox.folder)
      if (folder.readOnly === true)
        throw new MailboxFault(
          `${mailbox.host} lets ${mailbox.folder} be read only, so messages cannot be marked`,
        )
      const kept = folder.permanentFlags
      const keeps = kept === undefined || kept.has('\\*') || kept.has(KEYWORD)
      return new MailboxSession(client, mailbox, keeps ? KEYWORD : '\\Seen')
    } catch (error) {
      client.close()
      throw faultOf(error, mailbox)
    } finally {
      signal?.removeEventListener('abort', close)
    }
  }

  /** Identifies the messages of the folder, together with their UIDs (RFC 3501 2.3.1.1). */
  get validity(): string {
    const { mailbox } = this.#client
    return mailbox === false ? '' : String(mailbox.uidValidity)
  }

  /** False once the connection has ended. */
  get isOpen(): boolean {
    return this.#client.usable
  }

  /** Whether messages have come since the last look. */
  get hasNews(): boolean {
    return this.#isNew
  }

  /** The UIDs above `above` of unread messages that came after `after`, or on the day before it. Lowest first. */
  async unread(after: number, above = 0): Promise<number[]> {
    this.#isNew = false
    // A search knows days only, in the time zone of the server (RFC 3501 6.4.4).
    const since = new Date(after - DAY_MS)
    const marked = this.#mark === KEYWORD ? { unKeyword: KEYWORD } : { seen: false }
    const query = { ...marked, since, uid: `${above + 1}:*` }
    const found = await this.#ask('search', (client) => client.search(query, { uid: true }))
    // When no UID is above the range's start, `*` means the highest UID below it (RFC 3501 6.4.8).
    return found.filter((uid) => uid > above).toSorted((a, b) => a - b)
  }

  /** Messages by UID; those that are gone are left out. */
  async *read(uids: readonly number[]): AsyncGenerator<MailboxMessage> {
    const parts = { uid: true, size: true, source: { start: 0, maxLength: MAX_READ } }
    try {
      for await (const { uid, size, source } of this.#client.fetch(uids.join(','), parts, { uid: true })) {
        if (source !== undefined) yield { uid, raw: source, size: size ?? source.length }
      }
    } catch (error) {
      throw this.#fault(error)
    }
  }

  async markRead(uids: readonly number[]): Promise<void> {
    const flags = [...new Set([this.#mark, '\\Seen'])]
    await this.#ask('mark messages', (client) =>
      client.messageFlagsAdd(uids.join(','), flags, { uid: true, silent: true }),
    )
  }

  /** Moves a message that cannot be read into the folder for such messages. */
  async putAside(uid: number): Promise<void> {
    await this.#ask('make a folder', (client) => client.mailboxCreate(ASIDE))
    await this.#ask('move a message', (client) => client.messageMove(String(uid), ASIDE, { uid: true }))
  }

  /** The number of messages in the folder for unreadable ones. */
  async countAside(): Promise<number> {
    const status = await this.#client.status(ASIDE, { messages: true }).catch(() => false as const)
    return status === false ? 0 : (status.messages ?? 0)
  }

  /** Resolves when messages have come, when the connection or the wait has ended, or when `signal` aborts. */
  async waitForNews(ms: number, signal: AbortSignal): Promise<void> {
    if (this.#isNew || signal.aborted || !this.#client.usable) return
    this.#wake = Promise.withResolvers()
    const wake = () => this.#wake.resolve()
    const timer = setTimeout(wake, ms)
    signal.addEventListener('abort', wake, { once: true })
    // IDLE ends with the next command. If IDLE fails, the timer ends the wait.
    this.#client.idle().catch(() => {})
    try {
      await this.#wake.promise
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', wake)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client.close()
  }

  /** Runs a command. The library returns false for a refusal; this throws a fault instead. */
  async #ask<Answer>(
    what: string,
    ask: (client: ImapFlow) => Promise<Answer>,
  ): Promise<Exclude<Answer, false | undefined>> {
    let answer: Answer
    try {
      answer = await ask(this.#client)
    } catch (error) {
      throw this.#fault(error)
    }
    if (answer === false || answer === undefined) throw new MailboxFault(`${this.#host} refused to ${what}`)
    return answer as Exclude<Answer, false | undefined>
  }

  #fault(error: unknown): MailboxFault {
    return faultOf(error, { host: this.#host, folder: '' })
  }
}

/** Loads the library, which takes some tenths of a second and 37 MB: only where there is a mailbox. */
export const loadClient = () => import('imapflow')

async function newClient({ mailbox, ca, silentMs = SILENT_MS }: SessionOptions): Promise<ImapFlow> {
  const { host, port, implicitTls, user, password } = mailbox
  const { ImapFlow: Client } = await loadClient()
  const client = new Client({
    host,
    port,
    secure: implicitTls,
    // Unencrypted connections are allowed to this machine only, where no certificate would be trusted anyway.
    ...(!implicitTls && { doSTARTTLS: false }),
    auth: { user, pass: password },
    ...(ca && { tls: { ca } }),
    clientInfo: { name: 'Postroad' },
    // The library's log would hold addresses and words of the server.
    logger: false,
    disableAutoIdle: true,
    // A compressed answer could be a thousand times as large as what arrives.
    disableCompression: true,
    connectionTimeout: Math.min(CONNECT_MS, silentMs),
    greetingTimeout: Math.min(CONNECT_MS, silentMs),
    socketTimeout: silentMs,
    maxLiteralSize: MAX_READ,
    maxLineLength: MAX_OF_LINE,
    maxResponseSize: MAX_OF_LINE + MAX_READ,
  })
  // The command under way rejects with the same error.
  client.on('error', () => {})
  return client
}

const WORDS: Readonly<Record<string, string>> = {
  ...CONNECT_FAULTS,
  ENOTFOUND: 'has no address in DNS',
  EAI_AGAIN: 'could not be looked up in DNS',
  CONNECT_TIMEOUT: CONNECT_FAULTS.ETIMEDOUT!,
  GREETING_TIMEOUT: 'did not greet in time',
  ETIMEOUT: 'fell silent',
  NoConnection: 'closed the connection',
  EConnectionClosed: 'closed the connection',
  ClosedAfterConnectText: 'closed the connection',
  ClosedAfterConnectTLS: 'closed the connection',
  ECONNRESET: 'closed the connection',
  EPIPE: 'closed the connection',
}

/** Codes of Node.js for certificates. */
const CERTIFICATE = /CERT|SIGNATURE|UNABLE_TO_|ALTNAME/

function faultOf(error: unknown, { host, folder }: Pick<ImapMailbox, 'host' | 'folder'>): MailboxFault {
  if (error instanceof MailboxFault) return error
  const { code, authenticationFailed, mailboxMissing, responseText, message } = error as Error & {
    code?: string
    authenticationFailed?: boolean
    mailboxMissing?: boolean
    responseText?: string
  }
  const fault = (words: string) => new MailboxFault(`${host} ${words}`, { cause: error })
  if (authenticationFailed === true) return fault('refused the user or the password')
  if (mailboxMissing === true) return fault(`has no folder ${folder}`)
  const known = WORDS[String(code)]
  if (known !== undefined) return fault(known)
  if (CERTIFICATE.test(String(code))) return fault(`has a certificate that does not hold: ${message}`)
  return fault(`answered with an error: ${responseText ?? message}`)
}
