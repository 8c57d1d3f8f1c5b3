import type { Webhooks } from '../events/webhooks/webhooks.ts'
import type { BounceMailbox } from '../mailbox/bounce-mailbox.ts'
import type { WithDelivery } from './delivery.ts'

/** The counts of a node that does not deliver. */
const NO_DELIVERIES = { ready: 0, inSession: 0, halted: false, closed: new Map(), blocked: new Map() }

/** Gauges of the present state of the parts, read whenever a client fetches the metrics. */
export function watchGauges(
  { metrics, membership, scheduler, store, unrecorded, sites, directory }: WithDelivery,
  webhooks: Webhooks,
  mailbox: BounceMailbox | null,
): void {
  metrics.watch({
    nodes: () => membership.nodes,
    deliveries: () => scheduler?.counts ?? NO_DELIVERIES,
    recipients: () => store.counts(Date.now()),
    unrecorded: () => unrecorded.held,
    sitesFault: () => sites.fault,
    domainsWithoutRecords: () => directory.domains().filter(({ lostSince }) => lostSince !== null).length,
    webhooks: () => webhooks.states,
    mailbox: () => mailbox?.state ?? null,
  })
}
