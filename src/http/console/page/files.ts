/**
 * The files of the built page, small and few: all of them are held in memory once the first is requested. Names are
 * looked up only there, so that no path leads out of their folder.
 */
import { hash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { extname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Content codings by the suffix of a file that was compressed by the build; better ones first. */
const CODINGS = [
  { suffix: '.br', coding: 'br' },
  { suffix: '.gz', coding: 'gzip' },
] as const
type Coding = (typeof CODINGS)[number]['coding']

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
}

export interface PageFile {
  type: string
  /** The ETag; weak, since it is the same for each coding (RFC 9110 8.8.1). */
  tag: string
  octets: Buffer
  coded: { coding: Coding; octets: Buffer }[]
}

interface Build {
  /** Identifies the folder that it was read from; each build creates a new one. */
  folder: string
  index: string
  /** By name, e.g. `assets/index-abc.js`. */
  files: ReadonlyMap<string, PageFile>
}

export class PageFiles {
  readonly #folder: string
  #build: Build | null = null

  constructor(folder: URL) {
    this.#folder = fileURLToPath(folder)
  }

  /** Null: there is no file of this name. */
  async find(name: string): Promise<PageFile | null> {
    return this.#build?.files.get(name) ?? (await this.#current())?.files.get(name) ?? null
  }

  /** The page itself, as built; null when there is no build. */
  async index(): Promise<string | null> {
    return (await this.#current())?.index ?? null
  }

  /** The present build: the page may have been built, or rebuilt, since the last look. */
  async #current(): Promise<Build | null> {
    const folder = await stateOf(this.#folder)
    if (folder === null) return null
    if (folder !== this.#build?.folder) {
      const build = await readBuild(this.#folder, folder)
      // A folder that was replaced while it was read may be a mixture of two builds: the next request reads it again.
      if (folder !== (await stateOf(this.#folder))) return null
      this.#build = build
    }
    return this.#build
  }
}

/** Differs for each folder at this path; null when there is none. */
async function stateOf(path: string): Promise<string | null> {
  try {
    const { ino, mtimeMs } = await stat(path)
    return `${ino} ${mtimeMs}`
  } catch {
    return null
  }
}

async function readBuild(path: string, folder: string): Promise<Build | null> {
  try {
    const entries = await readdir(path, { recursive: true, withFileTypes: true })
    const contents = new Map(
      await Promise.all(
        entries
          .filter((entry) => entry.isFile())
          .map(({ parentPath, name }) => relative(path, join(parentPath, name)))
          // Hidden files are notes of the build.
          .filter((name) => !/(?:^|\/)\./.test(name))
          .map(async (name) => [name, await readFile(join(path, name))] as const),
      ),
    )
    const { 'index.html': index, ...files } = Object.fromEntries(contents)
    if (index === undefined) return null
    const named = Object.entries(files).flatMap(([name, octets]) => {
      const type = TYPES[extname(name)]
      return type === undefined ? [] : [[name, fileOf(type, octets, name, contents)] as const]
    })
    return { folder, index: index.toString(), files: new Map(named) }
  } catch {
    // The folder was removed in the meantime.
    return null
  }
}

function fileOf(type: string, octets: Buffer, name: string, contents: ReadonlyMap<string, Buffer>): PageFile {
  const coded = CODINGS.flatMap(({ suffix, coding }) => {
    const found = contents.get(name + suffix)
    return found === undefined ? [] : [{ coding, octets: found }]
  })
  return { type, tag: `W/"${hash('sha256', octets, 'base64url').slice(0, 22)}"`, octets, coded }
}
