/**
 * Builds the page of the console into console/dist, unless what is there was made of these sources: `npm run build`, `npm start` and
 * the tests call it. It is put in its place whole, so that nobody is served half of it; of several who build one does, and the
 * others wait for him.
 */
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'console', 'dist')
/** What it was made of. */
const NOTE = '.made-of'
const SOURCES = [
  'console/{src,public}/**/*',
  'console/*.{html,json,ts}',
  'src/http/console/contract/**/*',
  'package-lock.json',
  'tsconfig.json',
  'scripts/build-console.ts',
]
/** What compresses well. index.html is another in each answer. */
const TEXT = /\.(?:js|css|svg|json|txt)$/
/** Octets below which a head weighs more than what is saved. */
const WORTH_IT = 512
/** Ms to wait for somebody else who builds. */
const PATIENCE = 120_000

function digestOfSources(): string {
  const hash = createHash('sha256')
  for (const path of globSync(SOURCES, { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()) {
    const content = readFileSync(path)
    hash.update(`${relative(root, path)}\0${content.length}\0`).update(content)
  }
  return hash.digest('hex')
}

function isMadeOf(digest: string): boolean {
  const note = join(dist, NOTE)
  return existsSync(note) && readFileSync(note, 'utf8') === digest
}

async function build(digest: string): Promise<void> {
  const [fresh, old] = [`${dist}.new`, `${dist}.old`]
  for (const each of [fresh, old]) rmSync(each, { recursive: true, force: true })
  // Loaded here: most calls find that there is nothing to do.
  const vite = await import('vite')
  await vite.build({
    configFile: join(root, 'console', 'vite.config.ts'),
    configLoader: 'native',
    logLevel: 'warn',
    build: { outDir: fresh },
  })
  await compressAll(fresh)
  writeFileSync(join(fresh, NOTE), digest)
  if (existsSync(dist)) renameSync(dist, old)
  renameSync(fresh, dist)
  rmSync(old, { recursive: true, force: true })
}

/** Beside each file: done here at the highest level, and never again. */
async function compressAll(folder: string): Promise<void> {
  const files = globSync('**/*', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile() && TEXT.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
  await Promise.all(
    files.map(async (path) => {
      const content = await readFile(path)
      if (content.length < WORTH_IT) return
      const params = {
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
      }
      await writeFile(`${path}.br`, await promisify(brotliCompress)(content, { params }))
      await writeFile(`${path}.gz`, await promisify(gzip)(content, { level: 9 }))
    }),
  )
}

if (!isMadeOf(digestOfSources())) {
  // An exclusive lock, which the operating system lets go of however this process ends.
  using lock = new DatabaseSync(`${dist}.lock`, { timeout: PATIENCE })
  lock.exec('BEGIN EXCLUSIVE')
  // Whoever had it may have built the same.
  const digest = digestOfSources()
  if (!isMadeOf(digest)) await build(digest)
}
