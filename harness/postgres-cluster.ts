/**
 * A PostgreSQL server of our own for tests: a cluster in a temporary directory that listens on 127.0.0.1 only. It ends
 * with the process that started it, however that process ends. As a program: starts one, prints `{"url": ...}` and
 * keeps it until standard input ends.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  chownSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { freePort } from './free-port.ts'
import { makeTemplate } from './schema-template.ts'

/** Milliseconds between two checks whether a starting server is ready, and after which the start has failed. */
const ASK_MS = 25
const START_MS = 60_000

/** Speed for throw-away data. Tests kill the server but never the machine, so nothing needs an fsync. */
const THROW_AWAY = { fsync: 'off', full_page_writes: 'off', shared_buffers: '64MB', max_wal_size: '256MB' }

export interface ClusterOptions {
  /** Settings for postgresql.conf, in addition to those below. */
  settings?: Record<string, string>
  /** True: with fsync, as in production. */
  durable?: boolean
}

export class PostgresCluster implements AsyncDisposable {
  readonly port: number
  /** The URL of the database `postgres`, as the superuser. */
  readonly url: string
  readonly #binaries: string
  readonly #directory: string
  readonly #user: User | null
  readonly #guard: ChildProcess
  #process: ChildProcess | null = null

  private constructor(binaries: string, directory: string, user: User | null, port: number, url: string) {
    this.#binaries = binaries
    this.#directory = directory
    this.#user = user
    this.port = port
    this.url = url
    this.#guard = guard(directory)
  }

