/** The rules that are made from the list of places refuse what they are to refuse: shown by imports planted in a small house. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { HOUSE } from '../../scripts/house.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** What Biome says of these files of src, by rule. */
async function refusals(files: Record<string, string>): Promise<string[]> {
  const directory = mkdtempSync(join(os.tmpdir(), 'postroad-house-'))
  try {
    cpSync(join(root, 'biome.layers.json'), join(directory, 'biome.layers.json'))
    writeFileSync(join(directory, 'biome.json'), '{ "extends": ["./biome.layers.json"] }')
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(directory, 'src', dirname(name)), { recursive: true })
      writeFileSync(join(directory, 'src', name), text)
    }
    const output = await new Promise<string>((resolve) => {
      const biome = join(root, 'node_modules/.bin/biome')
      execFile(biome, ['lint', '--reporter=json'], { cwd: directory }, (_error, stdout) => resolve(stdout))
    })
    const { diagnostics } = JSON.parse(output) as { diagnostics: { category: string; severity: string }[] }
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
  ['what stands beside', { 'dns/a.ts': "import '../workers/b.ts'\n" }, [DIRECTION]],
  ['what a place of its own wishes does without', { 'mail/a.ts': "import '../config/b.ts'\n" }, [DIRECTION]],
  ['what is behind a door', { 'intake/a.ts': "import '../store/sqlite/b.ts'\n" }, [DIRECTION]],
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
  test(`an import of ${what} is ${expected.length === 0 ? 'allowed' : 'refused'}`, async () => {
    assert.deepEqual(await refusals(files), expected)
  })
}

test('no folder within a place bears the name of a place: it would be taken for it', () => {
  const places = new Set(HOUSE.flat().map(({ name }) => name))
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
  assert.deepEqual(
    there.toSorted(),
    HOUSE.flat()
      .map(({ name }) => name)
      .toSorted(),
  )
})
