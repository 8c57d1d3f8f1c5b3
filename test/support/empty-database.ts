/** A SQLite file with the present schema and no rows: the migrations would be a tenth of the start of each service. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import { join } from 'node:path'
import { openForWriting, prepareFile } from '../../src/store/sqlite/database.ts'
import { migrate } from '../../src/store/sqlite/migrate.ts'

/** Made once in each process. */
let octets: Buffer | undefined

export function writeEmptyDatabase(path: string): void {
  octets ??= make()
  writeFileSync(path, octets, { mode: 0o600 })
}

function make(): Buffer {
  const directory = mkdtempSync(join(os.tmpdir(), 'postroad-empty-'))
  try {
    const path = join(directory, 'postroad.db')
    prepareFile(path)
    const db = openForWriting(path)
    migrate(db, path)
    db.close()
    return readFileSync(path)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
