/** The closures of paths that nodes share, which outlive the node that has met them. */
import { serversNamed, siteKeyOf, sourceNameOf } from '../delivery/path/path.ts'
import { hasSourceOf, type PresentSources, presentSources } from '../queue/present-sources.ts'
import { type ClosedPath, type NodeBeat, SHARED_KEPT_MS, type SiteClosure } from '../store/store.ts'
import type { Operation } from './verb.ts'

type Looker = Pick<Operation, 'accounts' | 'now' | 'store'>

interface SharedClosures {
  /** The key is that of the site. */
  closures: ReadonlyMap<string, readonly SiteClosure[]>
  sources: PresentSources
}

/** A closure of a source that no node has keeps no mail waiting. */
export async function sharedClosures(op: Looker): Promise<SharedClosures> {
  const [paths, nodes] = await Promise.all([op.store.sharedPaths(), op.store.nodes()])
  const sources = sourcesInService(nodes)
  const shared = new Map<string, SiteClosure[]>()
  for (const { key, changedAt, state } of paths) {
    if (state.closed === null || op.now() - changedAt > SHARED_KEPT_MS) continue
    if (!hasSourceOf(sources, state.closed.path)) continue
    const site = siteKeyOf(state.closed.path)
    const closures = shared.get(site) ?? []
    closures.push(closureOf(op, key, state.closed))
    shared.set(site, closures)
  }
  return { closures: shared, sources }
}

/** `key`: that of the closed part of the path. */
function closureOf({ accounts }: Pick<Looker, 'accounts'>, key: string, closed: ClosedPath): SiteClosure {
  const { companyId, domainId, to, message, probeAt, path, since, kind, brief, metBy, list } = closed
  const servers = serversNamed(key.split('\0')[3] ?? '')
  const company = accounts.companies.find(({ id }) => id === companyId)
  const domain = accounts.domains.find(({ id }) => id === domainId)
  return {
    since,
    kind,
    brief,
    metBy,
    companyId,
    list,
    reason: message,
    nextTryAt: probeAt,
    company: companyId === null ? null : (company?.name ?? 'a removed company'),
    sendingDomain: domainId === null ? null : (domain?.name ?? 'a removed domain'),
    recipientDomain: to,
    source: sourceNameOf(path),
    ...(servers !== null && { servers }),
  }
}

/** The sources that the nodes which deliver have. */
export function sourcesInService(nodes: readonly NodeBeat[]): PresentSources {
  return presentSources(nodes.filter(({ roles }) => roles.includes('delivery')))
}
