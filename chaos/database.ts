/** The PostgreSQL server of a run, which faults may stop and kill, and the way by which each node reaches it. */
import { execute as executeSql } from '../harness/execute-sql.ts'
import { PostgresCluster } from '../harness/postgres-cluster.ts'
import { SeverableWay } from '../harness/severable.ts'
import type { Settings } from '../src/config/settings.ts'

/** More than four nodes and the command line need, few enough to be taken by a fault. */
const MAX_CONNECTIONS = 90
const ROLE = 'postroad'
const PASSWORD = 'chaos'

/** Ms after which a silent node is given up by the others. */
export const NODE_TIMEOUT = 5_000

export class ChaosDatabase implements AsyncDisposable {
  readonly cluster: PostgresCluster
  /** The service's database, as the user that nodes are: straight, past every relay. */
  readonly url: string
  readonly #ways = new Map<string, SeverableWay>()

  private constructor(cluster: PostgresCluster) {
    this.cluster = cluster
    const url = new URL(cluster.url)
    url.username = ROLE
    url.password = PASSWORD
    url.pathname = `/${ROLE}`
    this.url = url.href
  }

  static async start(): Promise<ChaosDatabase> {
    const cluster = await PostgresCluster.start({
      settings: { max_connections: String(MAX_CONNECTIONS), max_wal_size: '1GB' },
    })
    try {
      // No superuser: connections kept for those are not the service's.
      await execute(cluster.url, `CREATE ROLE ${ROLE} LOGIN PASSWORD '${PASSWORD}'`)
      await execute(cluster.url, `CREATE DATABASE ${ROLE} OWNER ${ROLE}`)
      return new ChaosDatabase(cluster)
    } catch (error) {
      await cluster.remove()
      throw error
    }
  }

  get settings(): Settings['database'] {
    return { engine: 'postgres', url: this.url }
  }

  /** The URL for one node: through a relay that is this node's alone. */
  async urlFor(node: string): Promise<string> {
    const way = await SeverableWay.to('127.0.0.1', this.cluster.port)
    this.#ways.set(node, way)
    const url = new URL(this.url)
    url.port = String(way.port)
    return url.href
  }

  /** The relay of a node. */
  way(node: string): SeverableWay {
    const way = this.#ways.get(node)
    if (way === undefined) throw new Error(`${node} has no way to the database`)
    return way
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const way of this.#ways.values()) await way[Symbol.asyncDispose]()
    await this.cluster.remove()
  }
}

/** Runs one statement on a connection of its own, which the server lists as one of chaos; its rows. */
export async function execute<Row extends object = object>(
  url: string,
  sql: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const named = new URL(url)
  named.searchParams.set('application_name', 'chaos')
  return await executeSql<Row>(named.href, sql, values)
}
