/** Mail that the service itself sends: to people, about the installation. */
import { hash } from 'node:crypto'
import { type SendingDomain, serviceSender } from '../accounts/account.ts'
import type { AccountDirectory } from '../accounts/directory.ts'
import { acceptsMail } from '../accounts/sending.ts'
import { parseMailbox } from '../mail/address/address.ts'
import type { Intake } from './intake.ts'
import type { Submission } from './submission.ts'

interface SystemMessage {
  /** An address. */
  to: string
  subject: string
  text: string
  /** Filled in when the message is delivered. */
  variables?: Record<string, string>
  /** Delivered directly, the message leaves over TLS or not at all. A relay is reached as its URL says. */
  confidential?: true
  /** The same for the same message: it is sent once, whichever node asks for it within a day. */
  key: string
}

/** A ready message. */
interface SystemFile {
  to: string
  raw: Uint8Array
  key: string
}

/** The domain of POSTROAD_SYSTEM_FROM is not a domain that may send. */
class NoSystemSender extends Error {
  override name = 'NoSystemSender'
}

export class SystemMail {
  readonly #from: string
  readonly #intake: Pick<Intake, 'submit'>
  readonly #directory: Pick<AccountDirectory, 'domains' | 'routeFor'>
  readonly #direct: boolean

  /** `direct`: POSTROAD_DELIVERY is direct. */
  constructor(
    { from, direct }: { from: string; direct: boolean },
    intake: Pick<Intake, 'submit'>,
    directory: Pick<AccountDirectory, 'domains' | 'routeFor'>,
  ) {
    this.#from = from
    this.#direct = direct
    this.#intake = intake
    this.#directory = directory
  }

  /** Resolves when the message is durable. Rejects with NoSystemSender, or a Refusal. */
  async send({ to, subject, text, variables, confidential, key }: SystemMessage): Promise<void> {
    // RFC 3834 5: nobody should answer it automatically.
    const headers: Submission['headers'] = [['Auto-Submitted', 'auto-generated']]
    const recipientVariables = variables && { [to]: variables }
    await this.#submit(to, {
      subject,
      text,
      headers,
      ...(recipientVariables && { recipientVariables }),
      ...(confidential && this.#isDirect() && { tls: 'required' }),
      idempotency: onceBy(key),
    })
  }

  /**
   * Sends a ready message from the same address, whatever encryption the recipient's domain demands. Resolves when it
   * is durable, and rejects as `send` does.
   */
  async sendReport({ to, raw, key }: SystemFile): Promise<void> {
    await this.#submit(to, { subject: '', headers: [], raw, tls: 'none', idempotency: onceBy(key) })
  }

  async #submit(
    to: string,
    message: Pick<
      Submission,
      'subject' | 'headers' | 'text' | 'recipientVariables' | 'raw' | 'tls' | 'idempotency'
    >,
  ): Promise<void> {
    const domain = this.#domain()
    await this.#intake.submit(serviceSender(domain.companyId), {
      ...message,
      domain: domain.name,
      from: this.#from,
      to: [to],
      cc: [],
      bcc: [],
      replyTo: [],
      attachments: [],
      tags: [],
      variables: {},
      testMode: false,
    })
  }

  #isDirect(): boolean {
    const { id: domainId, companyId } = this.#domain()
    return this.#direct && this.#directory.routeFor({ domainId, companyId }) === null
  }

  #domain(): SendingDomain {
    const { domain: name } = parseMailbox(this.#from)
    const domain = this.#directory.domains().find((each) => each.name === name && acceptsMail(each))
    if (domain !== undefined) return domain
    throw new NoSystemSender(`POSTROAD_SYSTEM_FROM is ${this.#from}, but ${name} is no domain that sends`)
  }
}

/** The key alone decides: the words of a message may change between two tries. */
function onceBy(key: string): NonNullable<Submission['idempotency']> {
  return { key, fingerprint: hash('sha256', key) }
}
