import type * as types from '../store.ts'
import { Acceptance } from './acceptance.ts'
import { ChangeFeed } from './changes.ts'
import { CompanyNumbers } from './companies.ts'
import { Database } from './database.ts'
import { migrate } from './migrate.ts'

export interface PostgresOptions {
  /** Told of damage in the database that was met and gone around: once for each thing that is damaged. */
  onFault?: (error: Error) => void
}

/** The store in a PostgreSQL database, which any number of nodes share. */
export class PostgresStore {
  readonly shared = true
  readonly #database: Database
  readonly #changes: ChangeFeed
  readonly #acceptance: Acceptance

  private constructor(database: Database, _options: PostgresOptions) {
    this.#database = database
    this.#changes = new ChangeFeed({
      connect: () => database.connect(),
      query: async (text, values) => ({ rows: await database.write(text, values as string[]) }),
    })
    const companies = new CompanyNumbers(database)
    const parts = { database, companies, changes: this.#changes }
    this.#acceptance = new Acceptance(parts)
  }

  /**
   * Connects, and brings the schema up to date. Rejects with StoreUnavailable (the database cannot be reached) or
   * StoreConflict (a newer schema, another program's database, a server that is too old).
   */
  static async open(url: string, options: PostgresOptions = {}): Promise<PostgresStore> {
    await migrate(url)
    const database = new Database(url)
    const store = new PostgresStore(database, options)
    try {
      await store.#changes.begin()
      return store
    } catch (error) {
      await database.close()
      throw error
    }
  }

  /** Transactions committed since the store was opened. */
  get commits(): number {
    return this.#database.commits
  }

  accept(email: types.NewEmail, lease: types.Lease | null): Promise<types.Accepted> {
    return this.#acceptance.accept(email, lease)
  }

  async probe(): Promise<void> {
    await this.#database.write("UPDATE counters SET value = value + 1 WHERE name = 'probe'")
  }

  async close(): Promise<void> {
    await this.#acceptance.close()
    await this.#changes.close()
    await this.#database.close()
  }
}
