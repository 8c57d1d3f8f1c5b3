import { isEmailId } from '../../../email/email-id.ts'
import { type NamedFileRow, storedFile } from '../../file-rows.ts'
import type { EmailStore } from '../../store.ts'
import type { Database, Statement } from '../database.ts'

const FILES = `FROM emails e JOIN attachments a ON a.email = e.id JOIN blobs b ON b.company = a.company AND b.sha256 = a.sha256
  WHERE e.id = $1 AND e.content_removed IS NOT TRUE`

const NAMED: Statement = {
  name: 'list-files',
  text: `SELECT a.position, a.filename, a.content_type AS "contentType", a.disposition, a.content_id AS "contentId",
      octet_length(b.bytes) AS size ${FILES} ORDER BY a.position`,
}

const OCTETS: Statement = { name: 'read-file', text: `SELECT b.bytes ${FILES} AND a.position = $2` }

const RAW: Statement = { name: 'read-raw', text: 'SELECT e.raw FROM emails e WHERE e.id = $1' }

/**
 * The files of emails, and ready messages, which contain their files. An email that has lost a file to damage no longer
 * lists it.
 */
export function files(database: Database): Pick<EmailStore, 'listFiles' | 'readFile' | 'readRaw'> {
  return {
    async listFiles(emailId) {
      if (!isEmailId(emailId)) return []
      return (await database.read<NamedFileRow>(NAMED, [emailId])).map(storedFile)
    },

    async readFile(emailId, position) {
      if (!isEmailId(emailId)) return null
      const [row] = await database.read<{ bytes: Uint8Array }>(OCTETS, [emailId, position])
      return row?.bytes ?? null
    },

    async readRaw(emailId) {
      if (!isEmailId(emailId)) return null
      const [row] = await database.read<{ raw: Uint8Array | null }>(RAW, [emailId])
      return row?.raw ?? null
    },
  }
}
