/** What goes to delivery: rows in the shape that the queries of both databases give them. */
import type { Attachment, MessageContent } from '../mail/message.ts'
import { listOf } from './json-columns.ts'

/** The stored content of an email cannot be turned back into what was accepted. */
export class ContentDamaged extends Error {
  override name = 'ContentDamaged'
}

export interface ContentRow {
  header_from: string
  header_to: string | null
  header_cc: string | null
  reply_to: string | null
  subject: string
  headers: string | null
  messageId: string
  date: number
}

export interface BodyRow {
  html: string | null
  text: string | null
}

export interface FileRow {
  position: number
  filename: string
  contentType: string
  disposition: string
  contentId: string | null
  bytes: Uint8Array | null
}

/** `files`: in order. Throws ContentDamaged, saying what is missing or does not read back. */
export function contentOf(
  row: ContentRow,
  { html, text }: BodyRow,
  files: readonly FileRow[],
): MessageContent {
  const content: MessageContent = {
    from: row.header_from,
    to: parsed(row.header_to, 'to'),
    cc: parsed(row.header_cc, 'cc'),
    replyTo: parsed(row.reply_to, 'reply_to'),
    subject: row.subject,
    headers: parsed(row.headers, 'headers'),
    attachments: files.map(fileOf),
    messageId: row.messageId,
    date: row.date,
  }
  if (html !== null) content.html = html
  if (text !== null) content.text = text
  return content
}

/** ContentDamaged (returned, not thrown: other recipients are not concerned) when they do not read back. */
export function variablesOf(text: string | null): Record<string, string> | ContentDamaged | null {
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

function parsed<T>(text: string | null, field: string): T[] {
  try {
    return listOf<T>(text)
  } catch (error) {
    throw new ContentDamaged(`the stored field ${field} is damaged`, { cause: error })
  }
}
