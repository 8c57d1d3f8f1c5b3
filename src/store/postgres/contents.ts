import { fieldsOf } from '../../email/fields.ts'
import { emailOctets, LargeOctets } from '../cold/large-octets.ts'
import { ContentDamaged, claimedEmail, type FileRow } from '../content-rows.ts'
import type { ClaimedEmail } from '../store.ts'
import { uuids } from './arrays.ts'
import type { DatabaseSession, Statement } from './database.ts'
import { queriesOn, run } from './port.ts'

/** An email for delivery, still without recipients. */
export interface LoadedEmail {
  email: ClaimedEmail
  /** The event `sent` has been written. */
  sent: boolean
}

const QUEUED = emailOctets(fieldsOf('queue'))

const EMAILS: Statement = {
  name: 'load-emails',
  text: `
SELECT e.sent, ${QUEUED.selected},
  (SELECT a.email FROM attachments a WHERE a.email = e.id LIMIT 1) IS NOT NULL AS "hasFiles"
FROM unnest($1::uuid[]) AS t (id)
JOIN emails e ON e.id = ANY (ARRAY[t.id])
JOIN companies c ON c.num = ANY (ARRAY[e.company])
WHERE e.content_removed IS NOT TRUE`,
}

const BYTES = new LargeOctets(
  { bytes: 'b.bytes' },
  `FROM attachments a JOIN blobs b ON b.company = a.company AND b.sha256 = a.sha256
  WHERE a.email = $1 AND a.position = $2`,
)

const FILES: Statement = {
  name: 'load-files',
  text: `
SELECT a.email, a.position, a.filename, a.content_type AS "contentType", a.disposition, a.content_id AS "contentId",
  ${BYTES.selected({ engine: 'postgres' })}
FROM unnest($1::uuid[]) AS t (id)
JOIN attachments a ON a.email = ANY (ARRAY[t.id])
LEFT JOIN blobs b ON b.company = ANY (ARRAY[a.company]) AND b.sha256 = a.sha256`,
}

/** Has a column for each field of a claim. */
interface ClaimEmailRow {
  id: string
  sent: boolean
  hasFiles: boolean
}

interface EmailFileRow extends FileRow {
  email: string
}

/** By id; an email that is unknown or has lost its content to retention is missing. */
export async function loadEmails(
  session: DatabaseSession,
  ids: readonly string[],
): Promise<Map<string, LoadedEmail | ContentDamaged>> {
  const found = await session.run<ClaimEmailRow>(EMAILS, [uuids(ids)])
  const rows = await run(() => QUEUED.large.complete(queriesOn(session), found, ({ id }) => [id]))
  const withFiles = rows.filter(({ hasFiles }) => hasFiles).map(({ id }) => id)
  const files = withFiles.length > 0 ? await filesOf(session, withFiles) : []
  const byEmail = Map.groupBy(files, ({ email }) => email)
  return new Map(rows.map((row) => [row.id, loadEmail(row, byEmail.get(row.id) ?? [])]))
}

async function filesOf(session: DatabaseSession, emails: readonly string[]): Promise<EmailFileRow[]> {
  const rows = await session.run<EmailFileRow>(FILES, [uuids(emails)])
  const keyOf = ({ email, position }: EmailFileRow) => [email, position]
  return await run(() => BYTES.complete(queriesOn(session), rows, keyOf))
}

function loadEmail(row: ClaimEmailRow, files: readonly FileRow[]): LoadedEmail | ContentDamaged {
  const inOrder = files.toSorted((a, b) => a.position - b.position)
  try {
    return { email: claimedEmail(row, row, inOrder), sent: row.sent }
  } catch (error) {
    if (error instanceof ContentDamaged) return error
    throw error
  }
}
