/**
 * A folder that is made of sources: built when they changed, and put in its place whole, so that nobody reads half of it. Of several
 * processes that build it one does, and the others wait.
 */
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export const root = join(import.meta.dirname, '..')
/** Holds the digest of the sources that the folder was made of. */
const NOTE = '.made-of'
/** Ms to wait for another process that builds. */
const PATIENCE = 120_000

/** `sources`: globs, relative to the root of the checkout. `make` fills an empty folder. */
export interface BuiltFolder {
  folder: string
  sources: string[]
  make: (folder: string) => Promise<void>
}

/** Returns at once when the folder was made of these sources. */
export async function buildOnce({ folder, sources, make }: BuiltFolder): Promise<void> {
  const isMadeOf = (digest: string) => {
    const note = join(folder, NOTE)
    return existsSync(note) && readFileSync(note, 'utf8') === digest
  }
  if (isMadeOf(digestOf(sources))) return
  // An exclusive lock, which the operating system releases however this process ends.
  using lock = new DatabaseSync(`${folder}.lock`, { timeout: PATIENCE })
  lock.exec('BEGIN EXCLUSIVE')
  const digest = digestOf(sources)
  // The process that had the lock before may have built the same.
  if (isMadeOf(digest)) return
  const [fresh, old] = [`${folder}.new`, `${folder}.old`]
  for (const each of [fresh, old]) rmSync(each, { recursive: true, force: true })
  await make(fresh)
  writeFileSync(join(fresh, NOTE), digest)
  if (existsSync(folder)) renameSync(folder, old)
  renameSync(fresh, folder)
  rmSync(old, { recursive: true, force: true })
}

function digestOf(sources: string[]): string {
  const hash = createHash('sha256')
  for (const path of globSync(sources, { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()) {
    const content = readFileSync(path)
    hash.update(`${relative(root, path)}\0${content.length}\0`).update(content)
  }
  return hash.digest('hex')
}
