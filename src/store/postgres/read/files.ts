import { isEmailId } from '../../../email/email-id.ts'
import { type NamedFileRow, storedFile } from '../../file-rows.ts'
import type { EmailStore } from '../../store.ts'
import type { Database, Statement } from '../database.ts'
import { LargeOctets } from '../large-octets.ts'

const FILES = `FROM emails e JOIN attachments a ON a.email = e.id JOIN blobs b ON b.company = a.company AND b.sha256 = a.sha256
  WHERE e.id = $1 AND e.content_removed IS NOT TRUE`

const NAMED: Statement = {
  name: 'list-files',
  text: `SELECT a.position, a.filename, a.content_type AS "contentType", a.disposition, a.content_id AS "contentId",
      octet_length(b.bytes) AS size ${FILES} ORDER BY a.position`,
}

const FILE = `${FILES} AND a.position = $2`
const BYTES = new LargeOctets({ bytes: 'b.bytes' }, FILE)
const OCTETS: Statement = { name: 'read-file', text: `SELECT ${BYTES.selected} ${FILE}` }

const EMAIL = 'FROM emails e WHERE e.id = $1'
const MESSAGE = new LargeOctets({ raw: 'e.raw' }, EMAIL)
const RAW: Statement = { name: 'read-raw', text: `SELECT ${MESSAGE.selected} ${EMAIL}` }

interface FileBytesRow {
  bytes: Uint8Array | null
}

interface RawRow {
  raw: Uint8Array | null
}

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
      const key = [emailId, position]
      const [row] = await BYTES.read<FileBytesRow>(database.reads, OCTETS, key, () => key)
      return row?.bytes ?? null
    },

    async readRaw(emailId) {
      if (!isEmailId(emailId)) return null
      const key = [emailId]
      const [row] = await MESSAGE.read<RawRow>(database.reads, RAW, key, () => key)
      return row?.raw ?? null
    },
  }
}
