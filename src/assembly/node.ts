import { NodeMembership } from '../cluster/membership.ts'
import { nameNode } from '../cluster/node-name.ts'
import { SendingRight } from '../cluster/sending-right.ts'
import { UnrecordedMessages } from '../cluster/unrecorded-messages.ts'
import { SitesFile } from '../delivery/sites/sites-file.ts'
import type { WithStore } from './data.ts'
import type { Start } from './start.ts'

export type WithNode = WithStore & Awaited<ReturnType<typeof joinNodes>> & { sites: SitesFile }

/** This node among those that share the database. */
export async function joinNodes({ settings, store, log, metrics, started, unlessStopped }: WithStore) {
  const { nodeName, nodeDirectory, roles, nodeTimeout, database } = settings
  const place = database.engine === 'postgres' ? { directory: nodeDirectory, database: database.url } : null
  const { name, claim } = nameNode(nodeName, place)
  const node = { name, roles, timeoutMs: nodeTimeout, since: Date.now() }
  const right = new SendingRight()
  const unrecorded = new UnrecordedMessages(
    UnrecordedMessages.shared(settings.maxUnrecorded, settings.deliveryThreads),
  )
  const membership = new NodeMembership({ store, node, claim, right, metrics, log })
  started.defer(() => membership.leave())
  await unlessStopped(membership.start())
  return {
    nodeName: name,
    membership,
    right,
    unrecorded,
    token: () => membership.lease?.token ?? null,
  }
}

export function openSites({ settings, log, started }: Start): SitesFile {
  const sites = new SitesFile(settings, log)
  started.defer(() => sites.close())
  return sites
}
