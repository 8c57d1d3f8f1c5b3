/**
 * The files of emails, and ready messages, which contain their files. An email that has lost a file to damage no longer
 * lists it.
 */
import { isEmailId } from '../../email/email-id.ts'
import { type NamedFileRow, storedFile } from '../file-rows.ts'
import { LargeOctets } from './large-octets.ts'
import type { Operations, ReadPort } from './port.ts'
import { type Dialect, statement } from './statement.ts'

const FROM = {
  postgres: `FROM emails e JOIN attachments a ON a.email = e.id JOIN blobs b ON b.company = a.company AND b.sha256 = a.sha256
    WHERE e.id = $1 AND e.content_removed IS NOT TRUE`,
  sqlite: `FROM emails e JOIN attachments a ON a.email = e.num JOIN blobs b ON b.num = a.blob
    WHERE e.id = $1 AND EXISTS (SELECT 1 FROM contents k WHERE k.email = e.num)`,
}
const fileFrom = ({ engine }: Pick<Dialect, 'engine'>) => `${FROM[engine]} AND a.position = $2`
const BYTES = new LargeOctets({ bytes: 'b.bytes' }, fileFrom({ engine: 'postgres' }))

const NAMED = statement<NamedFileRow>(
  ({
    engine,
  }) => `SELECT a.position, a.filename, a.content_type AS "contentType", a.disposition, a.content_id AS "contentId",
    octet_length(b.bytes) AS size ${FROM[engine]} ORDER BY a.position`,
  'list-files',
)
const FILE = statement<{ bytes: Uint8Array | null }>(
  (dialect) => `SELECT ${BYTES.selected(dialect)} ${fileFrom(dialect)}`,
  'read-file',
)

const CONTENT = {
  postgres: 'FROM emails k WHERE k.id = $1',
  sqlite: 'FROM emails e JOIN contents k ON k.email = e.num WHERE e.id = $1',
}
const MESSAGE = new LargeOctets({ raw: 'k.raw' }, CONTENT.postgres)
const RAW = statement<{ raw: Uint8Array | null }>(
  (dialect) => `SELECT ${MESSAGE.selected(dialect)} ${CONTENT[dialect.engine]}`,
  'read-raw',
)

export const fileReads = {
  *listFiles(port, emailId) {
    if (!isEmailId(emailId)) return []
    return (yield* port.read.all(NAMED, emailId)).map(storedFile)
  },

  *readFile(port, emailId, position) {
    if (!isEmailId(emailId)) return null
    const rows = yield* port.read.all(FILE, emailId, position)
    const [file] = yield* BYTES.complete(port.read, rows, () => [emailId, position])
    return file?.bytes ?? null
  },

  *readRaw(port, emailId) {
    if (!isEmailId(emailId)) return null
    const rows = yield* port.read.all(RAW, emailId)
    const [message] = yield* MESSAGE.complete(port.read, rows, () => [emailId])
    return message?.raw ?? null
  },
} satisfies Operations<ReadPort>
