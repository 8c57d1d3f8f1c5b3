/** The service as its users run it: `bin/postroad` on a directory of its own, so that it can be killed and started again. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { keysOfRecords, type PrintedRecord } from '../verify-dkim.ts'
import { ServiceChild } from './service-child.ts'
import type { Tenant } from './tenant.ts'

const run = promisify(execFile)

const POSTROAD = fileURLToPath(new URL('../../bin/postroad', import.meta.url))

/** `POSTROAD_...` and other variables of the environment. */
export type Settings = Record<string, string>

export interface InstallationOptions {
  settings: Settings
  /** The parent of its directory. */
  parent?: string
  /** A directory that exists, and is not removed; absent: a new one. */
  directory?: string
  /** The `bin/postroad` of another checkout. */
  program?: string
}

export interface ServeOptions {
  /** Goes before the command line (taskset, sh -c 'ulimit ...; exec "$@"' sh). */
  prefix?: string[]
  /** Added to those of the installation. */
  settings?: Settings
  /** Called with every line of its output. */
  onLine?: (line: string) => void
}

/** A directory with a database, and the settings under which commands and service use it. */
export class Installation {
  readonly directory: string
  readonly #ownDirectory: boolean
  readonly #settings: Settings
  /** `bin/postroad`. */
  readonly #program: string
  readonly #children = new Set<ServiceChild>()

  constructor({ settings, parent = os.tmpdir(), directory, program = POSTROAD }: InstallationOptions) {
    this.#program = program
    this.#ownDirectory = directory === undefined
    this.directory = directory ?? mkdtempSync(join(parent, 'postroad-'))
    this.#settings = settings
  }

  /** What commands and service run with. */
  protected async environment(): Promise<NodeJS.ProcessEnv> {
    // The tester's own settings must not leak in.
    const own = Object.entries(process.env).filter(([name]) => !/^(POSTROAD_|NODE_TEST)/.test(name))
    const given = this.#settings.POSTROAD_DATABASE_URL !== undefined
    return {
      ...Object.fromEntries(own),
      POSTROAD_LISTEN: '127.0.0.1:0',
      // The default has fixed ports, and many services run at the same time.
      POSTROAD_SUBMISSION_LISTEN: 'off',
      ...(given ? {} : await this.database()),
      POSTROAD_HOSTNAME: 'postroad.test',
      POSTROAD_LOG_LEVEL: 'warn',
      ...this.#settings,
    }
  }

  /** Settings of the database where none is given: a file in its directory. */
  protected async database(): Promise<Settings> {
    return { POSTROAD_DATABASE_URL: `sqlite:${this.databasePath}` }
  }

  /** What `POSTROAD_DATABASE_URL` says. */
  async databaseUrl(): Promise<string> {
    return (await this.environment()).POSTROAD_DATABASE_URL!
  }

  get databasePath(): string {
    return join(this.directory, 'postroad.db')
  }

  async #options() {
    return { env: await this.environment(), cwd: this.directory, maxBuffer: 256 * 1024 * 1024 }
  }

  /** Runs a command with `--json`; its parsed output. */
  async command<Output>(...args: string[]): Promise<Output> {
    const { stdout } = await run(this.#program, [...args, '--json'], await this.#options())
    return JSON.parse(stdout) as Output
  }

  /** The octets of a message as they leave or left: `email show ID --raw`. */
  async raw(id: string): Promise<Buffer> {
    const options = { ...(await this.#options()), encoding: 'buffer' } as const
    return (await run(this.#program, ['email', 'show', id, '--raw'], options)).stdout
  }

  /** Recipients that are not final yet; null when the command line cannot say within half a minute. */
  async queued(): Promise<number | null> {
    try {
      const options = { ...(await this.#options()), timeout: 30_000 }
      const { stdout } = await run(this.#program, ['queue', '--json'], options)
      const lanes = JSON.parse(stdout) as { waiting: number; sending: number }[]
      return lanes.reduce((sum, { waiting, sending }) => sum + waiting + sending, 0)
    } catch {
      return null
    }
  }

  /** A company with an active sending domain and a key for it. */
  async addTenant(domain: string, company = `Company of ${domain}`): Promise<Tenant> {
    if (this.#program !== POSTROAD) return await this.#addTenantByCommands(domain, company)
    // Imported only here, so that a test without a tenant loads no store.
    const { makeTenant } = await import('./tenant.ts')
    return await makeTenant(await this.environment(), this.directory, { domain, company })
  }

  /** Another checkout knows its own database. */
  async #addTenantByCommands(domain: string, company: string): Promise<Tenant> {
    const { id } = await this.command<{ id: string }>('company', 'create', company)
    const adding = ['domain', 'add', domain, '--company', id]
    const { dns_records } = await this.command<{ dns_records: PrintedRecord[] }>(...adding)
    await this.command('domain', 'activate', domain)
    const creating = ['key', 'create', '--company', id, '--name', 'test']
    const { token } = await this.command<{ token: string }>(...creating)
    return { companyId: id, domain, token, keys: keysOfRecords(dns_records), records: dns_records }
  }

  /** Starts `serve`, and returns without waiting for it to listen. */
  async start({ prefix = [], settings = {}, onLine }: ServeOptions = {}): Promise<ServiceChild> {
    const child = new ServiceChild({
      command: [...prefix, this.#program, 'serve', '--json'],
      env: { ...(await this.environment()), ...settings },
      cwd: this.directory,
      ...(onLine && { onLine }),
    })
    this.#children.add(child)
    void child.lastLines().then(() => this.#children.delete(child))
    return child
  }

  /** Starts `serve`; resolves when it listens. */
  async serve(options: ServeOptions = {}): Promise<ServiceChild> {
    const child = await this.start(options)
    await child.listening()
    return child
  }

  /** Ends what still runs and removes the directory. */
  async remove(): Promise<void> {
    for (const child of this.#children) await child.kill('SIGKILL')
    if (this.#ownDirectory) rmSync(this.directory, { recursive: true, force: true })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.remove()
  }
}
