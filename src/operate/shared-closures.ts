/** The closures of paths that nodes share, which outlive the node that has met them. */
import { siteKeyOf, sourceNameOf } from '../delivery/path/path.ts'
import { hasSourceOf, type PresentSources, presentSources } from '../queue/present-sources.ts'
import { type ClosureNames, siteClosure } from '../queue/site-closure.ts'
import { type ClosedPath, type NodeBeat, SHARED_KEPT_MS, type SiteClosure } from '../store/store.ts'
import type { Operation } from './verb.ts'

type OperationParts = Pick<Operation, 'accounts' | 'now' | 'store'>

interface SharedClosures {
  /** The key is that of the site. */
  closures: ReadonlyMap<string, readonly SiteClosure[]>
  sources: PresentSources
}

export async function sharedClosures(op: OperationParts): Promise<SharedClosures> {
  const { closed, sources } = await sharedClosedPaths(op)
  const names = namesIn(op.accounts)
  const closures = new Map<string, SiteClosure[]>()
  for (const { key, path } of closed) {
    const site = siteKeyOf(path.path)
    const there = closures.get(site) ?? []
    there.push({ ...siteClosure(key, path, names), source: sourceNameOf(path.path) })
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
}: Omit<OperationParts, 'accounts'>): Promise<SharedClosedPaths> {
  const [paths, nodes] = await Promise.all([store.sharedPaths(), store.nodes()])
  const sources = sourcesInService(nodes)
  const closed = paths.flatMap(({ key, changedAt, state: { closed: path } }) => {
    const holds = path !== null && now() - changedAt <= SHARED_KEPT_MS && hasSourceOf(sources, path.path)
    return holds ? [{ key, path }] : []
  })
  return { closed, sources }
}

function namesIn({ companies, domains }: OperationParts['accounts']): ClosureNames {
  return {
    companyName: (company) => companies.find(({ id }) => id === company)?.name ?? 'a removed company',
    domainName: (domain) => domains.find(({ id }) => id === domain)?.name ?? 'a removed domain',
  }
}

/** The sources that the nodes which deliver have. */
export function sourcesInService(nodes: readonly NodeBeat[]): PresentSources {
  return presentSources(nodes.filter(({ roles }) => roles.includes('delivery')))
}
