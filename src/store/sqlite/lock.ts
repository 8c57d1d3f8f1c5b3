import { DatabaseSync } from 'node:sqlite'
import { StoreConflict } from '../store.ts'
import { asStoreError, isBusy, prepareFile } from './database.ts'

/**
 * Claims the database for one process. The claim is an exclusive lock on a file beside it, held by an open transaction:
 * the operating system lets go of it however the process ends. `path` is the real one: links to it must meet. Returns the function that gives it back. Throws
 * StoreConflict when another process holds it: in use by `whom`, which goes on with what to do.
 */
export function lockExclusively(path: string, whom: string): () => void {
  const lock = `${path}.lock`
  prepareFile(lock)
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(lock, { timeout: 0 })
    db.exec('PRAGMA locking_mode = EXCLUSIVE')
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db?.close()
    if (!isBusy(error)) throw asStoreError(error, lock)
    throw new StoreConflict(`The database ${path} is in use by ${whom}`)
  }
  return () => db.close()
}
