/** Opens the file, and explains in plain words when that fails. */
import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StoreConflict, StoreUnavailable } from '../store.ts'

/** How long a commit waits for another process (the command line) to finish its own. Milliseconds. */
const BUSY_TIMEOUT = 5_000
/**
 * Page cache of a connection, in KiB: the writer reads its indexes again and again, the other connections mostly read a
 * page once.
 */
const WRITING_CACHE_KIB = 12 * 1024
const READING_CACHE_KIB = 4 * 1024
/** Pages of four KiB would cut a usual email body into a chain of several. Takes effect only in a new file. */
const PAGE_SIZE = 8_192

/**
 * Makes sure that the file exists for SQLite to open: its directory is created with mode 700, the file with mode 600
 * (SQLite gives the same mode to the files beside it). Throws StoreUnavailable with advice when the path cannot be
 * used.
 */
export function prepareFile(path: string): void {
  if (path === ':memory:' || path === '') {
    throw new StoreConflict(
      'The database must be a file: several connections share it, and an accepted email must outlive the process',
    )
  }
  const directory = dirname(resolve(path))
  const parent = dirname(directory)
  if (!existsSync(parent)) {
    throw new StoreUnavailable(
      `The database ${path} cannot be made: there is no directory ${parent}. Make it, or correct POSTROAD_DATABASE_URL`,
    )
  }
  try {
    if (!existsSync(directory)) mkdirSync(directory, { mode: 0o700 })
    if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600))
    else if (!statSync(path).isFile()) throw Object.assign(new Error('not a file'), { code: 'EISDIR' })
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? ''
    throw new StoreUnavailable(
      `The database ${path} cannot be opened: ${FILE_FAULTS[code] ?? String(error)} (POSTROAD_DATABASE_URL)`,
      {
        cause: error,
      },
    )
  }
}

/** Explains an error of node:fs about a file, with advice; null for any other error. */
export function systemFault(error: unknown): string | null {
  return FILE_FAULTS[(error as NodeJS.ErrnoException).code ?? ''] ?? null
}

const NOT_WRITABLE = 'this user may not write there. Give it the directory (chown), or choose another path'

const FILE_FAULTS: Record<string, string> = {
  EACCES: NOT_WRITABLE,
  EPERM: NOT_WRITABLE,
  EROFS: 'its file system is read-only. Choose another path',
  ENOSPC: 'its disk is full. Free some space',
  ENOENT: 'a directory of its path does not exist and cannot be made. Choose another path',
  EISDIR: 'the path is a directory or a special file. Name a file, like sqlite:./data/postroad.db',
  ENOTDIR: 'a part of the path is a file where a directory should be. Choose another path',
}

/** The one connection that writes. Every commit is on disk when it returns (WAL with synchronous=FULL). */
export function openForWriting(path: string): DatabaseSync {
  return open(path, (db) => {
    db.exec(`PRAGMA page_size = ${PAGE_SIZE}`)
    db.exec('PRAGMA journal_mode = WAL')
    db.exec('PRAGMA synchronous = FULL')
    db.exec('PRAGMA temp_store = MEMORY')
    db.exec(`PRAGMA cache_size = -${WRITING_CACHE_KIB}`)
  })
}

/** A connection for reading beside the writer: it sees the last commit and waits for no lock. */
export function openForReading(path: string): DatabaseSync {
  return open(path, (db) => {
    db.exec('PRAGMA query_only = ON')
    db.exec('PRAGMA temp_store = MEMORY')
    db.exec(`PRAGMA cache_size = -${READING_CACHE_KIB}`)
  })
}

function open(path: string, prepare: (db: DatabaseSync) => void): DatabaseSync {
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(path, { timeout: BUSY_TIMEOUT, enableForeignKeyConstraints: true })
    prepare(db)
    return db
  } catch (error) {
    db?.close()
    throw asStoreError(error, path)
  }
}

/** An error of node:sqlite: `errcode` is SQLite's extended result code. */
interface SqliteError extends Error {
  errcode: number
  errstr: string
}

function isSqliteError(error: unknown): error is SqliteError {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
}

/** By primary result code (the low octet): faults of the environment. They may pass, and nothing was kept. */
const FAULTS: Record<number, string> = {
  3: 'this user may not write it',
  5: 'another program keeps it locked. Find out which one holds the file open',
  6: 'another connection keeps a table locked',
  7: 'there is no memory left',
  8: 'it cannot be written (read-only file, directory or file system)',
  10: 'reading or writing failed. Look for disk faults in the system log',
  11: 'the file is damaged. Stop the service, keep a copy, restore a backup or use the recovery of the sqlite3 shell',
  13: 'its disk is full. Free some space',
  14: 'a file of it cannot be opened. Look at path and permissions',
  15: 'locking failed. Is it on a network file system?',
  26: 'the file is not a SQLite database. Choose another path',
}

/** True for a fault of the environment: the whole transaction is lost, and the same one may succeed later. */
export function isFault(error: unknown): boolean {
  return isSqliteError(error) && (error.errcode & 0xff) in FAULTS
}

/** SQLITE_CORRUPT: the requested data is unreadable. */
export function isCorruption(error: unknown): error is Error {
  return isSqliteError(error) && (error.errcode & 0xff) === 11
}

/** SQLITE_BUSY: another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return isSqliteError(error) && (error.errcode & 0xff) === 5
}

/** SQLITE_CONSTRAINT_UNIQUE or _PRIMARYKEY. */
export function isDuplicate(error: unknown): boolean {
  return isSqliteError(error) && (error.errcode === 2067 || error.errcode === 1555)
}

/**
 * Turns a fault of the environment into StoreUnavailable, with path, reason and advice; returns any other error as it
 * is.
 */
export function asStoreError(error: unknown, path: string): Error {
  if (error instanceof StoreUnavailable || error instanceof StoreConflict) return error
  if (!isSqliteError(error)) return error instanceof Error ? error : new Error(String(error))
  const fault = FAULTS[error.errcode & 0xff]
  if (fault === undefined) return error
  const detail = `${error.errstr}, code ${error.errcode}`
  return new StoreUnavailable(`The database ${path} is not available: ${fault} (${detail})`, { cause: error })
}
