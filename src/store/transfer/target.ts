import pg from 'pg'
import { bools, encoded, TYPES } from '../postgres/arrays.ts'
import { placeOf, refuseUnreadable } from '../postgres/database.ts'
import { asStoreError } from '../postgres/faults.ts'
import { LOCK, migrate } from '../postgres/migrate.ts'
import { types } from '../postgres/rows.ts'
import { StoreConflict } from '../store.ts'
import { type Canonical, canonicalExpression, TableDigest } from './digest.ts'
import type { Chunk, SourceCounters, SourceRow } from './source.ts'
import { MOVES, type TransferColumnType, type TransferTable } from './tables.ts'

/**
 * The schema that holds everything until it is complete and verified. A service that starts meanwhile does not see it.
 */
const SCHEMA = 'postroad_transfer'
/** Key of the advisory lock that a transfer holds: "Move" in ASCII. */
const TRANSFER_LOCK = 0x4d6f7665
/** Rows fetched at once for comparison. */
const FETCH = 500
const CONNECT_TIMEOUT = 5_000

/** The progress of a table. */
interface TableProgress {
  place: string | null
  rows: number
}

interface DeclaredColumn {
  table: string
  column: string
  type: TransferColumnType
  sequence: string | null
}

type SequenceColumn = DeclaredColumn & { sequence: string }

/** The PostgreSQL database that an installation is moved to. */
export class Target {
  /** `host:port/name`. */
  readonly place: string
  /** The tables to move, in order. */
  tables: readonly TransferTable[] = []
  readonly #client: pg.Client

  private constructor(client: pg.Client, place: string) {
    this.#client = client
    this.place = place
  }

  /**
   * Prepares the database, or continues an earlier transfer from a source in the same state. `restart` drops an earlier
   * transfer. Rejects with StoreConflict when the database holds other data, is in use, or has a transfer from another
   * source.
   */
  static async open(url: string, state: string, { restart }: { restart: boolean }): Promise<Target> {
    const place = placeOf(url)
    refuseUnreadable(url)
    const client = new pg.Client({
      connectionString: url,
      application_name: 'postroad migrate-data',
      connectionTimeoutMillis: CONNECT_TIMEOUT,
      keepAlive: true,
      types,
    })
    client.on('error', () => {})
    const target = new Target(client, place)
    try {
      await client.connect()
      await target.#lock()
      await target.#refuseUsed()
      if (restart) await client.query(`DROP SCHEMA IF EXISTS ${SCHEMA} CASCADE`)
      await client.query(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`)
      await migrate(inSchema(url))
      target.tables = await target.#declared()
      await target.#begin(state)
      return target
    } catch (error) {
      await target.close()
      throw asStoreError(error, place)
    }
  }

  async progress(table: TransferTable): Promise<TableProgress> {
    const sql = `SELECT place, rows FROM ${SCHEMA}.transfer_progress WHERE table_name = $1`
    const [row] = await this.#run<TableProgress>(sql, [table.name])
    return row ?? { place: null, rows: 0 }
  }

  /** Adds the rows and notes the table's progress: both or neither. */
  async add(table: TransferTable, { rows, place }: Chunk): Promise<void> {
    const columns = Object.entries(table.columns)
    const arrays = columns.map(([name, type]) => arrayOf(type, rows, name))
    const casts = columns.map(([, type], index) => `$${index + 1}::${TYPES[type].name}[]`)
    const insert = `INSERT INTO ${SCHEMA}.${table.name} (${columns.map(([name]) => name).join()})
      SELECT * FROM unnest(${casts.join()})`
    const note = `INSERT INTO ${SCHEMA}.transfer_progress AS p (table_name, place, rows) VALUES ($1, $2, $3)
      ON CONFLICT (table_name) DO UPDATE SET place = excluded.place, rows = p.rows + excluded.rows`
    await this.#transaction(async () => {
      await this.#run(insert, arrays)
      await this.#run(note, [table.name, place, rows.length])
    })
  }

  async digest(table: TransferTable): Promise<TableDigest> {
    const digest = new TableDigest(table)
    const columns = Object.entries(table.columns).map(([name, type]) => canonicalExpression(type, name))
    await this.#transaction(async () => {
      await this.#run(
        `DECLARE transfer_rows NO SCROLL CURSOR FOR SELECT ${columns.join()} FROM ${SCHEMA}.${table.name}`,
      )
      for (;;) {
        const rows = await this.#run<Record<string, Canonical>>(`FETCH ${FETCH} FROM transfer_rows`)
        for (const row of rows) digest.add(row)
        if (rows.length === 0) return
      }
    })
    return digest
  }

  /** Moves the verified tables to the schema that services use, all at once. */
  async finish({ token, event }: SourceCounters): Promise<void> {
    await this.#transaction(async () => {
      // The same lock as that of a starting node: one waits for the other.
      await this.#run(`SELECT pg_advisory_xact_lock(${LOCK})`)
      await this.#refuseUsed()
      for (const { name, numbered } of this.tables) {
        if (numbered === null) continue
        const { column, sequence } = numbered
        await this.#run(
          `SELECT setval($1::regclass, coalesce((SELECT max(${column}) FROM ${SCHEMA}.${name}), 0) + 1, false)`,
          [sequence],
        )
      }
      // Followers of the log have seen numbers of events that no longer exist.
      await this.#run(
        `SELECT setval('${SCHEMA}.events_number_seq', greatest(nextval('${SCHEMA}.events_number_seq'), $1::int8 + 1), false)`,
        [event],
      )
      await this.#run(`UPDATE ${SCHEMA}.counters SET value = greatest(value, $1) WHERE name = 'lease'`, [
        token,
      ])
      await this.#run(`DROP TABLE ${SCHEMA}.transfer_progress, ${SCHEMA}.transfer_source`)
      for (const name of await this.#tablesOf(SCHEMA)) {
        await this.#run(`DROP TABLE IF EXISTS "${name}" CASCADE`)
        await this.#run(`ALTER TABLE ${SCHEMA}."${name}" SET SCHEMA ${await this.#ownSchema()}`)
      }
      await this.#run(`DROP SCHEMA ${SCHEMA}`)
    })
    // Autovacuum would do it later. Everything is in place, whether or not this succeeds.
    await this.#run('ANALYZE').catch(() => {})
  }

