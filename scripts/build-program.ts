/**
 * Builds the program into dist, unless what is there was made of these sources: fewer and larger modules start in two thirds of the time,
 * and each thread holds less. The packages that every start loads are built in. `bin/postroad` runs dist/main.js when nothing in src is newer,
 * else src/main.ts; both do the same. `npm run build`, `npm start` and `npm test` call it.
 */
import { existsSync, globSync, readFileSync, utimesSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { buildOnce, root } from './built-folder.ts'

const SOURCES = ['src/**/*.ts', 'package-lock.json', 'scripts/build-program.ts']
/** Packages that stay where they are installed: most starts load none of them, or they start a file of their own (pino). */
const NOT_BUILT_IN = [
  '@simplewebauthn/server',
  'chrono-node',
  'imapflow',
  'mailauth',
  'openid-client',
  'pg',
  'pino',
  'pino-pretty',
  'tldts',
  'undici',
]
const src = join(root, 'src')
const dist = join(root, 'dist')
const began = new Date()

/** A module that a thread, a process or a worker is started with. */
const STARTED = /new URL\(\s*'(\.[^']+\.ts)',\s*import\.meta\.url,?\s*\)/g
/** A module that names itself, for a worker to import. */
const ITSELF = /new URL\(import\.meta\.url\)/g

/** Paths of the modules that something starts, with their names in dist, which has no folders. */
function entries(): Map<string, string> {
  const paths = new Set([join(src, 'main.ts')])
  for (const path of globSync(join(src, '**/*.ts'))) {
    const text = readFileSync(path, 'utf8')
    for (const [, target] of text.matchAll(STARTED)) paths.add(resolve(dirname(path), target!))
    if (text.search(ITSELF) >= 0) paths.add(path)
  }
  // A comment may give an example.
  const files = [...paths].filter(existsSync)
  const isUnique = (path: string) => files.filter((each) => basename(each) === basename(path)).length === 1
  const nameOf = (path: string) =>
    isUnique(path) ? basename(path) : relative(src, path).replaceAll('/', '-')
  return new Map(files.map((path) => [path, nameOf(path).replace(/\.ts$/, '')]))
}

/** All of dist lies in one folder, so that one relative path is right in whichever file a module ends up. */
function moved(text: string, path: string, started: Map<string, string>): string {
  const built = (target: string) => `new URL('./${started.get(target)}.js', import.meta.url)`
  const here = `new URL('../${relative(root, path)}', import.meta.url)`
  return text
    .replace(STARTED, (whole, target: string) => {
      const file = resolve(dirname(path), target)
      return started.has(file) ? `%BUILT%${file}%` : whole
    })
    .replace(ITSELF, (whole) => (started.has(path) ? `%BUILT%${path}%` : whole))
    .replaceAll('import.meta.url', `${here.replaceAll('import.meta.url', '%URL%')}.href`)
    .replaceAll('%URL%', 'import.meta.url')
    .replace(/%BUILT%([^%]+)%/g, (_, file: string) => built(file))
}

/** `import { join, resolve as whole } from "node:path";`, as the bundler writes it. */
const IMPORT = /^import (?:(?:\* as )?([\w$]+)|\{ ([^}]+) \}|([\w$]+), \{ ([^}]+) \}) from "([^"]+)";$/gm

/**
 * Takes only the needed parts of the modules of Node.js. `import` reads every export of such a module, and Node.js loads
 * some of them when they are read: that takes each thread 0.3 MB and ten milliseconds.
 */
function withParts(code: string): string {
  return code.replace(IMPORT, (whole, name, names, first, others, id: string) => {
    if (!isBuiltin(id)) return whole
    const parts = (names ?? others)?.replaceAll(' as ', ': ')
    const lines = [name ?? first, parts && `{ ${parts} }`]
      .filter((each) => each !== undefined)
      .map((each) => `const ${each} = process.getBuiltinModule("${id}");`)
    return lines.join(' ')
  })
}

async function build(folder: string): Promise<void> {
  const started = entries()
  // Loaded here: most calls find that there is nothing to do.
  const vite = await import('vite')
  await vite.build({
    root,
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    plugins: [
      {
        name: 'urls of modules',
        enforce: 'pre',
        transform: (text, path) =>
          path.startsWith(src) && text.includes('import.meta.url') ? moved(text, path, started) : null,
      },
      {
        name: 'parts of modules of Node.js',
        renderChunk: (code) => ({ code: withParts(code), map: null }),
      },
    ],
    ssr: { noExternal: true, external: NOT_BUILT_IN },
    build: {
      ssr: true,
      target: 'node24',
      outDir: folder,
      emptyOutDir: false,
      rolldownOptions: {
        input: Object.fromEntries([...started].map(([path, name]) => [name, path])),
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: 'chunk-[name]-[hash].js',
          // Each thread keeps the text of what it runs: V8 takes an octet for a character in ASCII, else two for all of
          // the file. The lines stay, so that the places in stack traces can be found.
          charset: 'ascii',
          comments: false,
        },
      },
    },
  })
  for (const file of globSync(join(folder, '*.js'))) {
    const other = /.{0,20}[^\0-\x7f]/.exec(readFileSync(file, 'utf8'))
    if (other) throw new Error(`The build is not in ASCII: write ${JSON.stringify(other[0])} with an escape`)
  }
}

await buildOnce({ folder: dist, sources: SOURCES, make: build })
// Sources that were saved since then are newer, whether or not they were read.
utimesSync(join(dist, 'main.js'), began, began)
