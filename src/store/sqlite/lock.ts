import type { DatabaseSync } from 'node:sqlite'
import { claimFile } from '../../common/exclusive-file.ts'
import { StoreConflict } from '../store.ts'
import { asStoreError, prepareFile } from './database.ts'

/** Milliseconds: `isLocked` holds the claim for a moment. */
const PATIENCE_MS = 200

/** Whether a process has claimed the database at `path`, or may have. */
export function isLocked(path: string): boolean {
  try {
    const claimed = claimFile(`${path}.lock`)
    claimed?.close()
    return claimed === null
  } catch {
    return true
  }
}

/**
 * Claims the database for one process, by a file beside it that the operating system releases however the process ends.
 * `path` must be the real path, so that links to it meet. Returns the function that releases the claim. Throws
 * StoreConflict when another process holds it: the message says that the database is in use by `whom`, which ends with
 * advice.
 */
export function lockExclusively(path: string, whom: string): () => void {
  const lock = `${path}.lock`
  prepareFile(lock)
  let claimed: DatabaseSync | null
  try {
    claimed = claimFile(lock, PATIENCE_MS)
  } catch (error) {
    throw asStoreError(error, lock)
  }
  if (claimed === null) throw new StoreConflict(`The database ${path} is in use by ${whom}`)
  return () => claimed.close()
}
