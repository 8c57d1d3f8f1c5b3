/** The closed parts of paths, as they are counted, shown to people, and told to other nodes. */
import type { TroubleReport } from '../delivery/delivery.ts'
import type { ClosedPath, SiteClosure } from '../store/store.ts'
import { hasSourceOf, type PresentSources } from './present-sources.ts'
import { type ClosureNames, siteClosure } from './site-closure.ts'
import { byExtent } from './site-states.ts'
import type { Troubles } from './troubles.ts'

/** The most closures of parts of a path that are reported, such as those for single companies. */
const MAX_CLOSURES = 20

/** Number of closed paths that mail could take, by the name of the block list that their servers name. */
export function closedByList(troubles: Troubles, sources: PresentSources): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { list, closed, path } of troubles.values()) {
    if (!closed || list === null || !hasSourceOf(sources, path)) continue
    counts.set(list.name, (counts.get(list.name) ?? 0) + 1)
  }
  return counts
}

/** Number of closed paths that mail could take, by kind of trouble. */
export function closedByKind(
  troubles: Troubles,
  sources: PresentSources,
): Map<TroubleReport['kind'], number> {
  const counts = new Map<TroubleReport['kind'], number>()
  for (const { kind, closed, path } of troubles.values()) {
    if (closed && hasSourceOf(sources, path)) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  return counts
}

/** The closures of each path, by its key: those that concern most mail come first. */
export function closuresByPath(troubles: Troubles, names: ClosureNames): Map<string, SiteClosure[]> {
  const closures = new Map<string, SiteClosure[]>()
  for (const [key, trouble] of troubles) {
    if (!trouble.closed) continue
    const all = closures.get(trouble.path)
    if (all === undefined) closures.set(trouble.path, [siteClosure(key, trouble, names)])
    else if (all.length < MAX_CLOSURES || trouble.companyId === null) {
      all.push(siteClosure(key, trouble, names))
    }
  }
  for (const all of closures.values()) all.sort(byExtent)
  return closures
}

/** The paths that this node has closed itself and that concern other nodes too, by key of the trouble. */
export function* closedHere(troubles: Troubles): Generator<[key: string, closed: ClosedPath]> {
  for (const [key, trouble] of troubles) {
    const { closed, learnt, kind, message, brief, list, since, ownProbeAt: probeAt, metBy } = trouble
    // Every node checks its proxies at its start, so a closed source need not be remembered.
    if (!closed || learnt || kind === 'source') continue
    const { path, companyId, domainId, to, category } = trouble
    const facts = { path, companyId, domainId, to, metBy, kind, message, brief, list, since, probeAt }
    yield [key, category === undefined ? facts : { ...facts, category }]
  }
}
