/** Options that the benchmarks share, and how their text is understood. */
import os from 'node:os'
import { canPin } from './service/pinned-process.ts'

/** `NAME=VALUE` pairs of `--set`. */
export function parseSettings(pairs: string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair): [string, string] => [
      pair.slice(0, pair.indexOf('=')),
      pair.slice(pair.indexOf('=') + 1),
    ]),
  )
}

/** What can be pinned on this machine: `all` where nothing can. */
export function usableCpus(cpus: string): string {
  return canPin && os.availableParallelism() > 1 ? cpus : 'all'
}

/** The first CPU of a list, for what runs on one. */
export function firstCpu(cpus: string): string {
  return /^\d+/.exec(cpus)?.[0] ?? 'all'
}

/** A whole number of an option; ends the program with a sentence when it is none. */
export function count(name: string, text: string, least = 1): number {
  const number = Number(text)
  if (Number.isInteger(number) && number >= least) return number
  process.stderr.write(`--${name} ${text}: a whole number from ${least} on is needed\n`)
  process.exit(2)
}
