/** Connections to PostgreSQL, and transactions on them. */
import { readFileSync } from 'node:fs'
import pg from 'pg'
import { CompanyPlaces } from '../../common/company-places.ts'
import { presentWork } from '../../common/present-work.ts'
import { StoreUnavailable } from '../store.ts'
import { asStoreError, codeOf, isBroken, isCollision, isUndone, OutcomeUnknown } from './faults.ts'
import { storable, types } from './rows.ts'

/** Connections for the hot path (accept, claim, record) and for all other work. */
const WRITING = 8
const READING = 4
/**
 * Connections of the hot path that companies' own changes may occupy, while they wait for locked rows: two for one
 * company, and one is kept for another.
 */
const CHANGING = { size: 3, kept: 1, timesFree: 2 }
/** Milliseconds to wait for a new connection, or for a free one. */
const CONNECT_TIMEOUT = 5_000
/** How often a transaction that lost against another one is run again. */
const COLLISIONS = 10

/** Milliseconds. */
export interface Timeouts {
  /** The longest time of a statement, in the server. */
  statementMs: number
  /**
   * The longest wait for an answer, as seen from here (a network may swallow everything), and the longest time for
   * which a transaction may lie idle in the server.
   */
  answerMs: number
  /** The longest wait for an answer about nodes: silence must be noticed before nodes give each other up. */
  vitalMs: number
}

const TIMEOUTS: Timeouts = { statementMs: 20_000, answerMs: 25_000, vitalMs: 5_000 }

/**
 * A statement with a name is parsed and planned once for each connection; a name must always stand for the same text.
 */
export interface Statement {
  name?: string
  text: string
  /** Rows come as arrays, in the order of the columns. */
  rowMode?: 'array'
}

export type Value = string | number | boolean | Uint8Array | null

/** A connection inside a transaction. */
export interface DatabaseSession {
  /** Returns rows in the shape of the statement's columns. */
  run<Row>(statement: Statement | string, values?: readonly Value[]): Promise<Row[]>
  /** Returns how many rows were inserted, changed or removed. */
  count(statement: Statement | string, values?: readonly Value[]): Promise<number>
}

/**
 * A PostgreSQL database. Commits are durable when they resolve (synchronous_commit is on, whatever the server's
 * default).
 *
 * Faults of the environment reject with StoreUnavailable and a sentence for the operator; with its subclass
 * OutcomeUnknown when it is not known whether the commit took place. Any other error rejects as the driver reports it.
 */
export class Database {
  /** Host, port and name of the database: the part of its URL that messages may show. */
  readonly place: string
  readonly #options: pg.ClientConfig
  readonly #timeouts: Timeouts
  readonly #writing: pg.Pool
  readonly #reading: pg.Pool
  readonly #vital: pg.Pool
  readonly #changing = new CompanyPlaces(CHANGING)
  #commits = 0
  #closed: Promise<void> | null = null

