/** Results of measurements and chaos runs: one JSON file for each, with its time, machine and commit. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import { fileURLToPath } from 'node:url'

const ROOT = new URL('../', import.meta.url)

/** The time and the commit that every result states. */
export interface Kept {
  /** ISO 8601. */
  at: string
  commit: string
}

export interface Provenance extends Kept {
  node: string
  machine: string
}

/** The provenance of a result of this checkout, on this machine. */
export function provenance(): Provenance {
  const cpus = os.cpus()
  return {
    at: new Date().toISOString(),
    commit: currentCommit(),
    node: `Node ${process.version}`,
    machine: `${cpus.length} x ${cpus[0]?.model ?? 'unknown'}, ${os.platform()} ${os.release()}`,
  }
}

/** The commit, followed by a + if src has changed since. */
export function currentCommit(): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: fileURLToPath(ROOT), encoding: 'utf8' }).trim()
  try {
    const commit = git('rev-parse', '--short', 'HEAD')
    return git('status', '--porcelain', '--untracked-files=no', '--', 'src') === '' ? commit : `${commit}+`
  } catch {
    return 'unknown'
  }
}

export interface FileName {
  /** The part of the file name before the date. */
  prefix?: string
  /** The part of the file name after the commit. */
  suffix?: string
}

/** A folder of results, named from the root of the repository. */
export class Results {
  readonly #name: string
  readonly #folder: URL

  constructor(name: string) {
    this.#name = name
    this.#folder = new URL(`${name}/`, ROOT)
  }

  /** Writes the file and returns its path. `compact`: without line breaks. */
  keep(
    result: Kept,
    { prefix = '', suffix = '', compact = false }: FileName & { compact?: boolean },
  ): string {
    mkdirSync(this.#folder, { recursive: true })
    const file = `${prefix}${result.at.slice(0, 19).replace(/[-:]/g, '')}-${result.commit}${suffix}.json`
    writeFileSync(new URL(file, this.#folder), `${JSON.stringify(result, null, compact ? 0 : 1)}\n`)
    return `${this.#name}/${file}`
  }

  /** All with this before the date, oldest first. */
  read<Result>(prefix = ''): Result[] {
    const pattern = new RegExp(`^${prefix}\\d{8}T\\d+-.*\\.json$`)
    return readdirSync(this.#folder)
      .filter((name) => pattern.test(name))
      .sort()
      .map((name) => JSON.parse(readFileSync(new URL(name, this.#folder), 'utf8')) as Result)
  }
}