  /** Makes a cluster and starts it. Throws when there is no PostgreSQL: see `findPostgres`. */
  static async start({ settings = {}, durable = false }: ClusterOptions = {}): Promise<PostgresCluster> {
    const binaries = findPostgres()
    if (binaries === null) throw new Error(MISSING)
    const user = otherUser()
    const directory = mkdtempSync(join(tmpdir(), 'postroad-postgres-'))
    const password = randomBytes(12).toString('hex')
    const port = await freePort()
    writeFileSync(join(directory, 'password'), password)
    if (user !== null) {
      chownSync(directory, user.uid, user.gid)
      chownSync(join(directory, 'password'), user.uid, user.gid)
    }
    const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
    const cluster = new PostgresCluster(binaries, directory, user, port, url)
    try {
      cluster.#initialize({
        listen_addresses: '127.0.0.1',
        port: String(port),
        unix_socket_directories: '',
        max_connections: '400',
        ...(durable ? {} : THROW_AWAY),
        ...settings,
      })
      await cluster.start()
      return cluster
    } catch (error) {
      await cluster.remove()
      throw error
    }
  }

  /** Process id of the postmaster. */
  get pid(): number {
    if (this.#process?.pid === undefined) throw new Error('the server does not run')
    return this.#process.pid
  }

  /** What the server has logged. */
  get log(): string {
    const path = join(this.#directory, 'log')
    return existsSync(path) ? readFileSync(path, 'utf8') : ''
  }

  /** Resolves when the server accepts connections. */
  async start(): Promise<void> {
    for (const giveUp = performance.now() + START_MS; ; await pause(ASK_MS)) {
      this.#process ??= this.#spawn()
      if (await this.#answers()) return
      if (performance.now() > giveUp) throw new Error(`PostgreSQL does not start:\n${this.log.slice(-4_000)}`)
    }
  }

  /** `smart` waits until the clients are gone, `fast` cuts them off, `immediate` is a crash that is recovered from. */
  async stop(mode: 'smart' | 'fast' | 'immediate' = 'fast'): Promise<void> {
    await this.#end(mode === 'smart' ? 'SIGTERM' : mode === 'fast' ? 'SIGINT' : 'SIGQUIT')
  }

  /** kill -9 of the postmaster. Its children notice and end by themselves. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  async restart(mode: 'smart' | 'fast' | 'immediate' | 'kill' = 'fast'): Promise<void> {
    if (mode === 'kill') await this.kill()
    else await this.stop(mode)
    await this.start()
  }

  /** Ends the server and removes its directory. */
  async remove(): Promise<void> {
    if (this.#guard.exitCode !== null) return
    this.#process = null
    const gone = once(this.#guard, 'exit')
    this.#guard.ref()
    this.#guard.stdin!.end()
    await gone
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.remove()
  }

  #initialize(settings: Record<string, string>): void {
    const data = join(this.#directory, 'data')
    execFileSync(
      join(this.#binaries, 'initdb'),
      [
        '--pgdata',
        data,
        '--username=postgres',
        '--auth=password',
        `--pwfile=${join(this.#directory, 'password')}`,
        '--encoding=UTF8',
        '--locale=C',
        '--no-sync',
      ],
      { stdio: ['ignore', 'ignore', 'pipe'], cwd: this.#directory, ...this.#user },
    )
    const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`)
    writeFileSync(join(data, 'postgresql.conf'), lines.join(''), { flag: 'a' })
  }

  #spawn(): ChildProcess {
    const log = openSync(join(this.#directory, 'log'), 'a')
    // In a group of its own: Ctrl-C at the terminal is for the tests, which then end the server in order.
    const child = spawn(join(this.#binaries, 'postgres'), ['-D', join(this.#directory, 'data')], {
      stdio: ['ignore', log, log],
      cwd: this.#directory,
      detached: true,
      ...this.#user,
    })
    child.unref()
    // After a kill -9, children of the earlier postmaster may still run, and the new one ends at once: then it is started again.
    child.once('exit', () => {
      if (this.#process === child) this.#process = null
    })
    return child
  }

  async #answers(): Promise<boolean> {
    const client = new Client({ connectionString: this.url })
    client.on('error', () => {})
    try {
      await client.connect()
      return true
    } catch {
      return false
    } finally {
      await client.end().catch(() => {})
    }
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process
    this.#process = null
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.ref()
    child.kill(signal)
    await gone
  }
}

interface User {
  uid: number
  gid: number
}

/** PostgreSQL refuses to run as root: then it runs as the user `postgres`, which its packages make. Null otherwise. */
function otherUser(): User | null {
  if (process.getuid?.() !== 0) return null
  const id = (what: string) => Number(execFileSync('id', [what, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

/** Waits for the end of its standard input, which comes however we end; then ends the server and removes the directory. */
function guard(directory: string): ChildProcess {
  const script = `cat >/dev/null
file=$1/data/postmaster.pid
if [ -f "$file" ] && pid=$(head -n 1 "$file") && kill -QUIT "$pid" && kill -CONT "$pid"; then
  for n in $(seq 200); do
    [ -f "$file" ] || break
    sleep 0.05
  done
fi
rm -rf "$1"`
  const child = spawn('sh', ['-c', script, 'sh', directory], {
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
    detached: true,
  })
  child.unref()
  const input = child.stdin as Socket
  input.unref()
  return child
}

const MISSING =
  'PostgreSQL (14 or newer) is not installed. Install it (Debian: apt-get install postgresql), or set POSTROAD_TEST_POSTGRES ' +
  'to the postgres:// URL of a server on which tests may create databases.'

/** The directory with `initdb` and `postgres`, the newest there is; null when there is none. */
export function findPostgres(): string | null {
  const candidates = [configured(), ...installed(), ...(process.env.PATH ?? '').split(delimiter)]
  const complete = (directory: string) =>
    existsSync(join(directory, 'initdb')) && existsSync(join(directory, 'postgres'))
  return candidates.find((directory) => directory !== null && complete(directory)) ?? null
}

/** Why there is no server for tests; null when there is one. */
export function whyNoPostgres(): string | null {
  return process.env.POSTROAD_TEST_POSTGRES || findPostgres() !== null ? null : MISSING
}

function configured(): string | null {
  try {
    return execFileSync('pg_config', ['--bindir'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return null
  }
}

/** Where Debian's packages put it, the newest first. */
function installed(): string[] {
  const parent = '/usr/lib/postgresql'
  if (!existsSync(parent)) return []
  const versions = readdirSync(parent).sort((a, b) => Number(b) - Number(a))
  return versions.map((version) => join(parent, version, 'bin'))
}

if (import.meta.main) {
  const why = whyNoPostgres()
  if (why !== null) {
    process.stderr.write(`The tests on PostgreSQL are left out. ${why}\n`)
    process.exit(3)
  }
  const cluster = await PostgresCluster.start()
  await makeTemplate(cluster.url)
  process.stdout.write(`${JSON.stringify({ url: cluster.url })}\n`)
  process.stdin.resume()
  await once(process.stdin, 'end')
  await cluster.remove()
}
