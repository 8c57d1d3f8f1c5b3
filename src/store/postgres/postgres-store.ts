import type * as types from '../store.ts'
import { CompanyNumbers } from './companies.ts'
import { Database } from './database.ts'
import { migrate } from './migrate.ts'
import { Notices } from './notices.ts'

export interface PostgresOptions {
  /** Told of damage in the database that was met and gone around: once for each thing that is damaged. */
  onFault?: (error: Error) => void
}

/** The store in a PostgreSQL database, which any number of nodes share. */
export class PostgresStore {
  readonly shared = true
  readonly #database: Database
  readonly #notices: Notices
  readonly #companies: CompanyNumbers

  private constructor(database: Database, _options: PostgresOptions) {
    this.#database = database
    this.#notices = new Notices(database)
    this.#companies = new CompanyNumbers(database)
  }

  /**
   * Connects, and brings the schema up to date. Rejects with StoreUnavailable (the database cannot be reached) or
   * StoreConflict (a newer schema, another program's database, a server that is too old).
   */
  static async open(url: string, options: PostgresOptions = {}): Promise<PostgresStore> {
    await migrate(url)
    return new PostgresStore(new Database(url), options)
  }

  /** Transactions committed since the store was opened. */
  get commits(): number {
    return this.#database.commits
  }

  async probe(): Promise<void> {
    await this.#database.write("UPDATE counters SET value = value + 1 WHERE name = 'probe'")
  }

  async close(): Promise<void> {
    await this.#notices.close()
    await this.#database.close()
  }
}
