/** The whole service inside the test's process: a real port, a real database in a directory of its own. */
import { randomUUIDv7 } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import { join } from 'node:path'
import {
  type ApiKey,
  type Company,
  NO_LIMITS,
  type SendingDomain,
  type SendingState,
} from '../../src/accounts/account.ts'
import { newDomain } from '../../src/accounts/new-domain.ts'
import { newToken } from '../../src/accounts/token.ts'
import { type App, startApp } from '../../src/app.ts'
import { loadSettings } from '../../src/config/load.ts'
import { parseDatabase } from '../../src/config/parse/database.ts'
import type { Settings } from '../../src/config/settings.ts'
import { createLogger } from '../../src/log.ts'
import type { Store } from '../../src/store/store.ts'
import { writeEmptyDatabase } from './empty-database.ts'
import { onPostgres, type TestDatabase, testDatabase } from './engine.ts'

export interface TestKey {
  id: string
  token: string
}

export class Service implements AsyncDisposable {
  readonly app: App
  /** Every line the service has logged. */
  readonly logged: string[]
  readonly directory: string
  /** The settings it runs with. */
  readonly settings: Settings
  readonly #database: TestDatabase
  #closed = false

  constructor(app: App, logged: string[], directory: string, settings: Settings, database: TestDatabase) {
    this.#database = database
    this.app = app
    this.logged = logged
    this.directory = directory
    this.settings = settings
  }

  get url(): string {
    return this.app.url
  }

  get store(): Store {
    return this.app.store
  }

  async company(name: string = `Company ${randomUUIDv7()}`, createdAt = Date.now()): Promise<Company> {
    const company = { id: randomUUIDv7(), name, createdAt, limits: NO_LIMITS }
    await this.store.addCompany(company)
    await this.app.refreshAccounts()
    return company
  }

  async domain(companyId: string, name: string, sending: SendingState = 'active'): Promise<SendingDomain> {
    const domain = {
      ...(await newDomain({ companyId, name, seal: this.app.seal, ed25519: false })),
      sending,
    }
    await this.store.addDomain(domain)
    await this.app.refreshAccounts()
    return domain
  }

  /** A key with the scopes sending and reading by default. */
  async key(
    companyId: string,
    {
      name = 'test key',
      scopes = ['sending', 'reading'],
      domainId = null,
      networks = [],
      expiresAt = null,
    }: Partial<Pick<ApiKey, 'name' | 'scopes' | 'domainId' | 'networks' | 'expiresAt'>> = {},
  ): Promise<TestKey> {
    const { token, hash } = newToken()
    const id = randomUUIDv7()
    await this.store.addKey({
      id,
      companyId,
      name,
      tokenHash: hash,
      tokenStart: null,
      password: null,
      scopes,
      domainId,
      createdAt: Date.now(),
      networks,
      expiresAt,
      revokedAt: null,
    })
    await this.app.refreshAccounts()
    return { id, token }
  }

  /** One company with one active domain and one key: what most tests need. */
  async tenant(domainName: string): Promise<{ company: Company; domain: SendingDomain; key: TestKey }> {
    const company = await this.company()
    const domain = await this.domain(company.id, domainName)
    return { company, domain, key: await this.key(company.id) }
  }

  /** Stops the service; the directory stays until the service is disposed of. */
  async stop(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.app.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    this.#database.done()
    rmSync(this.directory, { recursive: true, force: true })
  }

  close(): Promise<void> {
    return this[Symbol.asyncDispose]()
  }
}

/** Starts the service on a free port, in capture mode unless `overrides` say otherwise. */
export async function startService(overrides: Partial<Settings> = {}): Promise<Service> {
  const directory = mkdtempSync(join(os.tmpdir(), 'postroad-test-'))
  const path = join(directory, 'postroad.db')
  const database = await testDatabase(path)
  if (!onPostgres && overrides.database === undefined) writeEmptyDatabase(path)
  const settings: Settings = {
    ...loadSettings({}, { envFile: null }),
    listen: { host: '127.0.0.1', port: 0 },
    // Its ports are fixed, and many services run at once.
    submission: [],
    database: parseDatabase(database.url),
    secretKey: database.secretKey,
    hostname: 'postroad.test',
    ...overrides,
  }
  const logged: string[] = []
  const log = createLogger('debug', { pretty: false, stream: { write: (line) => void logged.push(line) } })
  try {
    return new Service(await startApp(settings, log), logged, directory, settings, database)
  } catch (error) {
    database.done()
    rmSync(directory, { recursive: true, force: true })
    throw error
  }
}
