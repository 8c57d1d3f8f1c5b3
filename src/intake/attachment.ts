/** Attachments of a submission, checked and named for sending. */
import { lastComponent } from '../mail/file-name.ts'
import { assertHeaderText, HeaderError } from '../mail/header/header.ts'
import { mediaTypeOf, parseMediaType } from '../mail/media-type.ts'
import type { Attachment } from '../mail/message.ts'
import { Refusal } from './refusal.ts'
import type { SubmittedAttachment } from './submission.ts'

/** Octets; file systems allow 255. */
const MAX_NAME = 1000
/** Octets; it must fit on one header line with everything in it encoded (RFC 2392 2, RFC 5322 2.1.1). */
const MAX_CONTENT_ID = 500

/** One file of a submission. Throws a Refusal with its index when it cannot be sent. */
export function attachmentOf(submitted: SubmittedAttachment, index: number): Attachment {
  const invalid = (detail: string) => new Refusal({ code: 'attachment_invalid', index, detail })
  const { content, disposition } = submitted
  const filename = lastComponent(submitted.filename)
  if (filename === '') throw invalid('it has no file name')
  const contentId = unbracketed(submitted.contentId)
  const bounded = (what: string, text: string, max: number) => {
    if (Buffer.byteLength(text) > max) throw invalid(`${what} is longer than ${max} octets`)
    assertHeaderText(text, what)
  }
  try {
    bounded('its file name', filename, MAX_NAME)
    if (contentId !== undefined) bounded('its content id', contentId, MAX_CONTENT_ID)
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

/** Some clients copy the id from the field (RFC 2392 2): the brackets belong to the field, not to the id. */
function unbracketed(contentId: string | undefined): string | undefined {
  return contentId !== undefined && /^<[^<>]+>$/.test(contentId) ? contentId.slice(1, -1) : contentId
}
