/** Postroad itself, as a system under comparison. */

import { currentCommit } from '../../harness/results.ts'
import { USUAL_SHAPE } from '../message.ts'
import { listed } from '../report.ts'
import { processCpu } from '../service/process-usage.ts'
import { startServiceProcess } from '../service/service-process.ts'
import { type RunningSystem, SENDING_DOMAIN, type SystemPlace } from './system.ts'

export async function startPostroad(
  { parent, cpus, sinkPort }: SystemPlace,
  settings: Record<string, string>,
): Promise<RunningSystem> {
  const relay = `smtp://127.0.0.1:${sinkPort}?tls=off`
  const service = await startServiceProcess({
    parent,
    cpus,
    nodes: 0,
    settings: { POSTROAD_DELIVERY: relay, ...settings },
  })
  const { port, token, from, tenant, pids } = service
  if (tenant.domain !== SENDING_DOMAIN) throw new Error(`the service's domain is ${tenant.domain}`)
  return {
    name: 'postroad',
    version: `Postroad ${currentCommit()}`,
    setup: [
      'messages by HTTP (JSON)',
      'SQLite, synchronous=FULL',
      listed(settings).join(', ') || 'its defaults',
    ].join('; '),
    port,
    target: { protocol: 'http', host: `127.0.0.1:${port}`, token, from, shape: USUAL_SHAPE },
    keys: tenant.keys,
    cpu: () => pids.reduce((sum, pid) => sum + processCpu(pid), 0),
    stop: service.stop,
  }
}
