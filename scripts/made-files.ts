/** Files of the repository that programs make. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Writes them; with --check only says which are out of date. `program`: what makes them, from the root of the
 * repository; `files`: their texts, by name.
 */
export function keepMade(program: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    if (!process.argv.includes('--check')) writeFileSync(root + name, text)
    else if (readFileSync(root + name, 'utf8') !== text) {
      process.stderr.write(`${name} is out of date: run node ${program}\n`)
      process.exitCode = 1
    }
  }
}
