/**
 * Holds the imports to the list of places, scripts/house.ts: Biome lints with rules made from the list, and each import that the list
 * allows must exist. The rules are made for each run: as a file they are some thousands of lines that say the same.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { HOUSE, type Place, words } from './house.ts'
import { PAGE_CODE } from './page-code.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Beside src: what each folder does not import. What tests, benchmarks and chaos runs share lies in harness. */
const TOOLS: Record<string, string[]> = {
  harness: ['test', 'bench', 'chaos', 'fuzz'],
  'test/support': ['bench', 'chaos'],
  bench: ['test', 'chaos'],
  chaos: ['test', 'bench'],
  fuzz: ['test', 'bench', 'chaos'],
}

/** What the page of the console takes of src: that, and of shapes the types alone (a test says so). */
const PAGE_IMPORTS = [...words('http/console/contract/** email/** people/**'), ...PAGE_CODE]

const isFile = (name: string) => name.endsWith('.ts')

/** Biome's rules on imports alone: their directions, and no circles, not even of types. */
function layersConfig(): object {
  const overrides = HOUSE.flatMap((place) => [
    restricted(isFile(place.name) ? `src/${place.name}` : `src/${place.name}/**`, refused(place)),
    // A later entry takes the place of an earlier one: it holds the same and more.
    ...(place.apart ?? []).map((folder) =>
      restricted(`src/${place.name}/${folder}/**`, [...refused(place), ...strangersOf(place, folder)]),
    ),
  ])
  const tools = Object.entries(TOOLS).map(([folder, strangers]) => {
    const group = strangers.map((stranger) => `../**/${stranger}/**`)
    return restricted(`${folder}/**`, [
      { group, message: `${folder} does not import of these: see scripts/house.ts.` },
    ])
  })
  const page = restricted('console/**', [
    {
      group: ['../**/src/**', ...PAGE_IMPORTS.map((each) => `!../**/src/${each}`)],
      message: 'The page imports shapes of src, and little else: see scripts/house.ts.',
    },
  ])
  // Biome looks for circles only where the whole project is told to have none. Tests have some of types.
  const circles = (setting: unknown) => ({ suspicious: { noImportCycles: setting } })
  const tests = { includes: ['test/**', '!test/support/**'], linter: { rules: circles('off') } }
  return {
    root: true,
    linter: { rules: { preset: 'none', ...circles({ level: 'error', options: { ignoreTypes: false } }) } },
    overrides: [tests, ...tools, page, ...overrides],
  }
}

function restricted(files: string, patterns: object[]): object {
  const rules = { style: { noRestrictedImports: { level: 'error', options: { patterns } } } }
  return { includes: [files], linter: { rules } }
}

function strangersOf({ name, apart = [] }: Place, folder: string): object[] {
  const strangers = apart.filter((other) => other !== folder)
  return strangers.map((other) => ({
    group: [`../**/${other}/**`],
    message: `${name}/${folder} knows nothing of ${name}/${other}: what both need lies in ${name}. See scripts/house.ts.`,
  }))
}

/** One pattern for each other place of which it does not import everything. */
function refused({ name, imports }: Place): object[] {
  if (imports === 'everything') return []
  // What stands in src itself names the others as its neighbours.
  const way = isFile(name) ? './' : '../**/'
  const others = HOUSE.filter((other) => other.name !== name && !imports.includes(other.name))
  const page = {
    group: ['../**/console/src/**'],
    message: 'The page asks the service, and not the other way round.',
  }
  const refusals = others.map((other) => {
    const files = imports.filter((entry) => entry.startsWith(`${other.name}/`))
    return {
      group: [
        isFile(other.name) ? `${way}${other.name}` : `${way}${other.name}/**`,
        ...files.map((file) => `!${way}${file}`),
      ],
      message: `${name} does not import ${files.length > 0 ? 'this ' : ''}of ${other.name}: see scripts/house.ts.`,
    }
  })
  return [page, ...refusals]
}

/** What Biome says about the imports of the files in a directory or a copy of its folders. `reporter`: Biome's. */
export function lintImports(directory: string, reporter = 'default'): { code: number; output: string } {
  // Biome finds circles only below the folder of its configuration's project.
  const cache = join(directory, '.cache')
  mkdirSync(cache, { recursive: true })
  const settings = mkdtempSync(join(cache, 'layers-'))
  try {
    writeFileSync(join(settings, 'biome.json'), JSON.stringify(layersConfig()))
    const folders = ['src', 'console/src', ...Object.keys(TOOLS)].filter((folder) =>
      existsSync(join(directory, folder)),
    )
    const options = [
      `--config-path=${settings}`,
      '--diagnostic-level=error',
      `--reporter=${reporter}`,
      ...folders,
    ]
    const { status, stdout, stderr } = spawnSync(
      join(root, 'node_modules/.bin/biome'),
      ['lint', ...options],
      {
        cwd: directory,
        encoding: 'utf8',
      },
    )
    return { code: status ?? 1, output: reporter === 'json' ? stdout : stdout + stderr }
  } finally {
    rmSync(settings, { recursive: true })
  }
}

/** Files of src that a file of src names, by import or as the program of a thread. */
function namedBy(file: string): string[] {
  const text = readFileSync(join(root, 'src', file), 'utf8')
  const specifiers = text.matchAll(/(?:from|import|import\(|new URL\()\s*'(\.{1,2}\/[^']*\.ts)'/g)
  return [...specifiers].map(([, specifier]) => join(dirname(file), specifier!))
}

const covers = (entry: string, file: string) => file === entry || file.startsWith(`${entry}/`)

/**
 * What is wrong with the list: entries that no file of a place uses, and files that are named around the list by a URL, which Biome
 * does not see.
 */
export function listFaults(): string[] {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  const named = files
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => namedBy(file).map((to) => ({ place: file.split('/')[0]!, to })))
  if (named.length === 0) throw new Error('No import was found in src.')
  return HOUSE.flatMap(({ name, imports }) => {
    if (imports === 'everything') return []
    const used = named.filter(({ place }) => place === name).map(({ to }) => to)
    const unused = imports.filter((entry) => !used.some((to) => covers(entry, to)))
    const strangers = used.filter(
      (to) => to.split('/')[0] !== name && !imports.some((entry) => covers(entry, to)),
    )
    return [
      ...unused.map((entry) => `${name} does not import ${entry}: remove it from scripts/house.ts.`),
      ...strangers.map((to) => `${name} must not name ${to}: see scripts/house.ts.`),
    ]
  })
}

if (import.meta.main) {
  const { code, output } = lintImports(root)
  if (code !== 0) process.stderr.write(output)
  const faults = listFaults()
  for (const fault of faults) process.stderr.write(`${fault}\n`)
  if (code !== 0 || faults.length > 0) process.exitCode = 1
}
