import pg from 'pg'
import { type AppliedMigration, type Migration, versionOf } from '../migration.ts'
import { StoreConflict } from '../store.ts'
import { placeOf, refuseUnreadable } from './database.ts'
import { asStoreError, codeOf } from './faults.ts'
import { MIGRATIONS } from './migrations/migrations.ts'

/** Key of the advisory lock for creating the schema: "Post" in ASCII. */
export const LOCK = 0x506f7374
/** The oldest supported server, as `server_version_num`. */
const OLDEST = 140_000
/** Milliseconds. */
const CONNECT_TIMEOUT = 5_000
/** Milliseconds to wait for another node that is upgrading the schema. */
const LOCK_TIMEOUT = 60_000

/** Versions of the schema: the number of migrations applied. */
interface SchemaChange {
  from: number
  to: number
}

/**
 * Brings the schema up to date, in one transaction: either all missing migrations are applied or none. Nodes that start
 * at the same time wait for the first. When nothing is missing, nothing is locked or written, and a role with rights on
 * rows only is enough.
 *
 * Rejects with StoreConflict when the server is too old, its encoding is not UTF8, the schema has migrations that this
 * program does not know, the database is another program's, or the role lacks rights that the service or a missing
 * migration needs; with StoreUnavailable when the server cannot be reached.
 */
export async function migrate(
  url: string,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<SchemaChange> {
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
    const from = await versionBefore(client, place, migrations)
    if (from !== migrations.length) await bringUpToDate(client, place, from, migrations)
    await refusePowerless(client, place)
    return { from: from ?? 0, to: migrations.length }
  } catch (error) {
    throw asStoreError(error, place)
  } finally {
    // An open transaction ends with its connection.
    await client.end().catch(() => {})
  }
}

/** Null when there is no schema of ours. */
async function versionBefore(
  client: pg.Client,
  place: string,
  migrations: readonly Migration[],
): Promise<number | null> {
  const { rows } = await client.query("SELECT to_regclass('schema_migrations') IS NOT NULL AS ours")
  if (!(rows[0] as { ours: boolean }).ours) return null
  try {
    return versionOf(await applied(client), migrations, place)
  } catch (error) {
    if (codeOf(error) === NO_RIGHT) throw await powerless(client, place, ['schema_migrations'])
    throw error
  }
}

async function bringUpToDate(
  client: pg.Client,
  place: string,
  from: number | null,
  migrations: readonly Migration[],
): Promise<void> {
  await client.query(`BEGIN; SET LOCAL lock_timeout = ${LOCK_TIMEOUT}`)
  try {
    // Anybody may take an advisory lock, and keep it: once our table exists, it is locked instead.
    if (from === null) await client.query(`SELECT pg_advisory_xact_lock(${LOCK})`)
    else await client.query('LOCK TABLE schema_migrations IN SHARE ROW EXCLUSIVE MODE')
    await refuseForeign(client, place)
    await client.query(`CREATE TABLE IF NOT EXISTS schema_migrations (
      version integer PRIMARY KEY, name text NOT NULL, applied_at bigint NOT NULL
    )`)
    const version = versionOf(await applied(client), migrations, place)
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
    if (codeOf(error) !== NO_RIGHT) throw error
    await client.query('ROLLBACK')
    const has = from === null ? 'no schema yet' : `schema ${from}, this Postroad needs ${migrations.length}`
    throw new StoreConflict(
      `The database ${place} has ${has}, and the role ${await roleOf(client)} may not change it: run \`postroad migrate\` with ` +
        'POSTROAD_DATABASE_URL naming the role that owns the tables ("Roles and rights" in docs/operations.md)',
      { cause: error },
    )
  }
}

/** insufficient_privilege. */
const NO_RIGHT = '42501'

async function applied(client: pg.Client): Promise<AppliedMigration[]> {
  const { rows } = await client.query('SELECT version, name FROM schema_migrations ORDER BY version')
  return rows as AppliedMigration[]
}

/** A missing right is better reported now than with the first email that needs it. */
async function refusePowerless(client: pg.Client, place: string): Promise<void> {
  const { rows } = await client.query(
    `SELECT t.relname AS name FROM pg_class t JOIN pg_class ours ON ours.oid = 'schema_migrations'::regclass
     WHERE t.relnamespace = ours.relnamespace AND t.relowner = ours.relowner AND CASE t.relkind
       WHEN 'r' THEN NOT (
         has_table_privilege(t.oid, 'SELECT') AND (t.oid = ours.oid OR (has_table_privilege(t.oid, 'INSERT')
           AND has_table_privilege(t.oid, 'UPDATE') AND has_table_privilege(t.oid, 'DELETE'))))
       WHEN 'S' THEN t.relname IN ('emails_seq_seq', 'events_number_seq') AND NOT (
         has_sequence_privilege(t.oid, 'USAGE') AND has_sequence_privilege(t.oid, 'SELECT'))
       ELSE false END
     ORDER BY t.relname`,
  )
  if (rows.length > 0) {
    const names = rows.map((row: { name: string }) => row.name)
    throw await powerless(client, place, names)
  }
}

async function powerless(client: pg.Client, place: string, tables: string[]): Promise<StoreConflict> {
  return new StoreConflict(
    `The role ${await roleOf(client)} lacks rights in the database ${place}, on ${tables.join(', ')}: let the owner of the tables ` +
      'grant SELECT, INSERT, UPDATE and DELETE on tables, USAGE and SELECT on sequences ("Roles and rights" in docs/operations.md)',
  )
}

async function roleOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query('SELECT current_user AS role')
  return (rows[0] as { role: string }).role
}

async function refuseOld(client: pg.Client, place: string): Promise<void> {
  const version = await number(client, "SELECT current_setting('server_version_num')::integer AS n")
  if (version >= OLDEST) return
  throw new StoreConflict(
    `The database ${place} is PostgreSQL ${Math.floor(version / 10_000)}; Postroad needs 14 or newer: upgrade the server`,
  )
}

/**
 * With another encoding the server would refuse text that it cannot express: one email at a time, when it is accepted
 * or its result comes. SQL_ASCII is no encoding: the server stores octets as they come.
 */
async function refuseNarrow(client: pg.Client, place: string): Promise<void> {
  const { rows } = await client.query('SHOW server_encoding')
  const { server_encoding: encoding } = rows[0] as { server_encoding: string }
  if (encoding === 'UTF8' || encoding === 'SQL_ASCII') return
  throw new StoreConflict(
    `The database ${place} has the encoding ${encoding}; Postroad needs UTF8: create the database again ` +
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
    `The database ${place} holds ${tables} tables of another program; create a separate database for Postroad ` +
      '(createdb), and name it in POSTROAD_DATABASE_URL',
  )
}

async function number(client: pg.Client, sql: string): Promise<number> {
  const { rows } = await client.query(sql)
  return Number((rows[0] as { n: unknown }).n)
}
