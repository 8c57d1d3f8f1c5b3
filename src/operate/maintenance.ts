/** Maintenance of a database as a whole. For operators only: the database holds the mail of all companies. */
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

/** The operation of these verbs, which work without an open store. */
export interface Maintenance extends Pick<Settings, 'database' | 'secretKey'> {
  caller: Caller
}

export interface BackupReport extends BackupResult {
  /** Absolute path of the copy. */
  file: string
  /** The file with the secret key, which belongs to the copy; null: the key is a setting. */
  secretKeyFile: string | null
}

/**
 * Copies an SQLite database to a file while the service runs. The copy is consistent, and contains everything accepted
 * before the call.
 */
export const backUp = verb(
  'operate',
  async (of: Maintenance, input: { file: string; overwrite: boolean }): Promise<BackupReport> => {
    refuseMissing(of.database)
    const { size, emails } = backUpDatabase(of.database, input.file, { overwrite: input.overwrite })
    const file = resolve(input.file)
    if (of.database.engine === 'sqlite') noteBackup(of.database.path, { at: Date.now(), file })
    return { file, size, emails, secretKeyFile: secretKeyFile(of, of.database) }
  },
  null,
)

/** Brings the schema up to date without starting the service. */
export const migrate = verb(
  'operate',
  async (of: Maintenance, _input: object): Promise<SchemaUpdate> => {
    refuseMissing(of.database)
    return await updateSchema(of.database)
  },
  null,
)

/** The file with the key that seals the secrets in this database; null: the key is a setting, or there is none. */
export function secretKeyFile(
  { secretKey }: Pick<Settings, 'secretKey'>,
  database: Settings['database'],
): string | null {
  if (secretKey !== null || database.engine !== 'sqlite') return null
  const path = secretKeyPath(database.path)
  return existsSync(path) ? path : null
}
