import type { Settings } from '../config/settings.ts'
import { SqliteStore } from './sqlite/sqlite-store.ts'
import type { Store } from './store.ts'

/** Which database it is. */
export type DatabaseChoice = Settings['database']

export interface OpenOptions {
  /** True for the service, of which there is one for an SQLite database; false for the command line beside it. */
  exclusive: boolean
  /**
   * Told of damage in the database that was met and gone around, as a StoreDamaged with a sentence for the operator:
   * once for each thing that is damaged. Nothing else tells of it.
   */
  onFault?: (error: Error) => void
}

/**
 * Opens the store the settings name, making and upgrading it as needed. Rejects with StoreConflict or StoreUnavailable
 * and a sentence for the operator.
 */
export async function openStore(database: DatabaseChoice, options: OpenOptions): Promise<Store> {
  if (database.engine === 'sqlite') return await SqliteStore.open(database.path, options)
  // The driver is loaded only where it is used.
  const { PostgresStore } = await import('./postgres/postgres-store.ts')
  return await PostgresStore.open(database.url)
}
