/** Where runs are kept, one JSON file each, and the page that is made of them. */
import { MarkedPage } from '../harness/marked-page.ts'
import { Results } from '../harness/results.ts'
import type { KeptRun } from './kept-run.ts'
import { section } from './page.ts'

const results = new Results('chaos/results')

export const reliabilityPage = new MarkedPage('docs/reliability.md', 'chaos/reliability-page.ts', {
  runs: () => section(results.read<KeptRun>()),
})

/** Writes the file, brings docs/reliability.md up to date, and returns the file's path. */
export function keepRun(run: KeptRun): string {
  const path = results.keep(run, { suffix: `-${run.store}-${run.seed}` })
  reliabilityPage.write()
  return path
}
