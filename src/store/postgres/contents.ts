import type { Attachment, MessageContent } from '../../mail/message.ts'
import type { ClaimedEmail } from '../store.ts'
import { uuids } from './arrays.ts'
import type { Session, Statement } from './database.ts'
import { listOf, textOf } from './rows.ts'

/** The stored content of an email cannot be turned back into what was accepted. */
export class ContentDamaged extends Error {
  override name = 'ContentDamaged'
}

/** An email as it goes to delivery, still without recipients. */
export interface Loaded {
  email: ClaimedEmail
  company: number
  /** The event `sent` has been written. */
  sent: boolean
}

const EMAILS: Statement = {
  name: 'load-emails',
  text: `
SELECT e.id, c.id AS "companyId", e.company, e.domain_id AS "domainId", e.sender, e.header_from AS "from",
  e.header_to AS "to", e.header_cc AS cc, e.reply_to AS "replyTo", e.subject, e.headers, e.message_id AS "messageId", e.date,
  e.individual, e.test_mode AS "testMode", e.size, e.sent, e.html, e.text, e.raw,
  (SELECT a.email FROM attachments a WHERE a.email = e.id LIMIT 1) IS NOT NULL AS "hasFiles"
FROM unnest($1::uuid[]) AS t (id)
JOIN emails e ON e.id = ANY (ARRAY[t.id])
JOIN companies c ON c.num = ANY (ARRAY[e.company])
WHERE e.content_removed IS NOT TRUE`,
}

const FILES: Statement = {
  name: 'load-files',
  text: `
SELECT a.email, a.position, a.filename, a.content_type AS "contentType", a.disposition, a.content_id AS "contentId", b.bytes
FROM unnest($1::uuid[]) AS t (id)
JOIN attachments a ON a.email = ANY (ARRAY[t.id])
LEFT JOIN blobs b ON b.company = ANY (ARRAY[a.company]) AND b.sha256 = a.sha256`,
}

interface EmailRow {
  id: string
  companyId: string
  company: number
  domainId: string
  sender: string
  from: string
  to: string | null
  cc: string | null
  replyTo: string | null
  subject: string
  headers: string | null
  messageId: string
  date: number
  individual: boolean
  testMode: boolean
  size: number
  sent: boolean
  html: Uint8Array | null
  text: Uint8Array | null
  raw: Uint8Array | null
  hasFiles: boolean
}

interface FileRow {
  email: string
  position: number
  filename: string
  contentType: string
  disposition: string
  contentId: string | null
  bytes: Uint8Array | null
}

/** By id; what is unknown or has lost its content to retention is missing. */
export async function loadEmails(
  session: Session,
  ids: readonly string[],
): Promise<Map<string, Loaded | ContentDamaged>> {
  const rows = await session.run<EmailRow>(EMAILS, [uuids(ids)])
  const withFiles = rows.filter(({ hasFiles }) => hasFiles).map(({ id }) => id)
  const files = withFiles.length > 0 ? await session.run<FileRow>(FILES, [uuids(withFiles)]) : []
  const byEmail = Map.groupBy(files, ({ email }) => email)
  return new Map(rows.map((row) => [row.id, loaded(row, byEmail.get(row.id) ?? [])]))
}

function loaded(row: EmailRow, files: readonly FileRow[]): Loaded | ContentDamaged {
  try {
    const { id, companyId, company, domainId, sender, raw, individual, testMode, size, sent } = row
    const inOrder = files.toSorted((a, b) => a.position - b.position)
    const content = contentOf(row, inOrder.map(fileOf))
    const email = {
      id,
      companyId,
      domainId,
      sender,
      content,
      raw,
      individual,
      testMode,
      size,
      recipients: [],
    }
    return { email, company, sent }
  } catch (error) {
    if (error instanceof ContentDamaged) return error
    return new ContentDamaged('its stored header fields are damaged', { cause: error })
  }
}

function contentOf(row: EmailRow, attachments: Attachment[]): MessageContent {
  const content: MessageContent = {
    from: row.from,
    to: listOf(row.to),
    cc: listOf(row.cc),
    replyTo: listOf(row.replyTo),
    subject: row.subject,
    headers: listOf(row.headers),
    attachments,
    messageId: row.messageId,
    date: row.date,
  }
  if (row.html !== null) content.html = textOf(row.html)
  if (row.text !== null) content.text = textOf(row.text)
  return content
}

function fileOf(row: FileRow, index: number): Attachment {
  const { position, filename, contentType, disposition, contentId, bytes } = row
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
