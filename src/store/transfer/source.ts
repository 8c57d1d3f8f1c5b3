import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite'
import { asStoreError, openForWriting } from '../sqlite/database.ts'
import { findDatabase } from '../sqlite/database-location.ts'
import { lockExclusively } from '../sqlite/lock.ts'
import { migrate } from '../sqlite/migrate.ts'
import { canonical, TableDigest } from './digest.ts'
import type { TransferTable } from './tables.ts'

/** The most rows and octets of one step. Only a single row may have more octets. */
const ROWS = 500
const OCTETS = 4 * 1024 * 1024

const WHO_HAS_IT = 'a Postroad service, or by another migrate-data. Stop that one, then run this again'

export type SourceRow = Record<string, SQLOutputValue>

export interface Chunk {
  rows: SourceRow[]
  /** Where the next chunk begins; only `chunks` interprets it. */
  place: string
}

/** The counters of the source. */
export interface SourceCounters {
  token: number
  event: number
}

/** The SQLite database that is moved. While it is open, no other process writes to it. */
export class TransferSource {
  readonly #db: DatabaseSync
  readonly #path: string
  readonly #unlock: () => void

  private constructor(db: DatabaseSync, path: string, unlock: () => void) {
    this.#db = db
    this.#path = path
    this.#unlock = unlock
  }

  /**
   * Brings its schema up to date and locks it. Throws StoreConflict when a service uses the database, and
   * StoreUnavailable when it cannot be opened or a command is writing to it now.
   */
  static open(path: string): TransferSource {
    const place = findDatabase(path)
    const unlock = lockExclusively(place.path, WHO_HAS_IT)
    let db: DatabaseSync | undefined
    try {
      db = openForWriting(place.path)
      migrate(db, place.path)
      // The command line writes beside a service, so the lock alone is not enough.
      db.exec('BEGIN IMMEDIATE')
      return new TransferSource(db, path, unlock)
    } catch (error) {
      db?.close()
      unlock()
      throw asStoreError(error, path)
    }
  }

  /** Differs for another database, and after the database was used or changed in between. */
  get state(): string {
    const row = this.#run(() =>
      this.#db
        .prepare(
          `SELECT (SELECT group_concat(name || '=' || value, ' ') FROM (SELECT * FROM counters ORDER BY name)) AS counters,
                  (SELECT min(id) FROM companies) AS company, (SELECT max(num) FROM emails) AS emails,
                  (SELECT total(version) FROM people) AS people, (SELECT count(*) FROM sign_in_links) AS links,
                  (SELECT total(created_at) FROM invitations) AS invitations`,
        )
        .get(),
    )
    return JSON.stringify(row)
  }

  /** The highest numbers given out: fencing tokens, and events (also those that retention has removed). */
  get reached(): SourceCounters {
    return { token: this.#counter('lease'), event: this.#counter('events') }
  }

  count(table: TransferTable): number {
    const sql = `SELECT count(*) AS rows FROM ${fromOf(table)}${whereOf(table.where)}`
    return Number(this.#run(() => this.#db.prepare(sql).get())?.rows)
  }

  /** The rows of a table from a place on (null: from the start). */
  *chunks(table: TransferTable, from: string | null): Generator<Chunk> {
    let place = from
    for (;;) {
      const chunk = this.#run(() => this.#chunk(table, place))
      if (chunk === null) return
      yield chunk
      place = chunk.place
    }
  }

  digest(table: TransferTable): TableDigest {
    const digest = new TableDigest(table)
    const types = Object.entries(table.columns)
    for (const { rows } of this.chunks(table, null)) {
      for (const row of rows) {
        digest.add(Object.fromEntries(types.map(([name, type]) => [name, canonical(type, row[name])])))
      }
    }
    return digest
  }

  close(): void {
    this.#db.close()
    this.#unlock()
  }

  #chunk(table: TransferTable, place: string | null): Chunk | null {
    const after = place === null ? [] : (JSON.parse(place) as SQLInputValue[])
    const rows: SourceRow[] = []
    let octets = 0
    for (const row of this.#db.prepare(selectOf(table, place !== null)).iterate(...after, ROWS)) {
      rows.push(row)
      octets += octetsOf(row)
      if (octets >= OCTETS) break
    }
    const last = rows.at(-1)
    if (last === undefined) return null
    return { rows, place: JSON.stringify(table.order.map((_, index) => last[`place${index}`])) }
  }

  #counter(name: string): number {
    const row = this.#run(() => this.#db.prepare('SELECT value FROM counters WHERE name = ?').get(name))
    return Number(row?.value ?? 0)
  }

  #run<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw asStoreError(error, this.#path)
    }
  }
}

function selectOf(table: TransferTable, after: boolean): string {
  const { columns, where, expressions = {}, order } = table
  const values = Object.keys(columns).map((column) => `${expressions[column] ?? `t.${column}`} AS ${column}`)
  const places = order.map((column, index) => `${column} AS place${index}`)
  const beyond = after ? `(${order.join()}) > (${order.map(() => '?').join()})` : undefined
  const conditions = [where, beyond].filter((condition) => condition !== undefined).join(' AND ')
  const all = [...values, ...places].join()
  return `SELECT ${all} FROM ${fromOf(table)}${whereOf(conditions)} ORDER BY ${order.join()} LIMIT ?`
}

function fromOf({ name, from = name, join = '' }: TransferTable): string {
  return `${from} t ${join}`
}

function whereOf(conditions: string | undefined): string {
  return conditions ? ` WHERE ${conditions}` : ''
}

function octetsOf(row: SourceRow): number {
  let octets = 0
  for (const value of Object.values(row)) {
    if (typeof value === 'string') octets += value.length
    else if (value instanceof Uint8Array) octets += value.byteLength
  }
  return octets
}
