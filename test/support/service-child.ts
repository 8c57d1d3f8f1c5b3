/** The service as its users run it: `bin/postroad` as a child process on a directory of its own, so that it can be killed and started again. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { keysOfRecords, type PrintedRecord, type PublishedKeys } from '../../harness/verify-dkim.ts'
import { loadSettings } from '../../src/config/load.ts'
import { createCompany } from '../../src/operate/companies.ts'
import { activateDomain, addDomain } from '../../src/operate/domains.ts'
import { createKey } from '../../src/operate/keys.ts'
import { openOperation } from '../../src/operate/open.ts'
import { type TestDatabase, testDatabase } from './engine.ts'

const POSTROAD = fileURLToPath(new URL('../../bin/postroad', import.meta.url))

export type Settings = Record<string, string>

/** What the command line made: one company with one active domain and one key. */
export interface Tenant {
  companyId: string
  domain: string
  token: string
  keys: PublishedKeys
}

export interface FirstStart {
  company: string
  domain: string
  token: string
}

/** A directory with a database, and the settings under which commands and service use it. */
export class Installation {
  readonly directory: string
  readonly #settings: Settings
  /** `bin/postroad`. */
  readonly #program: string
  #database: Promise<TestDatabase> | undefined
  readonly #children = new Set<ServiceChild>()

  /** `program`: the `bin/postroad` of another checkout. */
  constructor(settings: Settings, parent: string = os.tmpdir(), program: string = POSTROAD) {
    this.#program = program
    this.directory = mkdtempSync(join(parent, 'postroad-'))
    this.#settings = settings
  }

  /** The environment of commands and service. Makes the database when it is first asked for and no setting names one. */
  async #environment(): Promise<NodeJS.ProcessEnv> {
    // The tester's own settings must not leak in.
    const own = Object.entries(process.env).filter(([name]) => !name.startsWith('POSTROAD_'))
    const given = this.#settings.POSTROAD_DATABASE_URL !== undefined
    return {
      ...Object.fromEntries(own),
      POSTROAD_LISTEN: '127.0.0.1:0',
      ...(given ? {} : await this.#databaseSettings()),
      POSTROAD_HOSTNAME: 'postroad.test',
      POSTROAD_LOG_LEVEL: 'warn',
      ...this.#settings,
    }
  }

