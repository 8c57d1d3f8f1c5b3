import { createHash } from 'node:crypto'
import type { Attachment } from '../../mail/message.ts'
import { StoreUnavailable } from '../store.ts'
import { bytea, int4, text, unnestSql, uuid } from './columns.ts'
import type { DatabaseSession } from './database.ts'
import type { PendingEmail } from './pending-email.ts'

/** How often files are looked up again that another transaction has added or removed meanwhile. */
const LOOKS = 5

interface File {
  company: number
  sha256: Uint8Array
  bytes: Uint8Array
}

/** A file as an attachment of an email. */
export interface FileName {
  entry: PendingEmail
  position: number
  sha256: Uint8Array
  file: Attachment
}

const KEYS = unnestSql<File>(1, {
  company: int4(({ company }) => company),
  sha256: bytea(({ sha256 }) => sha256),
})
const BYTES = unnestSql<File>(KEYS.next, { bytes: bytea(({ bytes }) => bytes) })

/** A shared lock: other emails may refer to the same file, and nobody may remove it. */
const HOLD = {
  name: 'hold-blobs',
  text: `
SELECT b.company, b.sha256
FROM ${KEYS.as('t')} JOIN blobs b ON b.company = ANY (ARRAY[t.company]) AND b.sha256 = t.sha256
ORDER BY b.company, b.sha256 FOR KEY SHARE OF b`,
}

const ADD = {
  name: 'add-blobs',
  text: `
INSERT INTO blobs (company, sha256, bytes)
SELECT * FROM unnest(${KEYS.params.company}, ${KEYS.params.sha256}, ${BYTES.params.bytes}) AS t (company, sha256, bytes)
ORDER BY company, sha256
ON CONFLICT DO NOTHING RETURNING company, sha256`,
}

const NAMES = unnestSql<FileName>(1, {
  email: uuid(({ entry }) => entry.email.id),
  position: int4(({ position }) => position),
  company: int4(({ entry }) => entry.company),
  sha256: bytea(({ sha256 }) => sha256),
  filename: text(({ file }) => file.filename),
  content_type: text(({ file }) => file.contentType),
  disposition: text(({ file }) => file.disposition),
  content_id: text(({ file }) => file.contentId ?? null),
})

const NAME = {
  name: 'name-files',
  text: `INSERT INTO attachments (${NAMES.names}) SELECT * FROM ${NAMES.unnest}`,
}

/**
 * Stores the files of these emails that are missing, each once for a company, and keeps them until the end of the
 * transaction.
 */
export async function keepFiles(
  session: DatabaseSession,
  entries: readonly PendingEmail[],
): Promise<FileName[]> {
  const names: FileName[] = []
  const missing = new Map<string, File>()
  for (const entry of entries) {
    const { company } = entry
    for (const [position, file] of entry.email.content.attachments.entries()) {
      const bytes = file.content
      const sha256 = createHash('sha256').update(bytes).digest()
      names.push({ entry, position, sha256, file })
      missing.set(nameOf({ company, sha256 }), { company, sha256, bytes })
    }
  }
  for (let looks = 0; missing.size > 0; looks++) {
    if (looks === LOOKS)
      throw new StoreUnavailable('Files of an email are being removed while it is accepted')
    // The octets are sent only when the file is missing.
    for (const row of await session.run<File>(HOLD, KEYS.values([...missing.values()])))
      missing.delete(nameOf(row))
    if (missing.size === 0) break
    const files = [...missing.values()]
    const added = await session.run<File>(ADD, [...KEYS.values(files), ...BYTES.values(files)])
    for (const row of added) missing.delete(nameOf(row))
  }
  return names
}

export async function keepFileNames(session: DatabaseSession, names: readonly FileName[]): Promise<void> {
  if (names.length > 0) await session.run(NAME, NAMES.values(names))
}

function nameOf({ company, sha256 }: { company: number; sha256: Uint8Array }): string {
  return `${company} ${Buffer.from(sha256).toString('hex')}`
}
