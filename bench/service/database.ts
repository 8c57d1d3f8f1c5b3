/** The database a measurement runs on: an SQLite file beside the service, a PostgreSQL cluster of our own, or a server that exists. */
import { execFileSync } from 'node:child_process'
import { canPin } from './pinned-process.ts'
import { treeCpu } from './process-usage.ts'

/** `sqlite`, `postgres` (a cluster of our own), or the postgres:// URL of a server where databases may be created. */
export type DatabaseChoice = string

export interface BenchDatabase {
  /** `sqlite`, or `postgres` with its version. */
  name: string
  /** What goes into POSTROAD_DATABASE_URL for a service of its own; null: the installation's own SQLite file. */
  fresh(): Promise<string | null>
  /** CPU-ms that the database server used so far; NaN where it is not ours or inside the service. */
  cpu(): number
  stop(): Promise<void>
}

/** As in production: what is committed is on disk. */
const CLUSTER = { shared_buffers: '512MB', max_wal_size: '4GB', synchronous_commit: 'on' }

export async function openDatabase(choice: DatabaseChoice, cpus: string): Promise<BenchDatabase> {
  if (choice === 'sqlite') {
    return { name: 'sqlite', fresh: async () => null, cpu: () => Number.NaN, stop: async () => {} }
  }
  const { createDatabase, execute } = await import('../../test/support/postgres.ts')
  const version = async (server: string) => {
    const [row] = await execute<{ server_version: string }>(server, 'SHOW server_version')
    return `postgres ${/^[\d.]+/.exec(row?.server_version ?? '')?.[0] ?? ''}`
  }
  if (choice === 'postgres') {
    const { PostgresCluster } = await import('../../test/support/postgres-cluster.ts')
    const cluster = await PostgresCluster.start({ durable: true, settings: CLUSTER })
    // Processes for connections inherit what the postmaster may use.
    if (canPin && cpus !== 'all') execFileSync('taskset', ['-a', '-c', '-p', cpus, String(cluster.pid)])
    return {
      name: await version(cluster.url),
      fresh: () => createDatabase(cluster.url),
      cpu: () => treeCpu(cluster.pid),
      stop: () => cluster.remove(),
    }
  }
  if (!/^postgres(ql)?:\/\//.test(choice)) {
    throw new Error(`--database ${choice}: sqlite, postgres, or a postgres:// URL is needed`)
  }
  const made: string[] = []
  return {
    name: await version(choice),
    fresh: async () => {
      const url = await createDatabase(choice)
      made.push(new URL(url).pathname.slice(1))
      return url
    },
    cpu: () => Number.NaN,
    stop: async () => {
      for (const name of made) await execute(choice, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    },
  }
}
