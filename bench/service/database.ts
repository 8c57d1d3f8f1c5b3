/** The database a measurement runs on: an SQLite file beside the service, a PostgreSQL cluster of our own, or a server that exists. */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { execute } from '../../harness/execute-sql.ts'
import { PostgresCluster } from '../../harness/postgres-cluster.ts'
import { whenInterrupted } from '../interrupted.ts'
import { canPin } from './pinned-process.ts'
import { treeCpu } from './process-usage.ts'

/** `sqlite`, `postgres` (a cluster of our own), or the postgres:// URL of a server where databases may be created. */
export type DatabaseChoice = string

export interface BenchDatabase {
  /** `sqlite`, or `postgres` with its version. */
  name: string
  /** Makes an empty database for one service, and returns its POSTROAD_DATABASE_URL; null: the installation's SQLite file. */
  fresh(): Promise<string | null>
  /** CPU-ms that the database server has used so far; NaN if another party runs the server, or the service contains it. */
  cpu(): number
  stop(): Promise<void>
}

/** As in production: a transaction is on disk when its commit returns. */
const CLUSTER = { shared_buffers: '512MB', max_wal_size: '4GB', synchronous_commit: 'on' }

export async function openDatabase(choice: DatabaseChoice, cpus: string): Promise<BenchDatabase> {
  if (choice === 'sqlite') {
    return { name: 'sqlite', fresh: async () => null, cpu: () => Number.NaN, stop: async () => {} }
  }
  if (choice === 'postgres') {
    const cluster = await PostgresCluster.start({ durable: true, settings: CLUSTER })
    // The processes for connections inherit the CPUs of the postmaster.
    if (canPin && cpus !== 'all') execFileSync('taskset', ['-a', '-c', '-p', cpus, String(cluster.pid)])
    return {
      name: await version(cluster.url),
      fresh: () => createDatabase(cluster.url),
      cpu: () => treeCpu(cluster.pid),
      stop: () => cluster.remove(),
    }
  }
  if (!isPostgresUrl(choice)) throw new Error(`${choice} is neither sqlite, postgres nor a postgres:// URL`)
  const made: string[] = []
  const drop = async () => {
    for (const name of made.splice(0)) await execute(choice, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  }
  const forget = whenInterrupted(drop)
  return {
    name: await version(choice),
    fresh: async () => {
      const url = await createDatabase(choice)
      made.push(new URL(url).pathname.slice(1))
      return url
    },
    cpu: () => Number.NaN,
    stop: async () => {
      await drop()
      forget()
    },
  }
}

export function isPostgresUrl(text: string): boolean {
  return /^postgres(ql)?:\/\//.test(text)
}

async function version(server: string): Promise<string> {
  const [row] = await execute<Record<string, string>>(server, 'SHOW server_version')
  return `postgres ${/^[\d.]+/.exec(row?.server_version ?? '')?.[0] ?? ''}`
}

/** The URL of a new, empty database on this server. */
async function createDatabase(server: string): Promise<string> {
  const name = `postroad_bench_${randomBytes(8).toString('hex')}`
  await execute(server, `CREATE DATABASE ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}
