import type { DatabaseSync } from 'node:sqlite'
import { claimFile } from '../../common/exclusive-file.ts'
import { StoreConflict } from '../store.ts'
import { asStoreError, prepareFile } from './database.ts'

/**
 * Claims the database for one process, by a file beside it that the operating system lets go of however the process
 * ends. `path` is the real one: links to it must meet. Returns the function that gives it back. Throws StoreConflict
 * when another process holds it: in use by `whom`, which goes on with what to do.
 */
export function lockExclusively(path: string, whom: string): () => void {
  const lock = `${path}.lock`
  prepareFile(lock)
  let claimed: DatabaseSync | null
  try {
    claimed = claimFile(lock)
  } catch (error) {
    throw asStoreError(error, lock)
  }
  if (claimed === null) throw new StoreConflict(`The database ${path} is in use by ${whom}`)
  return () => claimed.close()
}
