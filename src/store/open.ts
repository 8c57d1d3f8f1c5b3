import type { Settings } from '../config/settings.ts'
import { SqliteStore } from './sqlite/sqlite-store.ts'
import type { Store } from './store.ts'

/** The database that the settings choose. */
export type DatabaseChoice = Settings['database']

interface OpenOptions {
  /** True for the service, which an SQLite database admits only once; false for the command line beside it. */
  exclusive: boolean
  /**
   * Called once for each damaged thing in the database that was met and worked around, with a StoreDamaged whose
   * message is a sentence for the operator. Nothing else reports the damage.
   */
  onFault?: (error: Error) => void
}

/**
 * Opens the store that the settings name, creating and upgrading it as needed. Rejects with StoreConflict or
 * StoreUnavailable and a sentence for the operator.
 */
export async function openStore(database: DatabaseChoice, options: OpenOptions): Promise<Store> {
  if (database.engine === 'sqlite') return await SqliteStore.open(database.path, options)
  // The driver is loaded only when it is used.
  const { PostgresStore } = await import('./postgres/postgres-store.ts')
  return await PostgresStore.open(database.url)
}
