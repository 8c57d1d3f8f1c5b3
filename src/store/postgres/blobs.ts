import { createHash } from 'node:crypto'
import { StoreUnavailable } from '../store.ts'
import { byteas, int4s, texts, uuids } from './arrays.ts'
import type { Session } from './database.ts'
import type { Entry } from './entry.ts'

/** How often files are looked for that another transaction has added or removed meanwhile. */
const LOOKS = 5

interface File {
  company: number
  sha256: Uint8Array
  bytes: Uint8Array
}

/** A file as an email carries it. */
export interface FileName {
  entry: Entry
  position: number
  sha256: Uint8Array
}

/** Shared with all who refer to the same file, and against its removal. */
const HOLD = {
  name: 'hold-blobs',
  text: `
SELECT b.company, b.sha256
FROM unnest($1::int4[], $2::bytea[]) AS t (company, sha256)
JOIN blobs b ON b.company = ANY (ARRAY[t.company]) AND b.sha256 = t.sha256
ORDER BY b.company, b.sha256 FOR KEY SHARE OF b`,
}

const ADD = {
  name: 'add-blobs',
  text: `
INSERT INTO blobs (company, sha256, bytes)
SELECT * FROM unnest($1::int4[], $2::bytea[], $3::bytea[]) AS t (company, sha256, bytes) ORDER BY company, sha256
ON CONFLICT DO NOTHING RETURNING company, sha256`,
}

const NAME = {
  name: 'name-files',
  text: `
INSERT INTO attachments (email, position, company, sha256, filename, content_type, disposition, content_id)
SELECT * FROM unnest(
  $1::uuid[], $2::int4[], $3::int4[], $4::bytea[], $5::text[], $6::text[], $7::text[], $8::text[]
)`,
}

/**
 * Sees to it that the files of these emails are there, each once for a company, and stay until the end of the
 * transaction.
 */
export async function keepFiles(session: Session, entries: readonly Entry[]): Promise<FileName[]> {
  const names: FileName[] = []
  const missing = new Map<string, File>()
  for (const entry of entries) {
    const { company } = entry
    for (const [position, { content: bytes }] of entry.email.content.attachments.entries()) {
      const sha256 = createHash('sha256').update(bytes).digest()
      names.push({ entry, position, sha256 })
      missing.set(nameOf({ company, sha256 }), { company, sha256, bytes })
    }
  }
  for (let looks = 0; missing.size > 0; looks++) {
    if (looks === LOOKS)
      throw new StoreUnavailable('Files of an email are being removed while it is accepted')
    // The octets travel only when the file is not there.
    for (const row of await session.run<File>(HOLD, keysOf(missing))) missing.delete(nameOf(row))
    if (missing.size === 0) break
    const bytes = byteas([...missing.values()].map((file) => file.bytes))
    for (const row of await session.run<File>(ADD, [...keysOf(missing), bytes])) missing.delete(nameOf(row))
  }
  return names
}

export async function keepFileNames(session: Session, names: readonly FileName[]): Promise<void> {
  if (names.length === 0) return
  const files = names.map(({ entry, position }) => entry.email.content.attachments[position]!)
  await session.run(NAME, [
    uuids(names.map(({ entry }) => entry.email.id)),
    int4s(names.map(({ position }) => position)),
    int4s(names.map(({ entry }) => entry.company)),
    byteas(names.map(({ sha256 }) => sha256)),
    texts(files.map(({ filename }) => filename)),
    texts(files.map(({ contentType }) => contentType)),
    texts(files.map(({ disposition }) => disposition)),
    texts(files.map(({ contentId }) => contentId ?? null)),
  ])
}

function keysOf(files: ReadonlyMap<string, File>): Buffer[] {
  const all = [...files.values()]
  return [int4s(all.map(({ company }) => company)), byteas(all.map(({ sha256 }) => sha256))]
}

function nameOf({ company, sha256 }: { company: number; sha256: Uint8Array }): string {
  return `${company} ${Buffer.from(sha256).toString('hex')}`
}
