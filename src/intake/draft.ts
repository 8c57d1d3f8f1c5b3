import type { Mailbox } from '../mail/address/address.ts'
import { variablesError } from '../mail/batch/substitute.ts'
import { assertHeaderText, customField, HeaderError, isReservedHeader } from '../mail/header/header.ts'
import { isMessageId } from '../mail/header/message-id.ts'
import { mediaTypeOf, parseMediaType } from '../mail/media-type.ts'
import type { Attachment, MessageContent } from '../mail/message.ts'
import type { NewRecipient } from '../store/store.ts'
import { type Addressing, envelopeOf } from './addressing.ts'
import { Refusal } from './refusal.ts'
import type { Submission, SubmittedAttachment } from './submission.ts'

/** A submission whose every part is checked, before it has an id, a date and a permission to leave. */
export interface Draft {
  from: Mailbox
  recipients: NewRecipient[]
  /** Mailboxes as the sender wrote them. */
  bcc: string[]
  /** `messageId` is empty unless the sender chose one; `date` is still to be set. */
  content: MessageContent
  /** A ready message to send as it is. */
  raw: Uint8Array | null
}

/** Checks the parts of a message. Throws a Refusal for the first that cannot be used. */
export async function draftFromParts(
  submission: Submission,
  addressing: Addressing,
  deriveText: (html: string) => Promise<string>,
): Promise<Draft> {
  const { from, to, cc, bcc, replyTo } = addressing
  const html = submission.html || undefined
  if (html === undefined && !submission.text) throw new Refusal({ code: 'body_missing' })
  assertWellFormed('html', html)
  assertWellFormed('text', submission.text)
  named('subject', () => assertHeaderText(submission.subject, 'The subject'))
  const content: MessageContent = {
    from: from.text,
    to: texts(to),
    cc: texts(cc),
    replyTo: texts(replyTo),
    subject: submission.subject,
    headers: headersOf(submission),
    attachments: submission.attachments.map(attachmentOf),
    messageId: messageIdOf(submission),
    date: 0,
  }
  if (html !== undefined) content.html = html
  const text = submission.text ?? (html === undefined ? undefined : await deriveText(html))
  if (text) content.text = text
  checkVariables(content, submission.recipientVariables)
  return {
    from,
    recipients: envelopeOf(addressing, submission.recipientVariables),
    bcc: texts(bcc),
    content,
    raw: null,
  }
}

/** Batch sending: a value that cannot stand where the message refers to it is refused now, not at delivery. */
export function checkVariables(
  content: MessageContent,
  recipientVariables: Record<string, Record<string, string>> | undefined,
): void {
  for (const [address, variables] of Object.entries(recipientVariables ?? {})) {
    const error = variablesError(content, variables)
    if (error !== null) {
      throw new Refusal({
        code: 'field_invalid',
        field: 'recipient-variables',
        detail: `for ${address}: ${error}`,
      })
    }
  }
}

export function messageIdOf(submission: Submission): string {
  return submission.messageId !== undefined && isMessageId(submission.messageId) ? submission.messageId : ''
}

/** Mailboxes as the sender wrote them. */
export function texts(mailboxes: Mailbox[]): string[] {
  return mailboxes.map(({ text }) => text)
}

function headersOf(submission: Submission): [string, string][] {
  const kept: [string, string][] = []
  for (const [name, value] of submission.headers) {
    if (isReservedHeader(name)) continue
    named(`headers.${name.slice(0, 80)}`, () => customField(name, value))
    kept.push([name, value])
  }
  return kept
}

function attachmentOf(submitted: SubmittedAttachment, index: number): Attachment {
  const invalid = (detail: string) => new Refusal({ code: 'attachment_invalid', index, detail })
  const { filename, content, disposition, contentId } = submitted
  if (filename.trim() === '') throw invalid('it has no file name')
  try {
    assertHeaderText(filename, 'its file name')
    if (contentId !== undefined) assertHeaderText(contentId, 'its content id')
  } catch (error) {
    if (!(error instanceof HeaderError)) throw error
    throw invalid(error.message)
  }
  const contentType = submitted.contentType ?? mediaTypeOf(filename)
  if (parseMediaType(contentType) === null) {
    throw invalid('its media type is not of the form type/subtype')
  }
  const attachment: Attachment = { filename, contentType, content, disposition }
  if (contentId !== undefined) attachment.contentId = contentId
  return attachment
}

function assertWellFormed(field: string, text: string | undefined): void {
  if (text !== undefined && !text.isWellFormed()) {
    throw new Refusal({ code: 'field_invalid', field, detail: 'it contains half of a surrogate pair' })
  }
}

/** Runs a check of the mail module; what it complains about becomes a Refusal that names the field. */
function named(field: string, check: () => void): void {
  try {
    check()
  } catch (error) {
    if (!(error instanceof HeaderError)) throw error
    throw new Refusal({ code: 'field_invalid', field, detail: error.message })
  }
}
