/** Holds the direction of imports: who may know whom is a table, and no file may know itself by a detour. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Folder (or file) of src -> what it may import, apart from itself, other packages and Node.js. An entry is a folder, a file, or one
 * of them with ` (types)`: then `import type` only. What stands nowhere in the table may be imported by src/app.ts alone.
 */
export const MAY_IMPORT: Record<string, string[] | 'everything'> = {
  common: [],
  mail: [],
  network: [],
  workers: ['common'],
  dns: [],
  config: ['network'],
  email: ['mail (types)'],
  accounts: ['mail', 'network'],
  store: ['accounts (types)', 'common', 'email', 'mail (types)', 'config/settings.ts (types)'],
  intake: ['accounts', 'mail', 'workers', 'metrics.ts (types)', 'store/store.ts'],
  cluster: ['common', 'metrics.ts (types)', 'store/store.ts (types)'],
  delivery: [
    'accounts',
    'cluster/sending-right.ts',
    'common',
    'email (types)',
    'mail',
    'dns',
    'network',
    'workers',
    'store/store.ts (types)',
    'config/settings.ts (types)',
  ],
  queue: [
    'accounts (types)',
    'cluster',
    'common',
    'delivery',
    'email (types)',
    'mail',
    'loop-monitor.ts (types)',
    'store/store.ts',
    'intake/handover.ts (types)',
    'metrics.ts (types)',
  ],
  operate: ['accounts', 'store/store.ts (types)'],
  http: [
    'accounts',
    'intake',
    'mail',
    'network',
    'workers',
    'common',
    'loop-monitor.ts (types)',
    'store/store.ts',
    'config/settings.ts (types)',
    'config/memory-plan.ts (types)',
  ],
  cli: [
    'accounts',
    'config',
    'dns',
    'common',
    'email (types)',
    'mail',
    'network',
    'delivery',
    'queue',
    'log.ts',
    'app.ts',
    'version.ts',
    'store/store.ts (types)',
    'store/open.ts',
    'store/backup.ts',
    'store/schema.ts',
    'store/transfer/transfer.ts',
  ],
  'log.ts': ['accounts/token.ts', 'common', 'config/settings.ts (types)'],
  'loop-monitor.ts': ['log.ts (types)', 'common'],
  'main.ts': ['cli'],
  'version.ts': ['../package.json'],
  'app.ts': 'everything',
}

export interface Import {
  /** Paths relative to src, with `/`. */
  from: string
  to: string
  typeOnly: boolean
}

/** Sentences, one for each import that the table forbids and each circle of imports. Type imports make no circle. */
export function violations(imports: Import[], table: typeof MAY_IMPORT = MAY_IMPORT): string[] {
  const forbidden = imports.filter((each) => !allowed(each, table))
  return [
    ...forbidden.map(
      ({ from, to, typeOnly }) => `${from} must not import ${typeOnly ? 'types of ' : ''}${to}`,
    ),
    ...circles(imports.filter((each) => !each.typeOnly)),
  ]
}

/** Sentences, one for each entry of the table that allows more than is done: such a table shows directions that are not those of the house. */
export function idleEntries(imports: Import[], table: typeof MAY_IMPORT = MAY_IMPORT): string[] {
  return Object.entries(table).flatMap(([place, entries]) => {
    if (entries === 'everything') return []
    return entries.flatMap((entry) => {
      const name = entry.replace(' (types)', '')
      const uses = imports.filter(({ from, to }) => from.split('/')[0] === place && isWithin(to, name))
      if (uses.length === 0) return [`${place} may import ${entry}, and does not`]
      if (name !== entry || uses.some(({ typeOnly }) => !typeOnly)) return []
      return [`${place} may import ${entry}, and imports types only`]
    })
  })
}

function isWithin(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`)
}

function allowed({ from, to, typeOnly }: Import, table: typeof MAY_IMPORT): boolean {
  const place = from.split('/')[0]!
  if (place === to.split('/')[0]) return true
  const entries = table[place]
  if (entries === 'everything') return true
  return (entries ?? []).some((entry) => {
    const name = entry.replace(' (types)', '')
    if (name !== entry && !typeOnly) return false
    return isWithin(to, name)
  })
}

/** One sentence for each circle, found by walking depth first. */
function circles(imports: Import[]): string[] {
  const next = new Map<string, string[]>()
  for (const { from, to } of imports) next.set(from, [...(next.get(from) ?? []), to])
  const done = new Set<string>()
  const found: string[] = []
  const walk = (file: string, path: string[]): void => {
    const at = path.indexOf(file)
    if (at >= 0) {
      found.push(`imports go in a circle: ${[...path.slice(at), file].join(' -> ')}`)
      return
    }
    if (done.has(file)) return
    for (const to of next.get(file) ?? []) walk(to, [...path, file])
    done.add(file)
  }
  for (const file of next.keys()) walk(file, [])
  return found
}

/** Every import between the files under `folder`. */
export function importsUnder(folder: string): Import[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .flatMap((path) => {
      const file = join(folder, path)
      return importsIn(readFileSync(file, 'utf8')).map(({ specifier, typeOnly }) => ({
        from: named(folder, file),
        to: named(folder, resolve(dirname(file), specifier)),
        typeOnly,
      }))
    })
}

const STATEMENT = /^(?:import|export)\s+(type\s)?([^'";]*?)\s*(?:from\s*)?'(\.[^']*)'/gm
const DYNAMIC = /\b(?:import|new URL)\(\s*'(\.[^']*\.ts)'/g

/** Relative imports of a source text. `import { type A }` counts as an import of the file itself: it still loads it. */
export function importsIn(source: string): { specifier: string; typeOnly: boolean }[] {
  const fixed = [...source.matchAll(STATEMENT)].map((match) => ({
    specifier: match[3]!,
    typeOnly: match[1] !== undefined,
  }))
  const dynamic = [...source.matchAll(DYNAMIC)].map((match) => ({ specifier: match[1]!, typeOnly: false }))
  return [...fixed, ...dynamic]
}

function named(folder: string, path: string): string {
  return relative(folder, path).split(sep).join('/')
}

if (import.meta.main) {
  const imports = importsUnder(fileURLToPath(new URL('../src', import.meta.url)))
  const found = [...violations(imports), ...idleEntries(imports)]
  for (const sentence of found) process.stderr.write(`${sentence}\n`)
  if (found.length > 0) {
    process.stderr.write('The table of who may import whom is in scripts/check-imports.ts.\n')
    process.exitCode = 1
  }
}
