import type { Attachment, MessageContent } from '../../../mail/message.ts'
import { type ClaimedEmail, type ClaimedRecipient, StoreDamaged } from '../../store.ts'
import type { Database, Session, Statement } from '../database.ts'
import { isEmailId, listOf, mapOf, textOf } from '../rows.ts'

const EMAIL: Statement = {
  text: `SELECT e.id, c.id AS "companyId", e.domain_id AS "domainId", e.sender, e.header_from, e.header_to, e.header_cc,
      e.reply_to, e.subject, e.headers, e.message_id AS "messageId", e.date, e.individual, e.test_mode AS "testMode",
      e.size, e.html, e.text, e.raw
    FROM emails e JOIN companies c ON c.num = e.company WHERE e.id = $1 AND NOT e.content_removed`,
}

const FILES: Statement = {
  text: `SELECT a.position, a.filename, a.content_type AS "contentType", a.disposition, a.content_id AS "contentId", b.bytes
    FROM attachments a LEFT JOIN blobs b ON b.company = a.company AND b.sha256 = a.sha256
    WHERE a.email = $1 ORDER BY a.position`,
}

const RECIPIENTS = `SELECT position, address, domain, attempts, variables, preferred_server AS "preferredServer", uncertain
  FROM recipients WHERE email = $1 ORDER BY position`

/** The whole item with all recipients, whatever their state; null when unknown or its content was removed. */
export async function readWork(database: Database, id: string): Promise<ClaimedEmail | null> {
  if (!isEmailId(id)) return null
  return await database.snapshot(async (session) => {
    const [row] = await session.run<EmailRow>(EMAIL, [id])
    if (row === undefined) return null
    const recipients = await session.run<RecipientRow>(RECIPIENTS, [id])
    return {
      id: row.id,
      companyId: row.companyId,
      domainId: row.domainId,
      sender: row.sender,
      content: contentOf(row, await files(session, id)),
      raw: row.raw,
      individual: row.individual,
      testMode: row.testMode,
      size: row.size,
      recipients: recipients.map((recipient): ClaimedRecipient => {
        const { variables } = recipient
        return {
          ...recipient,
          variables: variables === null ? null : mapOf<Record<string, string>>(variables),
        }
      }),
    }
  })
}

function contentOf(row: EmailRow, attachments: Attachment[]): MessageContent {
  const content: MessageContent = {
    from: row.header_from,
    to: listOf(row.header_to),
    cc: listOf(row.header_cc),
    replyTo: listOf(row.reply_to),
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

async function files(session: Session, id: string): Promise<Attachment[]> {
  const rows = await session.run<FileRow>(FILES, [id])
  return rows.map(({ position, filename, contentType, disposition, contentId, bytes }, index) => {
    if (bytes === null || position !== index) {
      throw new StoreDamaged(
        `The stored content of the email ${id} is damaged: attachment ${index} is missing`,
      )
    }
    const file: Attachment = {
      filename,
      contentType,
      content: bytes,
      disposition: disposition === 'inline' ? 'inline' : 'attachment',
    }
    if (contentId !== null) file.contentId = contentId
    return file
  })
}

interface EmailRow {
  id: string
  companyId: string
  domainId: string
  sender: string
  header_from: string
  header_to: string | null
  header_cc: string | null
  reply_to: string | null
  subject: string
  headers: string | null
  messageId: string
  date: number
  individual: boolean
  testMode: boolean
  size: number
  html: Uint8Array | null
  text: Uint8Array | null
  raw: Uint8Array | null
}

interface FileRow {
  position: number
  filename: string
  contentType: string
  disposition: string
  contentId: string | null
  bytes: Uint8Array | null
}

interface RecipientRow extends Omit<ClaimedRecipient, 'variables'> {
  variables: string | null
}
