/** Writes docs/configuration.md from the table of settings; with --check only says whether it is up to date. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { configurationPage } from '../src/config/page.ts'

const path = fileURLToPath(new URL('../docs/configuration.md', import.meta.url))
const page = configurationPage()

if (process.argv.includes('--check')) {
  if (readFileSync(path, 'utf8') !== page) {
    process.stderr.write('docs/configuration.md is out of date: run node scripts/configuration-page.ts\n')
    process.exitCode = 1
  }
} else {
  writeFileSync(path, page)
}