  constructor(url: string, timeouts: Partial<Timeouts> = {}) {
    this.place = placeOf(url)
    this.#timeouts = { ...TIMEOUTS, ...timeouts }
    this.#options = {
      connectionString: url,
      application_name: 'postroad',
      connectionTimeoutMillis: CONNECT_TIMEOUT,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    }
    // Hot statements touch few rows through an index each, whatever the planner estimates about a table that has just
    // grown.
    this.#writing = this.#pool(
      WRITING,
      'SET enable_seqscan = off; SET enable_bitmapscan = off; SET plan_cache_mode = force_generic_plan',
    )
    // Pages are read in index order until there are enough rows, even when the planner estimates that there are few.
    this.#reading = this.#pool(READING, 'SET enable_bitmapscan = off')
    this.#vital = this.#pool(1, '', this.#timeouts.vitalMs)
  }

  /** Committed transactions that may have written. Notices to other nodes do not count. */
  get commits(): number {
    return this.#commits
  }

  /** Runs one statement that is a transaction by itself, again if it loses against another one. */
  write<Row>(statement: Statement | string, values: readonly Value[] = []): Promise<Row[]> {
    return this.#single(this.#writing, (client) => run<Row>(client, statement, values))
  }

  /** The same; returns how many rows were inserted, changed or removed. */
  count(statement: Statement | string, values: readonly Value[] = []): Promise<number> {
    return this.#single(this.#writing, (client) => count(client, statement, values))
  }

  /** Does the same as `write`, over a connection kept for work that must not wait behind other work. */
  vital<Row>(statement: Statement | string, values: readonly Value[] = []): Promise<Row[]> {
    return this.#single(this.#vital, (client) => run<Row>(client, statement, values))
  }

  /** Does the same as `count`, over that connection. */
  countVital(statement: Statement | string, values: readonly Value[] = []): Promise<number> {
    return this.#single(this.#vital, (client) => count(client, statement, values))
  }

  async #single<T>(over: pg.Pool, send: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    return await this.#again(() =>
      this.#with(over, async (client) => {
        const answer = await this.#commit(send(client))
        this.#commits += 1
        return answer
      }),
    )
  }

  /** Runs one statement that notifies other nodes, a transaction by itself. */
  async notice<Row>(statement: string, values: readonly Value[]): Promise<Row[]> {
    return await this.#with(this.#writing, (client) => this.#commit(run<Row>(client, statement, values)))
  }

  /** Runs one reading statement of the hot path, over the hot path's connections. */
  async look<Row>(statement: Statement | string, values: readonly Value[] = []): Promise<Row[]> {
    return await this.#with(this.#writing, (client) => run<Row>(client, statement, values))
  }

  /** Runs one reading statement. */
  async read<Row>(statement: Statement | string, values: readonly Value[] = []): Promise<Row[]> {
    return await this.#with(this.#reading, (client) => run<Row>(client, statement, values))
  }

  /** Runs each reading statement by itself, over any connection. */
  readonly reads: Pick<DatabaseSession, 'run'> = { run: (statement, values) => this.read(statement, values) }

  /** Runs several reading statements that see the same state of the database. */
  async snapshot<T>(work: (session: DatabaseSession) => Promise<T>): Promise<T> {
    return await this.#with(this.#reading, (client) =>
      this.#within(client, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', work),
    )
  }

  /**
   * Runs several statements in one transaction (read committed: each sees what was committed before it). It may run
   * several times, so `work` must have no effect outside the database. An error of `work` rolls it back. No other
   * network I/O may happen in it.
   */
  async transaction<T>(work: (session: DatabaseSession) => Promise<T>): Promise<T> {
    return await this.#again(() => this.#with(this.#writing, (client) => this.#within(client, 'BEGIN', work)))
  }

  /**
   * Runs a transaction by which a company changes its own things, at its keys' and people's request: few are under way
   * at a time, and companies take turns, so that mail never waits behind them for a connection.
   */
  change<T>(company: number, work: (session: DatabaseSession) => Promise<T>): Promise<T> {
    return this.inTurn(company, () => this.transaction(work))
  }

  /**
   * Runs work that includes such a transaction, in the turn of a company, or in the turn of changes that are made one
   * at a time for all companies.
   */
  async inTurn<T>(party: number | string, work: () => Promise<T>): Promise<T> {
    const end = await this.#changing.take(String(party))
    try {
      return await work()
    } finally {
      end()
    }
  }

  /** Opens a connection for the caller, who ends it. */
  async connect(): Promise<pg.Client> {
    const client = new pg.Client({ ...this.#options, query_timeout: this.#timeouts.answerMs })
    client.on('error', () => {})
    try {
      await client.connect()
      return client
    } catch (error) {
      void client.end().catch(() => {})
      throw asStoreError(error, this.place)
    }
  }

  /** Later requests are refused. */
  async close(): Promise<void> {
    this.#closed ??= Promise.all([this.#writing.end(), this.#reading.end(), this.#vital.end()]).then(() => {})
    await this.#closed
  }

  #pool(max: number, settings: string, answerMs = this.#timeouts.answerMs): pg.Pool {
    const made = new pg.Pool({
      ...this.#options,
      query_timeout: answerMs,
      max,
      idleTimeoutMillis: 60_000,
      types,
      onConnect: async (client) => {
        // A connection lost between two statements has no caller to report to; the next statement finds out.
        client.on('error', () => {})
        await client.query(`SET synchronous_commit = on; SET jit = off; SET client_min_messages = error;
          SET statement_timeout = ${this.#timeouts.statementMs};
          SET idle_in_transaction_session_timeout = ${this.#timeouts.answerMs};
          SET default_transaction_isolation = 'read committed'; ${settings}`)
      },
    })
    // An idle connection that breaks leaves the pool by itself; the next caller gets another one, or the fault.
    made.on('error', () => {})
    return made
  }

  async #within<T>(
    client: pg.PoolClient,
    begin: string,
    work: (session: DatabaseSession) => Promise<T>,
  ): Promise<T> {
    await client.query(begin)
    let value: T
    try {
      value = await work({
        run: (statement, values = []) => run(client, statement, values),
        count: (statement, values = []) => count(client, statement, values),
      })
    } catch (error) {
      if (!isBroken(error)) await client.query('ROLLBACK')
      throw error
    }
    const { command } = await this.#commit(client.query('COMMIT'))
    if (command !== 'COMMIT')
      throw new StoreUnavailable(`The database ${this.place} has undone a transaction`)
    this.#commits += 1
    return value
  }

  /** The outcome of a commit is known only when the answer comes. */
  async #commit<T>(sent: Promise<T>): Promise<T> {
    try {
      return await sent
    } catch (error) {
      // An error with another SQLSTATE means that the server has kept nothing.
      if (!isBroken(error) || isUndone(error)) throw error
      const { message } = asStoreError(error, this.place)
      throw new OutcomeUnknown(`${message}. It is not known whether the last commit took place`, {
        cause: error,
      })
    }
  }

  async #with<T>(from: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    if (this.#closed !== null) throw new StoreUnavailable('The store is closed')
    let client: pg.PoolClient
    try {
      client = await from.connect()
    } catch (error) {
      throw asStoreError(error, this.place)
    }
    let broken = true
    try {
      const value = await work(client)
      broken = false
      return value
    } catch (error) {
      broken = isBroken(error instanceof OutcomeUnknown ? error.cause : error)
      throw asStoreError(error, this.place)
    } finally {
      client.release(broken)
    }
  }

  async #again<T>(attempt: () => Promise<T>): Promise<T> {
    for (let collisions = 1; ; collisions++) {
      try {
        return await attempt()
      } catch (error) {
        const cause = error instanceof StoreUnavailable ? error.cause : error
        if (collisions >= COLLISIONS || !isCollision(cause)) throw error
      }
    }
  }
}

