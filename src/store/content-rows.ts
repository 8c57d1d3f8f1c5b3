/** Makes the content for delivery from rows, in the shape in which the queries of both databases return them. */
import { type ColumnCodec, rowReader } from '../email/codec.ts'
import { fieldsOf, recipientFieldsOf } from '../email/fields.ts'
import type { LeaseFacts } from '../email/lifecycle/attempt.ts'
import { UNTRIED } from '../email/lifecycle/initial-state.ts'
import type { ClaimedEmail, ClaimedRecipient } from '../email/queued-email.ts'
import type { Attachment } from '../mail/message.ts'
import { COLUMNS } from './email-columns.ts'
import { dispositionOf } from './file-rows.ts'
import { StoreDamaged } from './store.ts'

/** The stored content of an email cannot be turned back into the accepted email. */
export class ContentDamaged extends Error {
  override name = 'ContentDamaged'
}

export interface FileRow {
  position: number
  filename: string
  contentType: string
  disposition: string
  contentId: string | null
  bytes: Uint8Array | null
}

const claimedOf = rowReader<ClaimedEmail>(
  fieldsOf('queue'),
  orDamaged((field) => `the stored field ${field} is damaged`),
)
const recipientOf = rowReader<ClaimedRecipient>(
  recipientFieldsOf('queue'),
  orDamaged((field) => `the stored field ${field} of the recipient is damaged`),
  ['position', ...Object.keys(UNTRIED)],
)

/**
 * The email without recipients. `row`, `large`: rows with a column for each field of a claim; `files`: in order. Throws
 * ContentDamaged, saying what is missing or unreadable.
 */
export function claimedEmail(row: object, large: object, files: readonly FileRow[]): ClaimedEmail {
  const email = claimedOf(row, large)
  email.content.attachments = files.map(fileOf)
  email.recipients = []
  return email
}

/**
 * `row`: with a column for each field of a claimed recipient. Returns ContentDamaged when one is unreadable; it does
 * not throw, because other recipients are not concerned.
 */
export function claimedRecipient(row: LeaseFacts & { position: number }): ClaimedRecipient | ContentDamaged {
  try {
    return recipientOf(row)
  } catch (error) {
    if (error instanceof ContentDamaged) return error
    throw error
  }
}

/** The error of a read whose email is unreadable. */
export function damagedEmail(id: string, { message }: ContentDamaged): StoreDamaged {
  return new StoreDamaged(`The stored content of the email ${id} is damaged: ${message}`)
}

/** The message shown with a recipient that ends because its mail is unreadable. */
export function notSent(why: ContentDamaged): string {
  return `Not sent: ${why.message}. Restore it from a backup, or ask the sender to submit it again`
}

function fileOf(
  { position, filename, contentType, disposition, contentId, bytes }: FileRow,
  index: number,
): Attachment {
  if (bytes === null || position !== index) throw new ContentDamaged(`attachment ${index} is missing`)
  const file: Attachment = {
    filename,
    contentType,
    content: bytes,
    disposition: dispositionOf(disposition),
  }
  if (contentId !== null) file.contentId = contentId
  return file
}

/** Columns that throw ContentDamaged, with this message, when they are unreadable. */
function orDamaged(message: (field: string) => string): ColumnCodec {
  const read = <T>(of: (text: string | null) => T, text: string | null, field: string): T => {
    try {
      return of(text)
    } catch (error) {
      throw new ContentDamaged(message(field), { cause: error })
    }
  }
  const { listOf, mapOf } = COLUMNS
  return {
    ...COLUMNS,
    listOf: (text, field) => read((text) => listOf(text, field), text, field),
    mapOf: (text, field) => read((text) => mapOf(text, field), text, field),
  }
}