  async #databaseSettings(): Promise<Settings> {
    this.#database ??= testDatabase(this.databasePath)
    const { url, secretKey } = await this.#database
    return {
      POSTROAD_DATABASE_URL: url,
      ...(secretKey && { POSTROAD_SECRET_KEY: secretKey.toString('hex') }),
    }
  }

  /** What `POSTROAD_DATABASE_URL` says. */
  async databaseUrl(): Promise<string> {
    return (await this.#environment()).POSTROAD_DATABASE_URL!
  }

  get databasePath(): string {
    return join(this.directory, 'postroad.db')
  }

  /** Runs a command with `--json`; its parsed output. */
  async command<Output>(...args: string[]): Promise<Output> {
    const options = { env: await this.#environment(), cwd: this.directory, maxBuffer: 256 * 1024 * 1024 }
    const { stdout } = await promisify(execFile)(this.#program, [...args, '--json'], options)
    return JSON.parse(stdout) as Output
  }

  /** The octets of a message as they leave or left: `email show ID --raw`. */
  async raw(id: string): Promise<Buffer> {
    const options = {
      env: await this.#environment(),
      cwd: this.directory,
      maxBuffer: 256 * 1024 * 1024,
      encoding: 'buffer',
    } as const
    const { stdout } = await promisify(execFile)(this.#program, ['email', 'show', id, '--raw'], options)
    return stdout
  }

  /** A company with an active sending domain and a key for it. By the verbs, not by commands: each of those is a process. */
  async addTenant(domain: string, company = `Company of ${domain}`): Promise<Tenant> {
    if (this.#program !== POSTROAD) return await this.#addTenantByCommands(domain, company)
    const environment = await this.#environment()
    // A relative path is one in the directory of the service, not in that of the test.
    const url = environment.POSTROAD_DATABASE_URL!.replace(/^sqlite:(.+)/, (_, path: string) => {
      return `sqlite:${resolve(this.directory, path)}`
    })
    const settings = loadSettings({ ...environment, POSTROAD_DATABASE_URL: url })
    await using op = await openOperation(settings, { make: true })
    const again = async () => Object.assign(op, { accounts: await op.store.accounts() })
    const { id: companyId } = await createCompany(op, { name: company })
    const { records } = await addDomain(await again(), { company: companyId, name: domain })
    await activateDomain(await again(), { domain })
    const { token } = await createKey(await again(), { company: companyId, name: 'test' })
    return { companyId, domain, token, keys: keysOfRecords(records) }
  }

  async #addTenantByCommands(domain: string, company: string): Promise<Tenant> {
    const { id } = await this.command<{ id: string }>('company', 'create', company)
    const { dns_records } = await this.command<{ dns_records: PrintedRecord[] }>(
      'domain',
      'add',
      domain,
      '--company',
      id,
    )
    await this.command('domain', 'activate', domain)
    const { token } = await this.command<{ token: string }>(
      'key',
      'create',
      '--company',
      id,
      '--name',
      'test',
    )
    return { companyId: id, domain, token, keys: keysOfRecords(dns_records) }
  }

  /**
   * Starts `serve`; resolves when it listens. `prefix` goes before the command line (taskset, sh -c 'ulimit ...; exec "$@"' sh).
   * `settings` are added to those of the installation.
   */
  async serve({
    prefix = [],
    settings = {},
  }: {
    prefix?: string[]
    settings?: Settings
  } = {}): Promise<ServiceChild> {
    const [file, ...args] = [...prefix, this.#program, 'serve', '--json']
    const process = spawn(file!, args, {
      env: { ...(await this.#environment()), ...settings },
      cwd: this.directory,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const child = new ServiceChild(process)
    this.#children.add(child)
    await child.listening()
    return child
  }

  /** Ends what still runs and removes the directory. */
  async remove(): Promise<void> {
    for (const child of this.#children) await child.kill('SIGKILL')
    const database = await this.#database
    database?.done()
    rmSync(this.directory, { recursive: true, force: true })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.remove()
  }
}

export class ServiceChild {
  readonly #process: ChildProcess
  readonly #listening: Promise<string>
  /** Lines of standard error and output after the first; the last 200. */
  readonly log: string[] = []
  url = ''
  /** What a first start on an empty database made up; null otherwise. */
  firstStart: FirstStart | null = null

  constructor(process: ChildProcess) {
    this.#process = process
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    this.#listening = promise
    const hear = (line: string) => {
      if (line.startsWith('{"url"')) {
        const told = JSON.parse(line) as { url: string; firstStart: FirstStart | null }
        this.firstStart = told.firstStart
        resolve(told.url)
        return
      }
      this.log.push(line)
      if (this.log.length > 200) this.log.shift()
    }
    createInterface(process.stdout!).on('line', hear)
    createInterface(process.stderr!).on('line', hear)
    process.once('error', reject)
    process.once('exit', (code, signal) => {
      reject(new Error(`serve ended (${code ?? signal}) before it listened:\n${this.log.join('\n')}`))
    })
  }

  get pid(): number {
    return this.#process.pid!
  }

  get alive(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null
  }

  get port(): number {
    return Number(new URL(this.url).port)
  }

  async listening(): Promise<void> {
    this.url = await this.#listening
  }

  /** Sends the signal and waits for nothing. */
  signal(signal: NodeJS.Signals): void {
    this.#process.kill(signal)
  }

  /** Sends the signal at once; resolves with the exit code (or the signal's name) when the process is gone. */
  async kill(signal: NodeJS.Signals): Promise<number | string> {
    if (this.alive) {
      const gone = once(this.#process, 'exit')
      this.#process.kill(signal)
      await gone
    }
    return this.#process.exitCode ?? this.#process.signalCode ?? 'unknown'
  }

  /** Resolves when the process is gone, whoever ended it. */
  async ended(): Promise<void> {
    if (this.alive) await once(this.#process, 'exit')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill('SIGKILL')
  }
}
