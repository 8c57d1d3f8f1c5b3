import type { Settings } from '../config/settings.ts'
import { type OpenOptions, SqliteStore } from './sqlite/sqlite-store.ts'
import type { Store } from './store.ts'

/** The database that the settings choose. */
export type DatabaseChoice = Settings['database']

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
