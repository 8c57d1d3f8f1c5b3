import { DatabaseSync } from 'node:sqlite'

const SQLITE_BUSY = 5

/**
 * Claims a file for this process: the claim is an exclusive lock, held by an open transaction of SQLite, which the
 * operating system releases however the process ends. `close` releases it too. Null while another process has it, after
 * `patience` milliseconds; throws when the file cannot be opened or is something else.
 */
export function claimFile(path: string, patience = 0): DatabaseSync | null {
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(path, { timeout: patience })
    db.exec('PRAGMA locking_mode = EXCLUSIVE')
    db.exec('BEGIN EXCLUSIVE')
    return db
  } catch (error) {
    db?.close()
    const { errcode } = error as { errcode?: number }
    if (errcode !== undefined && (errcode & 0xff) === SQLITE_BUSY) return null
    throw error
  }
}
