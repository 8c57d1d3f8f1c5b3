/** The table of the limits of packages has a row for every package that strangers' text may reach. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

/** The rows of the table with this head, as cells. */
function rowsOf(head: string): string[][] {
  const [, text] = read('docs/architecture/dependencies.md').split(`${head}\n`)
  assert.ok(text !== undefined, `there is no table ${head}`)
  const [, ...rows] = text.split('\n\n', 1)[0]!.trim().split('\n')
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

test('every package has a row with its bounds of input, time and output', () => {
  const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> }
  const rows = rowsOf("| Package | What strangers' text reaches it | Input | Time | Output |")
  const named = rows.flatMap(([names]) => [...names!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!))
  assert.deepEqual(named.toSorted(), Object.keys(dependencies).toSorted())
  for (const [name, ...cells] of rows) {
    assert.equal(cells.length, 4, name)
    assert.ok(
      cells.every((cell) => cell !== ''),
      name,
    )
  }
})