/** `host:port/name` of a database URL: no user, no password. */
export function placeOf(url: string): string {
  try {
    const { host, pathname } = new URL(url)
    return `${host || 'localhost'}${pathname}`
  } catch {
    return 'of POSTROAD_DATABASE_URL'
  }
}

/**
 * Throws StoreUnavailable when a file that the URL names cannot be read. The driver's error would name neither the
 * problem nor the option.
 */
export function refuseUnreadable(url: string): void {
  const { searchParams } = new URL(url)
  for (const option of ['sslrootcert', 'sslcert', 'sslkey']) {
    const path = searchParams.get(option)
    if (!path) continue
    try {
      readFileSync(path)
    } catch (error) {
      const why = codeOf(error) === 'ENOENT' ? 'there is no such file' : (error as Error).message
      throw new StoreUnavailable(
        `The database ${placeOf(url)} is not available: the file ${path} cannot be read (${why}). Correct "${option}=" in the ` +
          'database URL',
        { cause: error },
      )
    }
  }
}

async function run<Row>(
  client: pg.PoolClient,
  statement: Statement | string,
  values: readonly Value[],
): Promise<Row[]> {
  return (await query(client, statement, values)).rows as Row[]
}

async function count(
  client: pg.PoolClient,
  statement: Statement | string,
  values: readonly Value[],
): Promise<number> {
  return (await query(client, statement, values)).rowCount ?? 0
}

function query(
  client: pg.PoolClient,
  statement: Statement | string,
  values: readonly Value[],
): Promise<pg.QueryResult> {
  const config = typeof statement === 'string' ? { text: statement } : statement
  const stored = values.map((value) => (typeof value === 'string' ? storable(value) : value))
  return presentWork.answer(client.query({ ...config, values: stored } as pg.QueryConfig))
}
