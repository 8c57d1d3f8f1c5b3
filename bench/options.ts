/** Options that the benchmarks share, and how their text is understood. */
import { spawnSync } from 'node:child_process'
import os from 'node:os'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { isPostgresUrl } from './service/database.ts'
import { canPin } from './service/pinned-process.ts'

/** Ends the program with a sentence, as for every option that cannot be used. */
function refuse(sentence: string): never {
  process.stderr.write(`${sentence}\n`)
  process.exit(2)
}

/** What `work` returns; what it throws is told as a sentence. */
export function orRefuse<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    return refuse((error as Error).message)
  }
}

/** The options of the command line. With `--help`, among them, prints it and ends the program. */
export function parseOptions<const Options extends NonNullable<ParseArgsConfig['options']>>(
  help: string,
  options: Options,
) {
  const { values } = orRefuse(() =>
    parseArgs({ options: { ...options, help: { type: 'boolean', default: false } } }),
  )
  if (!(values as { help?: boolean }).help) return values
  process.stdout.write(help)
  process.exit(0)
}

/** `NAME=VALUE` pairs of `--set`. */
export function parseSettings(pairs: string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair): [string, string] => {
      const at = pair.indexOf('=')
      if (at <= 0) refuse(`--set ${pair}: NAME=VALUE is needed`)
      return [pair.slice(0, at), pair.slice(at + 1)]
    }),
  )
}

/** `sqlite`, `postgres` or a URL, as `openDatabase` takes it. */
export function database(choice: string): string {
  if (choice === 'sqlite' || choice === 'postgres' || isPostgresUrl(choice)) return choice
  return refuse(`--database ${choice}: sqlite, postgres, or a postgres:// URL is needed`)
}

/** What can be pinned on this machine: `all` where nothing can. */
export function usableCpus(cpus: string): string {
  if (cpus === 'all' || !canPin || os.availableParallelism() === 1) return 'all'
  const { status, stdout } = spawnSync('taskset', ['-c', cpus, 'nproc'], { encoding: 'utf8' })
  // Of a list that is only partly there taskset takes what is there, and says nothing.
  if (status === 0 && Number(stdout) === countCpus(cpus)) return cpus
  return refuse(
    `--cpus ${cpus}: not all of these can be used here; this machine has ${os.cpus().length}, counted from 0. "all" pins nothing`,
  )
}

/** How many CPUs a list names, as taskset writes them (`0,1`, `0-3`); NaN when it is none. */
export function countCpus(list: string): number {
  const all = new Set<number>()
  for (const part of list.split(',')) {
    const [, from, to = from] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? []
    if (from === undefined) return Number.NaN
    for (let cpu = Number(from); cpu <= Number(to); cpu++) all.add(cpu)
  }
  return all.size
}

/** The first CPU of a list, for what runs on one. */
export function firstCpu(cpus: string): string {
  return /^\d+/.exec(cpus)?.[0] ?? 'all'
}

/** A whole number of an option; ends the program with a sentence when it is none. */
export function count(name: string, text: string, least = 1): number {
  const number = Number(text)
  if (text.trim() !== '' && Number.isInteger(number) && number >= least) return number
  return refuse(`--${name} ${text}: a whole number from ${least} on is needed`)
}
