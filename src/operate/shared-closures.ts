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

export async function sharedClosures(op: Looker): Promise<SharedClosures> {
  const { closed, sources } = await sharedClosedPaths(op)
  const closures = new Map<string, SiteClosure[]>()
  for (const { key, path } of closed) {
    const site = siteKeyOf(path.path)
    const there = closures.get(site) ?? []
    there.push(closureOf(op, key, path))
    closures.set(site, there)
  }
  return { closures, sources }
}

interface SharedClosedPaths {
  /** `key`: that of the closed part of the path. */
  closed: { key: string; path: ClosedPath }[]
  sources: PresentSources
}

/**
 * A closure of a source that no node has keeps no mail waiting, and neither does one that no node has confirmed for
 * long.
 */
export async function sharedClosedPaths({
  store,
  now,
}: Omit<Looker, 'accounts'>): Promise<SharedClosedPaths> {
  const [paths, nodes] = await Promise.all([store.sharedPaths(), store.nodes()])
  const sources = sourcesInService(nodes)
  const closed = paths.flatMap(({ key, changedAt, state: { closed: path } }) => {
    const holds = path !== null && now() - changedAt <= SHARED_KEPT_MS && hasSourceOf(sources, path.path)
    return holds ? [{ key, path }] : []
  })
  return { closed, sources }
}

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
