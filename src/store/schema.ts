import type { Settings } from '../config/settings.ts'
import { asStoreError, openForWriting } from './sqlite/database.ts'
import { findDatabase } from './sqlite/database-location.ts'
import { migrate } from './sqlite/migrate.ts'

/** Versions of the schema before and after; equal when nothing was missing. */
export interface SchemaUpdate {
  /** The file, or the host and name of the database. */
  place: string
  from: number
  to: number
}

/**
 * Brings the schema of a database up to date, and does nothing else. Rejects with StoreConflict or StoreUnavailable.
 */
export async function updateSchema(database: Settings['database']): Promise<SchemaUpdate> {
  if (database.engine === 'postgres') {
    const [{ migrate: migratePostgres }, { placeOf }] = await Promise.all([
      import('./postgres/migrate.ts'),
      import('./postgres/database.ts'),
    ])
    return { place: placeOf(database.url), ...(await migratePostgres(database.url)) }
  }
  const { path } = findDatabase(database.path)
  const db = openForWriting(path)
  try {
    return { place: path, ...migrate(db, path) }
  } catch (error) {
    throw asStoreError(error, path)
  } finally {
    db.close()
  }
}
