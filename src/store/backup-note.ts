/**
 * When the last copy of an SQLite database was made, and where it is: a small file beside the database. In the database
 * itself it would take opening it to write, which a copy of a damaged one, or of one of another version, must not do.
 */
import { readFileSync, writeFileSync } from 'node:fs'

export interface BackupNote {
  /** Unix ms. */
  at: number
  /** Absolute path. */
  file: string
}

const pathOf = (database: string) => `${database}.backup.json`

/** The copy is made, whether or not that can be noted. */
export function noteBackup(database: string, note: BackupNote): void {
  try {
    writeFileSync(pathOf(database), `${JSON.stringify(note)}\n`, { mode: 0o600 })
  } catch {
    // A directory that may not be written to: what is not noted is asked for again.
  }
}

/** Null: none is known of. */
export function lastBackup(database: string): BackupNote | null {
  try {
    const { at, file } = JSON.parse(readFileSync(pathOf(database), 'utf8')) as Partial<BackupNote>
    return typeof at === 'number' && typeof file === 'string' ? { at, file } : null
  } catch {
    return null
  }
}
