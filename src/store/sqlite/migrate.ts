import type { DatabaseSync } from 'node:sqlite'
import { type AppliedMigration, type Migration, versionOf } from '../migration.ts'
import { StoreConflict } from '../store.ts'
import { openForReading } from './database.ts'
import { MIGRATIONS } from './migrations/migrations.ts'
import { all } from './rows.ts'

/**
 * `PRAGMA application_id` of our files: "Post" in ASCII. It distinguishes them from other programs' SQLite databases.
 */
export const APPLICATION_ID = 0x506f7374

/**
 * Brings the schema up to date, in one transaction: either all missing migrations are applied or none. A database that
 * has migrations unknown to this program, or belongs to another program, is refused with a StoreConflict and left as it
 * is.
 */
export function migrate(
  db: DatabaseSync,
  path: string,
  migrations: readonly Migration[] = MIGRATIONS,
): { from: number; to: number } {
  db.exec('BEGIN IMMEDIATE')
  try {
    refuseForeign(db, path)
    db.exec(`CREATE TABLE IF NOT EXISTS schema_migrations (
      version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL
    ) STRICT`)
    const applied = db.prepare('SELECT version, name FROM schema_migrations ORDER BY version')
    const version = versionOf(all<AppliedMigration>(applied), migrations, path)
    const note = db.prepare('INSERT INTO schema_migrations (version, name, applied_at) VALUES (?, ?, ?)')
    for (const [index, migration] of migrations.entries()) {
      if (index < version) continue
      db.exec(migration.sql)
      note.run(index + 1, migration.name, Date.now())
    }
    db.exec('COMMIT')
    return { from: version, to: migrations.length }
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

/** Whether the schema is the newest; false also for a database that is missing or cannot be used. */
export function isUpToDate(path: string): boolean {
  try {
    using db = openForReading(path)
    const applied = all<AppliedMigration>(
      db.prepare('SELECT version, name FROM schema_migrations ORDER BY version'),
    )
    return versionOf(applied, MIGRATIONS, path) === MIGRATIONS.length
  } catch {
    return false
  }
}

function refuseForeign(db: DatabaseSync, path: string): void {
  const id = db.prepare('PRAGMA application_id').get()?.application_id
  if (id === APPLICATION_ID) return
  const tables = db.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE type = 'table'").get()?.n
  if (id !== 0 || tables !== 0) {
    throw new StoreConflict(
      `The file ${path} is a SQLite database of another program; choose another path for POSTROAD_DATABASE_URL`,
    )
  }
  db.exec(`PRAGMA application_id = ${APPLICATION_ID}`)
}
