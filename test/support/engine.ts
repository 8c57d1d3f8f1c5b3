/**
 * Which database the services under test use: SQLite in their directory or, with POSTROAD_TEST_ENGINE=postgres, one of their own on
 * a PostgreSQL server. `npm test` runs what touches the store on both.
 */
import { randomBytes } from 'node:crypto'

export const onPostgres = process.env.POSTROAD_TEST_ENGINE === 'postgres'

// Loaded at once, for it tidies up when the whole test file is over; and only where needed, for benchmarks are no tests.
const postgres = onPostgres ? await import('./postgres.ts') : null

/** One for all, so that a service can be started again on the database of another. */
const secretKey = postgres === null ? null : randomBytes(32)

export interface TestDatabase {
  url: string
  /** 32 octets; null: a file beside the database. */
  secretKey: Buffer | null
  /** Ends the use of the database. */
  done(): void
}

export async function testDatabase(sqlitePath: string): Promise<TestDatabase> {
  if (postgres === null) return { url: `sqlite:${sqlitePath}`, secretKey, done() {} }
  const { freshDatabase, databaseDone } = postgres
  const url = await freshDatabase()
  return { url, secretKey, done: () => databaseDone(url) }
}
