/** docs/performance.md: its words are written by hand, its figures stand between markers and come from bench/results. */
import { readFileSync, writeFileSync } from 'node:fs'
import type { readResults } from '../results.ts'
import { SECTIONS } from './sections.ts'

const PAGE = new URL('../../docs/performance.md', import.meta.url)

/** The page with its sections made anew. Throws when a marker is missing. */
export function madeAnew(page: string, read: typeof readResults): string {
  let made = page
  for (const [name, section] of Object.entries(SECTIONS)) {
    const begin = `<!-- begin ${name}: made by bench/performance-page.ts -->\n`
    const end = `<!-- end ${name} -->`
    const from = made.indexOf(begin)
    const to = made.indexOf(end)
    if (from < 0 || to < from)
      throw new Error(`docs/performance.md lacks the markers of the section "${name}"`)
    made = `${made.slice(0, from + begin.length)}\n${section(read)}\n\n${made.slice(to)}`
  }
  return made
}

export function readPage(): string {
  return readFileSync(PAGE, 'utf8')
}

export function writePage(read: typeof readResults): void {
  writeFileSync(PAGE, madeAnew(readPage(), read))
}
