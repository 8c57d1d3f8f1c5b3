/**
 * Finds the email that a mail is about: by a return path or an envelope id, which prove it, or by a Message-ID, which
 * everybody who got the email knows.
 */
import { isEmailId } from '../email/email-id.ts'
import { domainOf } from '../mail/address/address-domain.ts'
import type { MailReport } from '../mail/report/report.ts'
import {
  type ReadReturnPath,
  type ReturnPathKey,
  readReturnPath,
  readReturnPathCode,
} from '../mail/return-path/return-path.ts'
import type { InboundStore, NamedEmail, ReportedEmail } from '../store/store.ts'
import type { ArrivedMail } from './arrived-mail.ts'
import { reportedAddresses } from './consequences.ts'
import type { ReadMail } from './read-mail.ts'
import { SharedCalls } from './shared-calls.ts'

export interface EmailFinderParts {
  store: Pick<InboundStore, 'reportedEmails' | 'emailWithMessageId'>
  returnPathKey: ReturnPathKey
  /** Unix ms. */
  now(): number
}

export interface EmailMatch {
  email: ReportedEmail | null
  /** The valid return path that the mail came to, or that its report names; null: there is none. */
  returnPath: ReadReturnPath | null
}

export class EmailFinder {
  readonly #parts: EmailFinderParts
  readonly #lookups: SharedCalls<NamedEmail, ReportedEmail | null>

  constructor(parts: EmailFinderParts) {
    this.#parts = parts
    this.#lookups = new SharedCalls((named) => parts.store.reportedEmails(named))
  }

  async find(
    { recipient, companyId }: Pick<ArrivedMail, 'recipient' | 'companyId'>,
    { report, addressees }: Pick<ReadMail, 'report' | 'addressees'>,
  ): Promise<EmailMatch> {
    const { returned } = report
    const [key, at] = [this.#parts.returnPathKey, this.#parts.now()]
    const addresses = [...(recipient === null ? [] : [recipient]), ...addressees]
    const returnPath =
      returnPathIn([...addresses, returned.mailFrom ?? ''], (address) => readReturnPath(key, address, at)) ??
      returnPathIn([returned.envelopeId ?? ''], (code) => readReturnPathCode(key, code, at))
    const id = returnPath?.emailId ?? (await this.#idOfMessage(returned))
    if (id === null) return { email: null, returnPath }
    const position = returnPath?.recipient ?? null
    const email = await this.#lookups.add({ id, position, addresses: reportedAddresses(report) })
    // For the company whose key handed the mail in, emails of other companies do not exist.
    const foreign = email !== null && companyId !== undefined && companyId !== email.companyId
    return { email: foreign ? null : email, returnPath }
  }

  /**
   * A Message-ID of our own begins with the email's id. Any other one was chosen by a sender, and several companies may
   * have chosen the same: in that case the author decides whose email it is.
   */
  async #idOfMessage({ messageId, from }: MailReport['returned']): Promise<string | null> {
    if (messageId === null) return null
    const id = /^<([^@]+)@/.exec(messageId)?.[1]?.toLowerCase() ?? ''
    if (isEmailId(id)) return id
    return from === null ? null : await this.#parts.store.emailWithMessageId(messageId, domainOf(from))
  }
}

function returnPathIn(
  texts: readonly string[],
  readIn: (text: string) => ReturnType<typeof readReturnPath>,
): ReadReturnPath | null {
  for (const text of texts) {
    const returnPath = readIn(text)
    if (returnPath !== null && typeof returnPath === 'object') return returnPath
  }
  return null
}

/**
 * The mail returns another message than the email: a bounce of a bounce, or a use of the return path by somebody who
 * got the email. A relay may have given the email another Message-ID, but not another author.
 */
export function isAboutAnother(
  { returned: { messageId: named, from } }: MailReport,
  { messageId, sender }: ReportedEmail,
  returnPath: ReadReturnPath | null,
): boolean {
  if (named === null || (from !== null && domainOf(from) === domainOf(sender))) return false
  // Another company may have sent mail with the same Message-ID.
  return named !== messageId || (returnPath === null && from !== null)
}
