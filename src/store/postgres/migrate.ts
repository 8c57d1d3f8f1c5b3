import pg from 'pg'
import { StoreConflict } from '../store.ts'
import { placeOf, refuseUnreadable } from './database.ts'
import { asStoreError } from './faults.ts'
import { MIGRATIONS, type Migration } from './migrations/migrations.ts'

/** Key of the advisory lock under which schemas are made: "Post" in ASCII. */
export const LOCK = 0x506f7374
/** Oldest server that will do, as `server_version_num` has it. */
const OLDEST = 140_000
/** Milliseconds. */
const CONNECT_TIMEOUT = 5_000

/**
 * Brings the schema up to date, in one transaction: either all missing migrations are applied or none. Nodes that start at
 * once wait for the first. Rejects with StoreConflict when the server is too old, its encoding is not UTF8, the schema is newer
 * than this program, or the database is another program's; with StoreUnavailable when it cannot be reached.
 */
export async function migrate(url: string, migrations: readonly Migration[] = MIGRATIONS): Promise<void> {
  const place = placeOf(url)
  refuseUnreadable(url)
  const client = new pg.Client({
    connectionString: url,
    application_name: 'postroad',
    connectionTimeoutMillis: CONNECT_TIMEOUT,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    await refuseOld(client, place)
    await refuseNarrow(client, place)
    await client.query(`BEGIN; SELECT pg_advisory_xact_lock(${LOCK})`)
    await refuseForeign(client, place)
    await client.query(`CREATE TABLE IF NOT EXISTS schema_migrations (
      version integer PRIMARY KEY, name text NOT NULL, applied_at bigint NOT NULL
    )`)
    const version = await number(client, 'SELECT coalesce(max(version), 0) AS n FROM schema_migrations')
    if (version > migrations.length) {
      throw new StoreConflict(
        `The database ${place} has schema ${version}, this Postroad knows up to ${migrations.length}: it was written by ` +
          'a newer version; run that version, or restore a backup made before the upgrade',
      )
    }
    for (const [index, migration] of migrations.entries()) {
      if (index < version) continue
      await client.query(migration.sql)
      await client.query('INSERT INTO schema_migrations (version, name, applied_at) VALUES ($1, $2, $3)', [
        index + 1,
        migration.name,
        Date.now(),
      ])
    }
    await client.query('COMMIT')
  } catch (error) {
    throw asStoreError(error, place)
  } finally {
    // An open transaction ends with its connection.
    await client.end().catch(() => {})
  }
}

async function refuseOld(client: pg.Client, place: string): Promise<void> {
  const version = await number(client, "SELECT current_setting('server_version_num')::integer AS n")
  if (version >= OLDEST) return
  throw new StoreConflict(
    `The database ${place} is PostgreSQL ${Math.floor(version / 10_000)}; Postroad needs 14 or newer: upgrade the server`,
  )
}

/**
 * In another encoding the server refuses what it cannot express: an email at a time, when it is accepted or its result comes. SQL_ASCII
 * is no encoding: the server keeps octets as they come.
 */
async function refuseNarrow(client: pg.Client, place: string): Promise<void> {
  const { rows } = await client.query('SHOW server_encoding')
  const { server_encoding: encoding } = rows[0] as { server_encoding: string }
  if (encoding === 'UTF8' || encoding === 'SQL_ASCII') return
  throw new StoreConflict(
    `The database ${place} has the encoding ${encoding}; Postroad needs UTF8: make it anew ` +
      '(createdb --encoding=UTF8 --template=template0)',
  )
}

async function refuseForeign(client: pg.Client, place: string): Promise<void> {
  const { rows } = await client.query(
    `SELECT to_regclass('schema_migrations') IS NOT NULL AS ours,
            (SELECT count(*) FROM pg_tables WHERE schemaname = current_schema())::integer AS tables`,
  )
  const { ours, tables } = rows[0] as { ours: boolean; tables: number }
  if (ours || tables === 0) return
  throw new StoreConflict(
    `The database ${place} holds ${tables} tables of another program; give Postroad a database of its own ` +
      '(createdb), and name it in POSTROAD_DATABASE_URL',
  )
}

async function number(client: pg.Client, sql: string): Promise<number> {
  const { rows } = await client.query(sql)
  return Number((rows[0] as { n: unknown }).n)
}
