/** What goes to delivery: rows in the shape that the queries of both databases give them. */
import { type Columns, rowReader } from '../email/codec.ts'
import { fieldsOf } from '../email/fields.ts'
import type { ClaimedEmail, ClaimedRecipient } from '../email/queued-email.ts'
import type { Attachment } from '../mail/message.ts'
import { COLUMNS } from './email-columns.ts'

/** The stored content of an email cannot be turned back into what was accepted. */
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

const COLUMNS_OF_WORK: Columns = {
  ...COLUMNS,
  listOf: (text, name) => orDamaged(() => COLUMNS.listOf(text, name), name),
  mapOf: (text, name) => orDamaged(() => COLUMNS.mapOf(text, name), name),
}

const claimedOf = rowReader<ClaimedEmail>(fieldsOf('queue'), COLUMNS_OF_WORK)

/**
 * The email without recipients. `row`, `large`: rows with a column for each field that who claims it reads; `files`: in
 * order. Throws ContentDamaged, saying what is missing or does not read back.
 */
export function claimedEmail(row: object, large: object, files: readonly FileRow[]): ClaimedEmail {
  const email = claimedOf(row, large)
  email.content.attachments = files.map(fileOf)
  email.recipients = []
  return email
}

/**
 * `text`: its variables in JSON. ContentDamaged (returned, not thrown: other recipients are not concerned) when they do
 * not read back.
 */
export function claimedRecipient(
  recipient: Omit<ClaimedRecipient, 'variables'>,
  text: string | null,
): ClaimedRecipient | ContentDamaged {
  const variables = variablesOf(text)
  if (variables instanceof ContentDamaged) return variables
  const { position, address, domain, attempts, preferredServer, uncertain, postponedSince, suspicion } =
    recipient
  return {
    position,
    address,
    domain,
    attempts,
    variables,
    preferredServer,
    uncertain,
    postponedSince,
    suspicion,
  }
}

function variablesOf(text: string | null): Record<string, string> | ContentDamaged | null {
  try {
    return text === null ? null : (JSON.parse(text) as Record<string, string>)
  } catch (error) {
    return new ContentDamaged('the stored variables of the recipient are damaged', { cause: error })
  }
}

/** What is shown with a recipient that ends because its mail cannot be read back. */
export function notSent(why: ContentDamaged): string {
  return `Not sent: ${why.message}. Restore it from a backup, or have the sender hand it in again`
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
    disposition: disposition === 'inline' ? 'inline' : 'attachment',
  }
  if (contentId !== null) file.contentId = contentId
  return file
}

function orDamaged<T>(read: () => T, field: string): T {
  try {
    return read()
  } catch (error) {
    throw new ContentDamaged(`the stored field ${field} is damaged`, { cause: error })
  }
}
