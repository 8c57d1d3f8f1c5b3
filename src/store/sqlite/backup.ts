/** A copy of the database, made while the service goes on writing to it. */
import { randomUUID } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { NOTE_SUFFIX } from '../backup-note.ts'
import { StoreConflict, StoreUnavailable } from '../store.ts'
import { asStoreError, isCorruption, openForReading, systemFault } from './database.ts'
import { APPLICATION_ID } from './migrate.ts'

export interface BackupResult {
  /** Octets of the copy. */
  size: number
  /** Emails in the copy. */
  emails: number
}

/**
 * Copies the database at `path` to `file`, as of one commit: everything acknowledged before the call is in the copy.
 * The copy is compact, on disk when this returns, and of mode 600; a partial copy never appears under its name. Rejects
 * with StoreConflict (a file of that name exists and `overwrite` is false, or the copy would overwrite the database) or
 * StoreUnavailable (disk full, damage, no right to write).
 */
export function backUp(path: string, file: string, { overwrite }: { overwrite: boolean }): BackupResult {
  const target = targetOf(file)
  refuseOwnFiles(path, target)
  refuseSpecial(target)
  if (!overwrite && existsSync(target)) throw nameConflict(file)
  const aside = `${target}.${randomUUID()}.part`
  make(aside, file)
  try {
    const copied = copy(path, aside, file)
    sync(aside)
    moveIntoPlace(aside, target, overwrite, file)
    sync(dirname(target))
    return copied
  } catch (error) {
    throw fault(error, path, file)
  } finally {
    rmSync(aside, { force: true })
    rmSync(`${aside}-journal`, { force: true })
  }
}

/** Makes the file before SQLite does, so that others cannot read it at any time. SQLite accepts an empty file. */
function make(aside: string, file: string): void {
  try {
    closeSync(openSync(aside, 'wx', 0o600))
  } catch (error) {
    throw new StoreUnavailable(
      `The backup ${file} cannot be written: ${systemFault(error) ?? String(error)}`,
      {
        cause: error,
      },
    )
  }
}

/** VACUUM INTO reads everything in one read transaction: other commits go on beside it, in the write-ahead log. */
function copy(path: string, aside: string, file: string): BackupResult {
  const db = openForReading(path)
  try {
    if (db.prepare('PRAGMA application_id').get()?.application_id !== APPLICATION_ID) {
      throw new StoreConflict(`The file ${path} is not a database of Postroad`)
    }
    // The connection may only read; the copy is another database.
    db.exec('PRAGMA query_only = OFF')
    db.prepare('VACUUM INTO ?').run(aside)
  } catch (error) {
    // Names the database if it is corrupt, and the copy for any other fault, such as a full disk.
    throw asStoreError(error, isCorruption(error) ? path : file)
  } finally {
    db.close()
  }
  const copied = openForReading(aside)
  try {
    const row = copied
      .prepare(
        `SELECT (SELECT count(*) FROM emails) AS emails, page_count * page_size AS size
         FROM pragma_page_count(), pragma_page_size()`,
      )
      .get() as { emails: number; size: number }
    return { emails: row.emails, size: row.size }
  } finally {
    copied.close()
  }
}

/** The path with the links of its directory resolved: the real name of the copy. */
function targetOf(file: string): string {
  const full = resolve(file)
  try {
    return join(realpathSync(dirname(full)), basename(full))
  } catch (cause) {
    throw new StoreUnavailable(
      `The backup ${file} cannot be written: there is no directory ${dirname(full)}. Make it, or name another file`,
      { cause },
    )
  }
}

/** Refuses a mistyped name that would overwrite the database or one of its files. */
function refuseOwnFiles(path: string, target: string): void {
  const real = realpathSync(path)
  const own = ['', '-wal', '-shm', '.lock', '.key', NOTE_SUFFIX].map((suffix) => real + suffix)
  const final = existsSync(target) ? realpathSync(target) : target
  if (!own.includes(final) && !own.includes(target)) return
  throw new StoreConflict(`The backup cannot go to ${target}: that file belongs to the database itself`)
}

/**
 * A directory, a device or another special file is never replaced. A symbolic link is replaced, and its target stays.
 */
function refuseSpecial(target: string): void {
  const found = statSync(target, { throwIfNoEntry: false })
  if (found === undefined || found.isFile()) return
  throw new StoreConflict(
    `The backup cannot go to ${target}: that is a directory or a special file. Name a file`,
  )
}

function moveIntoPlace(aside: string, target: string, overwrite: boolean, file: string): void {
  if (overwrite) {
    renameSync(aside, target)
    return
  }
  try {
    // Unlike a rename, a link never replaces a file that was created meanwhile.
    linkSync(aside, target)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') throw nameConflict(file)
    // Some network file systems have no hard links.
    if (existsSync(target)) throw nameConflict(file)
    renameSync(aside, target)
  }
}

function sync(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function nameConflict(file: string): StoreConflict {
  return new StoreConflict(`There is already a file ${file}. Name another one, or overwrite it with --force`)
}

function fault(error: unknown, path: string, file: string): Error {
  const reason = systemFault(error)
  if (reason === null) return asStoreError(error, path)
  return new StoreUnavailable(`The backup ${file} cannot be written: ${reason}`, { cause: error })
}
