import { fieldsOf } from '../../email/fields.ts'
import { ContentDamaged, claimedEmail, type FileRow } from '../content-rows.ts'
import { selected } from '../email-columns.ts'
import type { ClaimedEmail } from '../store.ts'
import { uuids } from './arrays.ts'
import type { Session, Statement } from './database.ts'

/** An email for delivery, still without recipients. */
export interface Loaded {
  email: ClaimedEmail
  /** The event `sent` has been written. */
  sent: boolean
}

const EMAILS: Statement = {
  name: 'load-emails',
  text: `
SELECT e.sent, ${selected(fieldsOf('queue'), () => 'e')},
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

/** Has a column for each field of a claim. */
interface EmailRow {
  id: string
  sent: boolean
  hasFiles: boolean
}

interface FileOfEmail extends FileRow {
  email: string
}

/** By id; an email that is unknown or has lost its content to retention is missing. */
export async function loadEmails(
  session: Session,
  ids: readonly string[],
): Promise<Map<string, Loaded | ContentDamaged>> {
  const rows = await session.run<EmailRow>(EMAILS, [uuids(ids)])
  const withFiles = rows.filter(({ hasFiles }) => hasFiles).map(({ id }) => id)
  const files = withFiles.length > 0 ? await session.run<FileOfEmail>(FILES, [uuids(withFiles)]) : []
  const byEmail = Map.groupBy(files, ({ email }) => email)
  return new Map(rows.map((row) => [row.id, loaded(row, byEmail.get(row.id) ?? [])]))
}

function loaded(row: EmailRow, files: readonly FileRow[]): Loaded | ContentDamaged {
  const inOrder = files.toSorted((a, b) => a.position - b.position)
  try {
    return { email: claimedEmail(row, row, inOrder), sent: row.sent }
  } catch (error) {
    if (error instanceof ContentDamaged) return error
    throw error
  }
}
