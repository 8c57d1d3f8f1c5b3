/** Where results are kept: one JSON file for each run, and the page that is made of the newest ones. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { writePage } from './page/page.ts'

const RESULTS = new URL('./results/', import.meta.url)

/** Kinds of results by the beginning of their file names; runs of `npm run bench` have none. */
export type ResultKind = 'run' | 'compare' | 'growth' | 'scaling' | 'soak' | 'abuse' | 'beside'

function prefix(kind: ResultKind): string {
  return kind === 'run' ? '' : `${kind}-`
}

/** What every result says of itself. */
export interface Kept {
  /** ISO 8601. */
  at: string
  commit: string
}

/** Writes the file, brings docs/performance.md up to date, and returns the file's path. `compact`: without line breaks. */
export function keepResult(
  kind: ResultKind,
  result: Kept,
  { compact = false }: { compact?: boolean } = {},
): string {
  mkdirSync(RESULTS, { recursive: true })
  const name = `${prefix(kind)}${result.at.slice(0, 19).replace(/[-:]/g, '')}-${result.commit}.json`
  writeFileSync(new URL(name, RESULTS), `${JSON.stringify(result, null, compact ? 0 : 1)}\n`)
  writePage(readResults)
  return `bench/results/${name}`
}

/** All results of a kind, oldest first. */
export function readResults<Result>(kind: ResultKind): Result[] {
  const pattern = new RegExp(`^${prefix(kind)}\\d{8}T\\d+-.*\\.json$`)
  return readdirSync(RESULTS)
    .filter((name) => pattern.test(name))
    .sort()
    .map((name) => JSON.parse(readFileSync(new URL(name, RESULTS), 'utf8')) as Result)
}
