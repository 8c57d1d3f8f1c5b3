/** The files of a form. A file in any other field is refused: if it were dropped, only the recipient would miss it. */
import { isUtf8 } from 'node:buffer'
import { invalidField, Refusal } from '../../intake/refusal.ts'
import type { SubmittedAttachment } from '../../intake/submission.ts'
import { lastComponent } from '../../mail/file-name.ts'
import { DEFAULT_MEDIA_TYPE, mediaTypeOf } from '../../mail/media-type.ts'
import type { Fields } from './fields.ts'
import { type FormFile, fieldName } from './form.ts'

/**
 * Reads the `attachment` and `inline` files. Throws a Refusal for one without a name, and for files in other fields.
 */
export function readAttachments(fields: Fields, files: readonly FormFile[]): SubmittedAttachment[] {
  const attachments: SubmittedAttachment[] = []
  for (const file of files) {
    const { filename, content } = file
    const kind = fieldName(file.field)
    if (kind !== 'attachment' && kind !== 'inline') {
      if (isNoFile(file)) continue
      throw invalidField(
        file.field,
        'files are accepted only in the fields attachment and inline; send text without a file name',
      )
    }
    if (!filename) {
      if (content.length === 0) continue
      throw nameless(attachments.length)
    }
    attachments.push({
      filename,
      content,
      contentType: file.contentType ?? untypedAs(filename, content),
      ...(kind === 'inline'
        ? { disposition: 'inline', contentId: lastComponent(filename) }
        : { disposition: 'attachment' }),
    })
  }
  // An urlencoded form cannot carry files; clients send an empty field for an option that was not set.
  if (fields.first('attachment') !== undefined || fields.first('inline') !== undefined) {
    throw nameless(attachments.length)
  }
  return attachments
}

/**
 * The one `message`: a file part or, as some clients send it, a plain field; in both cases the octets are those of the
 * message. Undefined when there is none. Throws a Refusal for a second one, and for any other file.
 */
export function readMessageFile(files: readonly FormFile[]): Uint8Array | undefined {
  let message: FormFile | undefined
  for (const file of files) {
    const kind = fieldName(file.field)
    if (kind === 'message') {
      if (message) throw invalidField(file.field, 'there is more than one message, but a request sends one')
      message = file
    } else if (kind === 'attachment' || kind === 'inline' || !isNoFile(file)) {
      throw invalidField(file.field, 'the only accepted file is message; put all other files into it')
    }
  }
  return message?.content
}

/** Whether it is a plain field, or the empty part that browsers and clients send when no file was chosen. */
function isNoFile({ filename, content }: FormFile): boolean {
  return filename === undefined || (filename === '' && content.length === 0)
}

/** The type of a file without a Content-Type: by its name; if that names none, text/plain for text (RFC 7578 4.4). */
function untypedAs(filename: string, content: Buffer): string {
  const byName = mediaTypeOf(filename)
  return byName === DEFAULT_MEDIA_TYPE && isUtf8(content) ? 'text/plain' : byName
}

function nameless(index: number): Refusal {
  return new Refusal({
    code: 'attachment_invalid',
    index,
    detail: 'it has no file name; send it as a file part with a filename',
  })
}