  async close(): Promise<void> {
    await this.#client.end().catch(() => {})
  }

  async #lock(): Promise<void> {
    const [row] = await this.#run<{ locked: boolean }>(
      `SELECT pg_try_advisory_lock(${TRANSFER_LOCK}) AS locked`,
    )
    if (row!.locked) return
    throw new StoreConflict(
      `Another migrate-data is writing to ${this.place}; if it was killed, its lock is released within seconds`,
    )
  }

  /** Accepts an empty database, and one in which Postroad was started but nothing was set up. */
  async #refuseUsed(): Promise<void> {
    const tables = await this.#tablesOf(null)
    if (tables.length === 0) return
    if (!tables.includes('schema_migrations')) {
      throw new StoreConflict(
        `The database ${this.place} holds tables of another program; give Postroad a database of its own (createdb)`,
      )
    }
    const [used] = await this.#run<{ companies: boolean; nodes: boolean }>(
      'SELECT EXISTS (SELECT 1 FROM companies) AS companies, EXISTS (SELECT 1 FROM nodes) AS nodes',
    )
    if (used!.nodes) {
      throw new StoreConflict(
        `The database ${this.place} is being served: stop every node that uses it, then try again`,
      )
    }
    if (used!.companies) {
      throw new StoreConflict(
        `The database ${this.place} holds an installation already. Nothing was changed. An earlier run of migrate-data ` +
          'may have been stopped right after it had moved everything. To find out, set POSTROAD_DATABASE_URL to this database, and compare the ' +
          'output of `postroad company list` and `postroad email list`. Otherwise name an empty database',
      )
    }
  }

  async #begin(state: string): Promise<void> {
    await this.#run(`CREATE TABLE IF NOT EXISTS ${SCHEMA}.transfer_source (state text NOT NULL)`)
    await this.#run(
      `CREATE TABLE IF NOT EXISTS ${SCHEMA}.transfer_progress
         (table_name text PRIMARY KEY, place text NOT NULL, rows bigint NOT NULL)`,
    )
    const [begun] = await this.#run<{ state: string }>(`SELECT state FROM ${SCHEMA}.transfer_source`)
    if (begun === undefined) {
      await this.#run(`INSERT INTO ${SCHEMA}.transfer_source (state) VALUES ($1)`, [state])
    } else if (begun.state !== state) {
      throw new StoreConflict(
        `A transfer to ${this.place} was begun from another database, or the source has been written to since. ` +
          'Begin again with --restart',
      )
    }
  }

  /** Columns and their types follow from the schema. */
  async #declared(): Promise<TransferTable[]> {
    const columns = await this.#run<DeclaredColumn>(
      `SELECT table_name AS "table", column_name AS "column", udt_name AS type,
         pg_get_serial_sequence('${SCHEMA}.' || table_name, column_name) AS sequence
       FROM information_schema.columns WHERE table_schema = '${SCHEMA}' ORDER BY ordinal_position`,
    )
    return MOVES.map((move) => {
      const filled = columns.filter(({ table, column }) => table === move.name && column !== move.own)
      const numbered = filled.find((column): column is SequenceColumn => column.sequence !== null) ?? null
      return {
        ...move,
        columns: Object.fromEntries(filled.map(({ column, type }) => [column, type])),
        numbered,
      }
    })
  }

  /** Null: the schema that services use. */
  async #tablesOf(schema: string | null): Promise<string[]> {
    const sql = `SELECT tablename AS name FROM pg_tables WHERE schemaname = coalesce($1, current_schema())
      ORDER BY tablename`
    return (await this.#run<{ name: string }>(sql, [schema])).map(({ name }) => name)
  }

  async #ownSchema(): Promise<string> {
    const [row] = await this.#run<{ name: string }>('SELECT quote_ident(current_schema()) AS name')
    return row!.name
  }

  async #transaction(work: () => Promise<void>): Promise<void> {
    await this.#run('BEGIN')
    try {
      await work()
      await this.#run('COMMIT')
    } catch (error) {
      await this.#client.query('ROLLBACK').catch(() => {})
      throw error
    }
  }

  async #run<Row>(sql: string, values: unknown[] = []): Promise<Row[]> {
    try {
      return (await this.#client.query(sql, values)).rows as Row[]
    } catch (error) {
      throw asStoreError(error, this.place)
    }
  }
}

/** The same database, with our tables in a schema of their own. */
function inSchema(url: string): string {
  const given = new URL(url)
  const options = given.searchParams.get('options') ?? ''
  given.searchParams.set('options', `${options} -c search_path=${SCHEMA}`.trim())
  return given.href
}

function arrayOf(type: TransferColumnType, rows: SourceRow[], name: string): Buffer {
  const values = rows.map((row) => row[name] ?? null)
  // SQLite has no booleans, and stores bodies as text.
  if (type === 'bool') return bools(values.map((value) => value !== 0))
  if (type === 'bytea' && values.some((value) => typeof value === 'string'))
    return encoded(values as string[])
  return TYPES[type].array(values as never[])
}
