import { createHash, randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs'
import { hostname, tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { claimFile } from '../common/exclusive-file.ts'

export interface NameClaimOptions {
  /**
   * Folder of the file, on a file system of this machine alone; null: a folder of this user in the system's temporary
   * folder.
   */
  directory: string | null
  /** URL of the database. */
  database: string
  /** Name of this node, among those on the database. */
  name: string
}

/** How an attempt to claim the name ended. `unavailable`: no such file can be kept here; `why` says the reason. */
interface NameClaimResult {
  kind: 'ours' | 'taken' | 'unavailable'
  why?: string
}

/**
 * Claims a node's name on this machine by a file that belongs to one living process: the operating system releases it
 * when that process has ended, however it ended, and not before. The holder therefore knows that all earlier holders
 * are gone.
 */
export class NameClaim {
  readonly #options: NameClaimOptions
  #held: { db: DatabaseSync; path: string; machine: string } | null = null

  constructor(options: NameClaimOptions) {
    this.#options = options
  }

  /**
   * Names the place where the claim holds; null while we do not hold it. Another node with the same place is a process
   * that held this very file, because the place is the same only for the same file since the same boot of the same
   * machine: a copy of the file, a disk that was moved or is shared, and a file that was removed and made again are
   * other places.
   */
  get machine(): string | null {
    return this.#held?.machine ?? null
  }

  /**
   * True while a process holds the name, and after its holder was killed: a regular stop removes the file. Throws if
   * the folder cannot be used.
   */
  get wasHeld(): boolean {
    return existsSync(this.#path())
  }

  take(): NameClaimResult {
    if (this.#held !== null) return { kind: 'ours' }
    let db: DatabaseSync | null = null
    try {
      const path = this.#path()
      // SQLite would make it readable for all users.
      closeSync(openSync(path, 'a', 0o600))
      db = claimFile(path)
      if (db === null) return { kind: 'taken' }
      this.#held = { db, path, machine: machineOf(path, db) }
      return { kind: 'ours' }
    } catch (error) {
      db?.close()
      const { code, message } = error as NodeJS.ErrnoException
      // The last holder has just removed the file.
      if (db !== null && code === 'ENOENT') return { kind: 'taken' }
      return { kind: 'unavailable', why: message }
    }
  }

  /** Removes the file: the next holder makes a new one. */
  release(): void {
    if (this.#held === null) return
    const { db, path } = this.#held
    this.#held = null
    // The file goes first: a process that opened the removed file has claimed a place of its own.
    rmSync(path, { force: true })
    rmSync(`${path}-journal`, { force: true })
    db.close()
  }

  #path(): string {
    const { directory, database, name } = this.#options
    if (directory !== null && !existsSync(directory)) mkdirSync(directory, { mode: 0o700 })
    return join(directory ?? ownFolder(), `${digest(withoutUser(database), name).slice(0, 32)}.node`)
  }
}

/** Another user of this machine must not be able to put files in our way there. */
function ownFolder(): string {
  const { uid } = userInfo()
  const folder = join(tmpdir(), `postroad-${uid}`)
  if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 })
  const found = lstatSync(folder)
  const shared = uid >= 0 && (found.uid !== uid || (found.mode & 0o022) !== 0)
  if (!found.isDirectory() || shared) throw new Error(`${folder} belongs to another user`)
  return folder
}

/** The same URL for the same database, whatever its user and password. */
function withoutUser(text: string): string {
  const url = new URL(text)
  for (const key of ['user', 'password']) url.searchParams.delete(key)
  return Object.assign(url, { username: '', password: '' }).href
}

function machineOf(path: string, db: DatabaseSync): string {
  db.exec('CREATE TABLE IF NOT EXISTS file (id TEXT NOT NULL)')
  let row = db.prepare('SELECT id FROM file').get()
  if (row === undefined) {
    row = { id: randomBytes(16).toString('hex') }
    db.prepare('INSERT INTO file (id) VALUES (?)').run(row.id!)
    // The lock stays: the connection holds it from its first transaction on.
    db.exec('COMMIT')
    db.exec('BEGIN EXCLUSIVE')
  }
  const { dev, ino } = statSync(path, { bigint: true })
  return digest(String(row.id), String(dev), String(ino), bootId()).slice(0, 32)
}

/** Id of this boot of this machine. Where the system has none, the host name must do. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return hostname()
  }
}

function digest(...parts: string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}
