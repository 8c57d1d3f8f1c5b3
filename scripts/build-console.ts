/**
 * Builds the page of the console into console/dist, unless what is there was made of these sources: `npm run build`, `npm start` and
 * the tests call it.
 */
import { globSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { buildOnce, root } from './built-folder.ts'
import { PAGE_CODE } from './page-code.ts'

const SOURCES = [
  'console/{src,public}/**/*',
  'console/*.{html,json,ts}',
  'src/http/console/contract/**/*',
  ...PAGE_CODE.map((file) => `src/${file}`),
  'package-lock.json',
  'tsconfig.json',
  'scripts/{build-console,page-code}.ts',
]
/** What compresses well. index.html is another in each answer. */
const TEXT = /\.(?:js|css|svg|json|txt)$/
/** Octets below which a head weighs more than what is saved. */
const WORTH_IT = 512

async function build(folder: string): Promise<void> {
  // Loaded here: most calls find that there is nothing to do.
  const vite = await import('vite')
  await vite.build({
    configFile: join(root, 'console', 'vite.config.ts'),
    configLoader: 'native',
    logLevel: 'warn',
    build: { outDir: folder },
  })
  await compressAll(folder)
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

await buildOnce({ folder: join(root, 'console', 'dist'), sources: SOURCES, make: build })
