import type { DatabaseSync } from 'node:sqlite'
import { type NamedFileRow, storedFile } from '../../file-rows.ts'
import type { Direct } from '../protocol.ts'
import { all, one } from '../rows.ts'

/**
 * The files of emails, and ready messages, which contain their files. An email that has lost a file to damage no longer
 * lists it.
 */
export function files(db: DatabaseSync): Direct<'listFiles' | 'readFile' | 'readRaw'> {
  const FILES = `FROM emails e JOIN attachments a ON a.email = e.num JOIN blobs b ON b.num = a.blob
     WHERE e.id = ?1 AND EXISTS (SELECT 1 FROM contents k WHERE k.email = e.num)`
  const named = db.prepare(
    `SELECT a.position, a.filename, a.content_type AS contentType, a.disposition, a.content_id AS contentId,
            length(b.bytes) AS size ${FILES} ORDER BY a.position`,
  )
  const octets = db.prepare(`SELECT b.bytes ${FILES} AND a.position = ?2`)
  const raw = db.prepare('SELECT k.raw FROM emails e JOIN contents k ON k.email = e.num WHERE e.id = ?')
  return {
    listFiles: (emailId) => all<NamedFileRow>(named, emailId).map(storedFile),
    readFile: (emailId, position) => one<{ bytes: Uint8Array }>(octets, emailId, position)?.bytes ?? null,
    readRaw: (emailId) => one<{ raw: Uint8Array | null }>(raw, emailId)?.raw ?? null,
  }
}
