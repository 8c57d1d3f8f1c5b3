/** Fills the runs of docs/reliability.md from chaos/results. With --check: fails when the page is not what they make of it. */
import { madeAnew, readPage, writePage } from './page.ts'
import { readRuns } from './results.ts'

if (process.argv.includes('--check')) {
  if (readPage() !== madeAnew(readPage(), readRuns())) {
    process.stderr.write(
      'docs/reliability.md is not what chaos/results make of it: run node chaos/reliability-page.ts\n',
    )
    process.exitCode = 1
  }
} else {
  writePage(readRuns())
}
