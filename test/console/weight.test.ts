/** What a first view takes, counted in octets and requests: on loopback these are its time. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { builtConsole } from '../support/built-console.ts'

const DIST = fileURLToPath(new URL('../../console/dist/', import.meta.url))

/** Octets of script, as they are sent. */
const MAX_SCRIPT = 200_000
const MAX_STYLE = 60_000
/** Of both, before the page stands there. */
const MAX_FILES = 40

/** A file of the build, by its source (Vite's manifest). */
interface Chunk {
  file: string
  css?: string[]
  /** What is loaded with it. */
  imports?: string[]
}

const size = (file: string) => statSync(DIST + (existsSync(`${DIST}${file}.br`) ? `${file}.br` : file)).size

describe('a first view', () => {
  let chunks: Record<string, Chunk>
  before(async () => {
    await builtConsole()
    chunks = JSON.parse(readFileSync(`${DIST}.vite/manifest.json`, 'utf8')) as Record<string, Chunk>
  })

  /** Everything that is loaded for these sources. */
  function filesOf(sources: string[]): Set<string> {
    const seen = new Set(sources)
    for (const source of seen) for (const each of chunks[source]!.imports ?? []) seen.add(each)
    return new Set([...seen].flatMap((source) => [chunks[source]!.file, ...(chunks[source]!.css ?? [])]))
  }

  for (const page of ['emails', 'overview']) {
    test(`of ${page} is light`, (t) => {
      const files = [...filesOf(['index.html', `src/pages/${page}/${page}-page.tsx`])]
      const sum = (suffix: string) =>
        files.filter((file) => file.endsWith(suffix)).reduce((octets, file) => octets + size(file), 0)
      const told = files.map((file) => `${size(file)} ${file}`).join('\n')
      t.diagnostic(`${sum('.js')} octets of script and ${sum('.css')} of style in ${files.length} files`)
      assert.ok(sum('.js') > 50_000, told)
      assert.ok(sum('.js') < MAX_SCRIPT, told)
      assert.ok(sum('.css') < MAX_STYLE, told)
      assert.ok(files.length <= MAX_FILES, told)
    })
  }

  test('has its scripts announced by the page: none waits for another to be read', () => {
    const html = readFileSync(`${DIST}index.html`, 'utf8')
    for (const file of filesOf(['index.html'])) assert.ok(html.includes(`/console/${file}"`), file)
  })
})
