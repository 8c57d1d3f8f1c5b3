/** Followers of the log of events that run on every node. */
import { digestFollower } from '../events/digest.ts'
import { WEBHOOK_SCHEDULE } from '../events/webhooks/schedule.ts'
import { Webhooks } from '../events/webhooks/webhooks.ts'
import { webhooksReachLoopback } from '../operate/webhook-url.ts'
import { version } from '../version.ts'
import type { WithDelivery } from './delivery.ts'
import type { WithNode } from './node.ts'
import { rareWarning } from './start.ts'

export function startDigest({ store, token, log, started }: WithNode): void {
  const onFault = rareWarning(log, 'Could not update the index for searches and counts; retrying')
  const digest = digestFollower({ store, token, onFault })
  started.defer(() => digest.stop())
  digest.start()
}

export function createWebhooks({
  settings,
  store,
  seal,
  token,
  apiUrl,
  metrics,
  log,
  started,
}: WithDelivery) {
  const { database, dnsServers, dnsValidating, allowPrivateNetworks } = settings
  const userAgent = `Postroad/${version()}`
  const thread = {
    database,
    dnsServers,
    dnsValidating,
    allowPrivateNetworks,
    allowLoopback: webhooksReachLoopback(settings),
    schedule: WEBHOOK_SCHEDULE,
    userAgent,
  }
  const webhooks = new Webhooks({ store, seal, token, base: apiUrl, thread, metrics, log })
  started.defer(() => webhooks.stop())
  return webhooks
}
