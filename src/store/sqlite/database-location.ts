/** The location of the database, and a check that the file we opened is still there. */
import { type BigIntStats, realpathSync, statSync } from 'node:fs'
import { StoreConflict, StoreUnavailable } from '../store.ts'
import { prepareFile } from './database.ts'

export interface DatabaseLocation {
  /** Without symbolic links: SQLite names the log after the path, and we name the lock after it. */
  path: string
  /** Device and inode number of the file, which stay the same whatever its name. */
  file: string
}

/** Milliseconds for which a look at the file counts as current. */
const FRESH_MS = 1_000

/**
 * Creates the file when it is missing, and resolves its real path. Throws StoreUnavailable when the path cannot be
 * used, StoreConflict when the file has several names: a process that opened it by another name would have a log of its
 * own, and the two would destroy the database between them.
 */
export function findDatabase(path: string): DatabaseLocation {
  prepareFile(path)
  const real = realpathSync(path)
  const stat = statSync(real, { bigint: true })
  if (stat.nlink > 1n) {
    throw new StoreConflict(
      `The database ${path} has ${stat.nlink} names (hard links). Used under two of them it would be destroyed: remove the ` +
        'other names, or copy the file',
    )
  }
  return { path: real, file: identity(stat) }
}

/**
 * Checks whether the path still leads to the open file. Writes to a file that was moved or deleted succeed, and are
 * lost at the next start.
 */
export class LocationWatch {
  readonly #place: DatabaseLocation
  #looked = Number.NEGATIVE_INFINITY
  #lost: StoreUnavailable | null = null

  constructor(place: DatabaseLocation) {
    this.#place = place
  }

  /** The fault, or null. */
  look(): StoreUnavailable | null {
    const { path, file } = this.#place
    this.#looked = performance.now()
    let found: string | null = null
    let why = 'the file was moved or deleted while it was open'
    try {
      found = identity(statSync(path, { bigint: true }))
      if (found !== file) why = 'another file lies in its place'
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'ENOENT') why = `its path cannot be followed any more (${code})`
    }
    this.#lost =
      found === file
        ? null
        : new StoreUnavailable(
            `The database ${path} is not available: ${why}. Nothing is written until it is back: stop the service, put the ` +
              'file back (with the files named after it that end in -wal and -shm, if they were moved), then start it again',
          )
    return this.#lost
  }

  /** Does the same as `look`, but reuses an answer of the last second. */
  recent(): StoreUnavailable | null {
    return performance.now() - this.#looked < FRESH_MS ? this.#lost : this.look()
  }
}

function identity({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`
}
