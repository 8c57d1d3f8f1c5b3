/** Options that the benchmarks share, and the parsers of their values. */
import { spawnSync } from 'node:child_process'
import os from 'node:os'
import { refuse } from '../harness/options.ts'
import { isPostgresUrl } from './service/database.ts'
import { canPin } from './service/pinned-process.ts'

/** The options of all benchmarks. */
export const USUAL_OPTIONS = {
  set: { type: 'string', multiple: true, default: [] as string[] },
  directory: { type: 'string', default: os.tmpdir() },
  'no-keep': { type: 'boolean', default: false },
} as const
export const USUAL_HELP = `  --set NAME=VALUE   a POSTROAD_... setting of the service; may be given several times
  --directory DIR    where databases and queues go: the disk that is measured (the system's temporary directory)
  --no-keep          prints only
`

/** The options of measurements that run on one database, on CPUs that are named. */
export const PLACE_OPTIONS = {
  database: { type: 'string', default: 'sqlite' },
  cpus: { type: 'string', default: '0,1' },
} as const
export const PLACE_HELP = `  --database NAME    sqlite, postgres (a cluster of our own), or a postgres:// URL of a server where databases may be created (sqlite)
  --cpus LIST        CPUs shared by everything, as taskset writes them; "all" pins nothing (0,1)
`

/** These options as a rig takes them. */
export function placeOf(values: { database: string; cpus: string; set: string[]; directory: string }) {
  return {
    cpus: usableCpus(values.cpus),
    database: database(values.database),
    parent: values.directory,
    settings: parseSettings(values.set),
  }
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
function database(choice: string): string {
  if (choice === 'sqlite' || choice === 'postgres' || isPostgresUrl(choice)) return choice
  return refuse(`--database ${choice}: sqlite, postgres, or a postgres:// URL is needed`)
}

/** The CPUs to pin to on this machine: `all` if it cannot pin processes. */
export function usableCpus(cpus: string): string {
  if (cpus === 'all' || !canPin || os.availableParallelism() === 1) return 'all'
  const { status, stdout } = spawnSync('taskset', ['-c', cpus, 'nproc'], { encoding: 'utf8' })
  // If the machine lacks some CPUs of a list, taskset silently uses the others.
  if (status === 0 && Number(stdout) === countCpus(cpus)) return cpus
  return refuse(
    `--cpus ${cpus}: not all of these can be used here; this machine has ${os.cpus().length}, counted from 0. "all" pins nothing`,
  )
}

/** The number of CPUs in a list in the form of taskset (`0,1`, `0-3`); NaN for any other text. */
export function countCpus(list: string): number {
  const all = new Set<number>()
  for (const part of list.split(',')) {
    const [, from, to = from] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? []
    if (from === undefined) return Number.NaN
    for (let cpu = Number(from); cpu <= Number(to); cpu++) all.add(cpu)
  }
  return all.size
}

/** The first CPU of a list, for a part that runs on one CPU. */
export function firstCpu(cpus: string): string {
  return /^\d+/.exec(cpus)?.[0] ?? 'all'
}
