/** What is done to a database as a whole. For operators: it holds the mail of all companies. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { secretKeyPath } from '../accounts/secret-key.ts'
import type { Settings } from '../config/settings.ts'
import { type BackupResult, backUpDatabase } from '../store/backup.ts'
import { noteBackup } from '../store/backup-note.ts'
import { type SchemaUpdate, updateSchema } from '../store/schema.ts'
import type { Caller } from './authority.ts'
import { refuseMissing } from './open.ts'
import { verb } from './verb.ts'

/** What these verbs are given instead of an open database. */
export interface Maintenance extends Pick<Settings, 'database' | 'secretKey'> {
  caller: Caller
}

export interface BackedUp extends BackupResult {
  /** Absolute path of the copy. */
  file: string
  /** The file with the secret key, which belongs to the copy; null: the key is a setting. */
  secretKeyFile: string | null
}

/** Copies an SQLite database to a file while the service runs: consistent, with everything accepted before. */
export const backUp = verb(
  'operate',
  async (of: Maintenance, input: { file: string; overwrite: boolean }): Promise<BackedUp> => {
    refuseMissing(of.database)
    const { size, emails } = backUpDatabase(of.database, input.file, { overwrite: input.overwrite })
    const file = resolve(input.file)
    if (of.database.engine === 'sqlite') noteBackup(of.database.path, { at: Date.now(), file })
    return { file, size, emails, secretKeyFile: secretKeyFile(of, of.database) }
  },
  null,
)

/** Brings the schema up to date, and does nothing else. */
export const migrate = verb(
  'operate',
  async (of: Maintenance, _input: object): Promise<SchemaUpdate> => {
    refuseMissing(of.database)
    return await updateSchema(of.database)
  },
  null,
)

/** Where the key is kept that the secrets in this database are sealed with; null: it is a setting, or not there. */
export function secretKeyFile(
  { secretKey }: Pick<Settings, 'secretKey'>,
  database: Settings['database'],
): string | null {
  if (secretKey !== null || database.engine !== 'sqlite') return null
  const path = secretKeyPath(database.path)
  return existsSync(path) ? path : null
}
