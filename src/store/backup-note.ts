/**
 * Remembers when the last copy of an SQLite database was made, and where it is: in a small file beside the database. A
 * note in the database itself would require opening it for writing, which must not happen to a damaged database or one
 * of another version.
 */
import { readFileSync, writeFileSync } from 'node:fs'

interface BackupNote {
  /** Unix ms. */
  at: number
  /** Absolute path. */
  file: string
}

export const NOTE_SUFFIX = '.backup.json'
const pathOf = (database: string) => database + NOTE_SUFFIX

/** The copy exists, whether or not the note can be written. */
export function noteBackup(database: string, note: BackupNote): void {
  try {
    writeFileSync(pathOf(database), `${JSON.stringify(note)}\n`, { mode: 0o600 })
  } catch {
    // The directory is not writable. Without a note, the operator is asked for a backup again.
  }
}

/** Null: no copy is known. */
export function lastBackup(database: string): BackupNote | null {
  try {
    const { at, file } = JSON.parse(readFileSync(pathOf(database), 'utf8')) as Partial<BackupNote>
    return typeof at === 'number' && typeof file === 'string' ? { at, file } : null
  } catch {
    return null
  }
}
