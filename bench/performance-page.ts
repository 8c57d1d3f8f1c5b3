/** Fills the figures of docs/performance.md from bench/results. With --check: fails when the page is not what they make of it. */
import { madeAnew, readPage, writePage } from './page/page.ts'
import { readResults } from './results.ts'

if (process.argv.includes('--check')) {
  if (readPage() !== madeAnew(readPage(), readResults)) {
    process.stderr.write(
      'docs/performance.md is not what bench/results make of it: run node bench/performance-page.ts\n',
    )
    process.exitCode = 1
  }
} else {
  writePage(readResults)
}
