/** The rules made from the list of places refuse wrong imports: shown by imports planted in a small house. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { HOUSE, housePage } from '../../scripts/house.ts'
import { lintImports, listFaults } from '../../scripts/layers.ts'
import { PAGE_CODE } from '../../scripts/page-code.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** What Biome says of these files of src, or of the page of the console, by rule. */
function refusals(files: Record<string, string>): string[] {
  const directory = mkdtempSync(join(os.tmpdir(), 'postroad-house-'))
  try {
    for (const [name, text] of Object.entries(files)) {
      const path = name.startsWith('console/src/') ? join(directory, name) : join(directory, 'src', name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
    }
    const { diagnostics } = JSON.parse(lintImports(directory, 'json').output) as {
      diagnostics: { category: string; severity: string }[]
    }
    return diagnostics.filter(({ severity }) => severity === 'error').map(({ category }) => category)
  } finally {
    rmSync(directory, { recursive: true })
  }
}

const DIRECTION = 'lint/style/noRestrictedImports'
const CIRCLE = 'lint/suspicious/noImportCycles'

const PLANTED: [string, Record<string, string>, string[]][] = [
  ['what stands below', { 'http/a.ts': "import '../store/store.ts'\nimport '../mail/b/c.ts'\n" }, []],
  ['what stands above', { 'store/a.ts': "import '../http/b.ts'\n" }, [DIRECTION]],
  [
    'types of what stands above',
    { 'mail/a/b.ts': "import type { B } from '../../cli/b.ts'\nexport type A = B\n" },
    [DIRECTION],
  ],
  ['a file that stands above', { 'queue/a.ts': "export { a } from '../app.ts'\n" }, [DIRECTION]],
  ['what stands above a file of src', { 'log.ts': "import './http/b.ts'\n" }, [DIRECTION]],
  [
    'a file that stands above one',
    { 'metrics.ts': "import type { A } from './app.ts'\nexport type B = A\n" },
    [DIRECTION],
  ],
  ['what stands below and is not asked for', { 'http/a.ts': "import '../queue/b.ts'\n" }, [DIRECTION]],
  ['what stands beside', { 'dns/a.ts': "import '../workers/b.ts'\n" }, [DIRECTION]],
  ['what a place does without', { 'mail/a.ts': "import '../config/b.ts'\n" }, [DIRECTION]],
  [
    'another file than the one that is named',
    { 'intake/a.ts': "import '../store/sqlite/b.ts'\n" },
    [DIRECTION],
  ],
  [
    'the page of the console',
    { 'http/console/a.ts': "import type { B } from '../../../console/src/b.ts'\nexport type A = B\n" },
    [DIRECTION],
  ],
  [
    'shapes that the page of the console shows',
    {
      'console/src/api/a.ts':
        "import type { B } from '../../../src/http/console/contract/b.ts'\nimport type { C } from '../../../src/people/c.ts'\nexport type A = B | C\n",
    },
    [],
  ],
  [
    'what the page of the console does without',
    { 'console/src/a.tsx': "import type { B } from '../../src/http/console/b.ts'\nexport type A = B\n" },
    [DIRECTION],
  ],
  [
    'a circle of types',
    {
      'intake/a.ts': "import type { B } from './b.ts'\nexport type A = B | 1\n",
      'intake/b.ts': "import type { A } from './a.ts'\nexport type B = A | 2\n",
    },
    [CIRCLE, CIRCLE],
  ],
]

for (const [what, files, expected] of PLANTED) {
  test(`an import of ${what} is ${expected.length === 0 ? 'allowed' : 'refused'}`, () => {
    assert.deepEqual(refusals(files), expected)
  })
}

test('the page of the console takes types of src, and code that needs nothing else', () => {
  const files = readdirSync(join(root, 'console/src'), { recursive: true, encoding: 'utf8' })
  const imports = files
    .filter((file) => /\.tsx?$/.test(file))
    .flatMap((file) => {
      const text = readFileSync(join(root, 'console/src', file), 'utf8')
      return [...text.matchAll(/^(?:import|export)\s[^']*'(?:\.\.\/)+src\/[^']*'/gm)].map(([found]) => found)
    })
  assert.ok(imports.length > 0, 'the imports were found')
  assert.deepEqual(
    imports.filter(
      (found) =>
        !/^(?:import|export) type /.test(found) && !PAGE_CODE.some((file) => found.endsWith(`/src/${file}'`)),
    ),
    [],
  )
  for (const file of PAGE_CODE) {
    const text = readFileSync(join(root, 'src', file), 'utf8')
    assert.doesNotMatch(text, /\bimport\(/)
    const imports = [...text.matchAll(/^import (?!type )[^']*'([^']*)'/gm)].map(([, specifier]) => specifier!)
    for (const specifier of imports) assert.ok(PAGE_CODE.includes(join(dirname(file), specifier)), specifier)
  }
})

test('no folder within a place bears the name of a place: it would be taken for it', () => {
  const places = new Set(HOUSE.map(({ name }) => name))
  const within = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.parentPath !== join(root, 'src'))
    .map(({ name }) => name)
  assert.deepEqual(
    within.filter((name) => places.has(name)),
    [],
  )
})

test('every place of src stands in the list', () => {
  const there = readdirSync(join(root, 'src'))
  assert.deepEqual(there.toSorted(), HOUSE.map(({ name }) => name).toSorted())
})

test('every place imports only places below it', () => {
  for (const [at, { name, imports }] of HOUSE.entries()) {
    if (imports === 'everything') continue
    for (const entry of imports) {
      const below = HOUSE.slice(at + 1).some((other) => other.name === entry.split('/')[0])
      assert.ok(below, `${name} may not import ${entry}`)
    }
  }
})

test('each place imports what the list allows, and no URL leads around it', () => {
  assert.deepEqual(listFaults(), [])
})

test('a page without its markers is refused', () => {
  assert.throws(() => housePage.madeAnew('# Architecture'), /lacks the markers/)
})
