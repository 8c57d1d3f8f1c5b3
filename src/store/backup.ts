import type { Settings } from '../config/settings.ts'
import { type BackupResult, backUp } from './sqlite/backup.ts'
import { StoreConflict } from './store.ts'

export type { BackupResult }

/**
 * Copies the database consistently to a file while the service runs. Only for SQLite. For PostgreSQL, throws a
 * StoreConflict that names the tools of PostgreSQL.
 */
export function backUpDatabase(
  database: Settings['database'],
  file: string,
  options: { overwrite: boolean },
): BackupResult {
  if (database.engine === 'postgres') {
    throw new StoreConflict(
      'This installation stores its data in PostgreSQL. Back it up with the tools of PostgreSQL: pg_dump for a copy at one ' +
        'moment, or continuous archiving. See "Backup and restore" in docs/operations.md',
    )
  }
  return backUp(database.path, file, options)
}
