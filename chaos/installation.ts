/** An installation of the service under test: its settings, and the commands that set it up. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { keysOfRecords, type PrintedRecord, type PublishedKeys } from '../harness/verify-dkim.ts'
import { type Environment, ownEnvironment } from './node.ts'

const POSTROAD = fileURLToPath(new URL('../bin/postroad', import.meta.url))

/** Short enough that a message deferred again and again is seen to the end, long enough that nobody's patience ends before the faults. */
export const RETRY_SCHEDULE = `1s,1s,2s,2s,3s,3s,${Array.from({ length: 90 }, () => '5s').join()}`

export function settingsFor(databaseUrl: string, sink: { port: number; dns: string }): Environment {
  return {
    POSTROAD_LISTEN: '127.0.0.1:0',
    POSTROAD_DATABASE_URL: databaseUrl,
    POSTROAD_DELIVERY: 'direct',
    POSTROAD_HOSTNAME: 'out.chaos.test',
    POSTROAD_DNS_SERVERS: sink.dns,
    POSTROAD_SMTP_PORT: String(sink.port),
    POSTROAD_ALLOW_PRIVATE_NETWORKS: 'true',
    POSTROAD_RETRY_SCHEDULE: RETRY_SCHEDULE,
    POSTROAD_DELIVERY_THREADS: '2',
    POSTROAD_SHUTDOWN_TIMEOUT: '10s',
    POSTROAD_LOG_LEVEL: 'warn',
    // Nodes that share a database share it.
    POSTROAD_SECRET_KEY: '5f'.repeat(32),
  }
}

export interface Tenant {
  token: string
  keys: PublishedKeys
}

/** A company with one active domain and a key, made by the command line. */
export async function addTenant(
  domain: string,
  environment: Environment,
  directory: string,
): Promise<Tenant> {
  const command = async <Output>(...args: string[]): Promise<Output> => {
    const { stdout } = await promisify(execFile)(POSTROAD, [...args, '--json'], {
      env: { ...ownEnvironment(), ...environment },
      cwd: directory,
    })
    return JSON.parse(stdout) as Output
  }
  const { id } = await command<{ id: string }>('company', 'create', 'Chaos')
  const { dns_records } = await command<{ dns_records: PrintedRecord[] }>(
    'domain',
    'add',
    domain,
    '--company',
    id,
  )
  await command('domain', 'activate', domain)
  const { token } = await command<{ token: string }>('key', 'create', '--company', id, '--name', 'chaos')
  return { token, keys: keysOfRecords(dns_records) }
}

/** Recipients that are not final yet, by the command line. Null when it cannot say. */
export async function queued(environment: Environment, directory: string): Promise<number | null> {
  try {
    const { stdout } = await promisify(execFile)(POSTROAD, ['queue', '--json'], {
      env: { ...ownEnvironment(), ...environment },
      cwd: directory,
      timeout: 30_000,
    })
    const lanes = JSON.parse(stdout) as { waiting: number; sending: number }[]
    return lanes.reduce((sum, { waiting, sending }) => sum + waiting + sending, 0)
  } catch {
    return null
  }
}
