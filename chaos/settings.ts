/** The settings of the service under test. */
import { fileURLToPath } from 'node:url'
import type { Settings } from '../harness/service/installation.ts'

/**
 * Short waits, so that a message that is deferred again and again is seen to the end. The long ones at the end are not reached: they make
 * the schedule last longer than any run, and shorter than the longest step of a clock.
 */
const RETRY_SCHEDULE = `1s,1s,2s,2s,3s,3s,${Array.from({ length: 90 }, () => '5s').join()},20m,20m,20m`

/** Where events say that messages are kept: the same on every node. */
export const PUBLIC_URL = 'http://chaos.test'

export function settingsFor(databaseUrl: string, sink: { port: number; dns: string }): Settings {
  return {
    POSTROAD_DATABASE_URL: databaseUrl,
    POSTROAD_SUBMISSION_LISTEN: 'smtp://127.0.0.1:0',
    POSTROAD_BOUNCE_LISTEN: 'smtp://127.0.0.1:0',
    POSTROAD_BOUNCE_HOST: 'back.chaos.test',
    POSTROAD_DELIVERY: 'direct',
    POSTROAD_PUBLIC_URL: PUBLIC_URL,
    POSTROAD_HOSTNAME: 'out.chaos.test',
    POSTROAD_DNS_SERVERS: sink.dns,
    POSTROAD_SMTP_PORT: String(sink.port),
    POSTROAD_ALLOW_PRIVATE_NETWORKS: 'true',
    POSTROAD_RETRY_SCHEDULE: RETRY_SCHEDULE,
    POSTROAD_DELIVERY_THREADS: '2',
    POSTROAD_SITES: fileURLToPath(new URL('./sites.toml', import.meta.url)),
    POSTROAD_SHUTDOWN_TIMEOUT: '10s',
    // Nodes that share a database share it.
    POSTROAD_SECRET_KEY: '5f'.repeat(32),
  }
}
