import type { Mailbox } from '../mail/address/address.ts'
import { type Addressee, filledMessageId } from '../mail/batch/substitute.ts'
import { headerBound } from '../mail/compose/size-bound.ts'
import { customField } from '../mail/header/custom-field.ts'
import { assertHeaderText, HeaderError, isReservedHeader } from '../mail/header/header.ts'
import {
  formatMailboxes,
  isAuthorField,
  isMailboxField,
  readMailboxField,
} from '../mail/header/mailbox-field.ts'
import { isMessageId, MAX_MESSAGE_ID } from '../mail/header/message-id.ts'
import { OCCURS_ONCE } from '../mail/header/once.ts'
import type { MessageContent } from '../mail/message.ts'
import type { RawFileNames } from '../mail/raw/files.ts'
import type { OpenMessage } from '../mail/raw/raw.ts'
import type { NewRecipient } from '../store/store.ts'
import { type Addressing, envelopeOf } from './addressing.ts'
import { attachmentOf } from './attachment.ts'
import { addresseesOf, checkVariables } from './batch.ts'
import { Refusal } from './refusal.ts'
import type { Submission } from './submission.ts'

/** An author named by a field other than From. */
export interface NamedAuthor {
  /** The field of the submission. */
  field: string
  /** The field of the header. */
  name: string
  mailbox: Mailbox
}

/** A submission with every part checked. It has no id, no date and no permission to send yet. */
export interface Draft {
  from: Mailbox
  /** Authors named by Sender, Resent-From and the like, besides `from`. */
  authors: NamedAuthor[]
  recipients: NewRecipient[]
  /** Mailboxes as the sender wrote them. */
  bcc: string[]
  /** `messageId` is empty unless the sender chose one; `date` is set later. */
  content: MessageContent
  /** A ready message to send unchanged. */
  raw: OpenMessage | null
  /** The files within it. */
  rawFiles: RawFileNames | null
  /** The addressees of the copies in batch sending; null for any other email. */
  addressees: Addressee[] | null
  /** Upper bound for the octets of the header without the value of Message-ID; null when only composing can tell. */
  headerBound: number | null
}

/**
 * The most files of a message, far more than real ones have. Each file costs a row in the store and a part in
 * composing.
 */
const MAX_FILES = 1_000

/** Checks the parts of a message. Throws a Refusal for the first invalid one. */
export function draftFromParts(submission: Submission, addressing: Addressing): Draft {
  const { from, to, cc, bcc, replyTo } = addressing
  const html = submission.html || undefined
  if (html === undefined && !submission.text) throw new Refusal({ code: 'body_missing' })
  assertWellFormed('html', html)
  assertWellFormed('text', submission.text)
  assertWellFormed('amp-html', submission.amp)
  checkField('subject', () => assertHeaderText(submission.subject, 'The subject'))
  const custom = headersOf(submission)
  const files = submission.attachments.length
  if (files > MAX_FILES) {
    const detail = `a message may have at most ${MAX_FILES} files, but ${files} were given`
    throw new Refusal({ code: 'field_invalid', field: 'attachments', detail })
  }
  const content: MessageContent = {
    from: from.text,
    to: texts(to),
    cc: texts(cc),
    replyTo: texts(replyTo),
    subject: submission.subject,
    headers: custom.headers,
    attachments: submission.attachments.map(attachmentOf),
    messageId: '',
    date: 0,
  }
  if (html !== undefined) content.html = html
  if (submission.text) content.text = submission.text
  if (submission.amp) content.amp = submission.amp
  const addressees = addresseesOf(submission.recipientVariables, to, to)
  if (addressees !== null) checkVariables(content, addressees)
  content.messageId = messageIdOf(submission.messageId, addressees)
  // The header of each batch copy names only its own recipient.
  const own = headerBound([[from], addressees === null ? to : to.slice(0, 1), cc, replyTo], content.subject)
  return {
    from,
    authors: custom.authors,
    recipients: envelopeOf(addressing, submission.recipientVariables),
    bcc: texts(bcc),
    content,
    raw: null,
    rawFiles: null,
    addressees,
    headerBound: own === null ? null : own + custom.octets,
  }
}

/**
 * The Message-ID that the sender has chosen, or '' when it is invalid (RFC 5322 3.6.4). In batch sending each copy may
 * have its own: then it has placeholders, and must be valid for every addressee.
 */
export function messageIdOf(chosen: string | undefined, addressees: Addressee[] | null): string {
  if (chosen === undefined || chosen.length > MAX_MESSAGE_ID) return ''
  if (addressees === null) return isMessageId(chosen) ? chosen : ''
  return addressees.every((addressee) => isMessageId(filledMessageId(chosen, addressee))) ? chosen : ''
}

/** Mailboxes as the sender wrote them. */
export function texts(mailboxes: Mailbox[]): string[] {
  return mailboxes.map(({ text }) => text)
}

/** The custom headers to write, their octets, and the authors that they name. */
function headersOf(submission: Submission): {
  headers: [string, string][]
  octets: number
  authors: NamedAuthor[]
} {
  const headers: [string, string][] = []
  const authors: NamedAuthor[] = []
  let octets = 0
  const once = new Set<string>()
  for (const [name, value] of submission.headers) {
    if (isReservedHeader(name)) continue
    const field = `headers.${name.slice(0, 80)}`
    checkField(field, () => {
      octets += Buffer.byteLength(customField(name, value))
    })
    const lower = name.toLowerCase()
    if (once.has(lower)) {
      const detail = 'it appears more than once, but a message may have only one (RFC 5322 3.6)'
      throw new Refusal({ code: 'field_invalid', field, detail })
    }
    if (OCCURS_ONCE.has(lower)) once.add(lower)
    if (!isMailboxField(lower)) {
      headers.push([name, value])
      continue
    }
    // The parsed mailboxes are stored and written, not the raw text.
    const mailboxes = readMailboxField(lower, value)
    if (isAuthorField(lower)) for (const mailbox of mailboxes) authors.push({ field, name, mailbox })
    if (mailboxes.length > 0) headers.push([name, formatMailboxes(mailboxes)])
  }
  return { headers, octets, authors }
}

function assertWellFormed(field: string, text: string | undefined): void {
  if (text !== undefined && !text.isWellFormed()) {
    throw new Refusal({ code: 'field_invalid', field, detail: 'it contains half of a surrogate pair' })
  }
}

/** Runs a check of the mail module; its error becomes a Refusal that names the field. */
function checkField(field: string, check: () => void): void {
  try {
    check()
  } catch (error) {
    if (!(error instanceof HeaderError)) throw error
    throw new Refusal({ code: 'field_invalid', field, detail: error.message })
  }
}
