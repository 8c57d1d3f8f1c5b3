/** The results of the benchmarks, and the page that is generated from the newest ones. */
import { appendFileSync, existsSync, writeFileSync } from 'node:fs'
import { MarkedPage } from '../harness/marked-page.ts'
import { type Kept, Results } from '../harness/results.ts'
import { SECTIONS } from './page/sections.ts'
import { historyRow, type Run } from './report.ts'

/** Kinds of results by the beginning of their file names; runs of `npm run bench` have none. */
export type ResultKind =
  | 'run'
  | 'compare'
  | 'growth'
  | 'scaling'
  | 'parked'
  | 'soak'
  | 'abuse'
  | 'beside'
  | 'listing'
  | 'webhooks'
  | 'returned'
  | 'console'
  | 'memory'

const results = new Results('bench/results')
const prefixOf = (kind: ResultKind) => (kind === 'run' ? '' : `${kind}-`)

/** All results of a kind, oldest first. */
export function readResults<Result>(kind: ResultKind): Result[] {
  return results.read(prefixOf(kind))
}

export const performancePage = new MarkedPage(
  'docs/performance.md',
  'bench/performance-page.ts',
  Object.fromEntries(Object.entries(SECTIONS).map(([name, section]) => [name, () => section(readResults)])),
)

/** Writes the file, brings docs/performance.md up to date, and returns the file's path. `compact`: without line breaks. */
export function keepResult(kind: ResultKind, result: Kept, { compact = false } = {}): string {
  const path = results.keep(result, { prefix: prefixOf(kind), compact })
  performancePage.write()
  return path
}

const HISTORY = new URL('./results/history.md', import.meta.url)
const HISTORY_HEAD = `# Measured runs

Made by \`npm run bench\`; each row is a run, the newest of each way of measuring have their JSON beside this file. Delivered and accepted
are messages a second, CPU is CPU-ms of the service for each message, latency is from the 200 answer to the arrival. Compare figures
only with the RSA column of their own row.

| date | commit | CPUs | messages x rounds | delivered, median (best) | CPU-ms, median (best) | latency median / p99 ms | RSA-2048/s one CPU | ratio | fsync/s | peak RSS MB | accepted/s at 1, 10, 50, 200 |
|---|---|---|---|---|---|---|---|---|---|---|---|
`

/** Keeps a run of `npm run bench`, and a row of it in results/history.md. */
export function keepRun(run: Run): string {
  const path = keepResult('run', run)
  if (!existsSync(HISTORY)) writeFileSync(HISTORY, HISTORY_HEAD)
  appendFileSync(HISTORY, `| ${historyRow(run).join(' | ')} |\n`)
  return path
}
