/** The sources that the nodes in service have: a path from any other one keeps no mail waiting. */
import { sourceNameOf } from '../delivery/path/path.ts'
import { GENERAL_SOURCE } from '../delivery/path/source-choice.ts'
import type { NodeBeat } from '../store/store.ts'

/** Names of sources; null: not known. */
export type PresentSources = ReadonlySet<string> | null

/** `delivering`: the nodes that deliver. */
export function presentSources(delivering: readonly Pick<NodeBeat, 'sources'>[]): PresentSources {
  if (delivering.length === 0 || delivering.some(({ sources }) => sources === undefined)) return null
  return new Set(delivering.flatMap(({ sources }) => sources ?? []))
}

export function hasSource(sources: PresentSources, name: string): boolean {
  return name === GENERAL_SOURCE || sources === null || sources.has(name)
}

export function hasSourceOf(sources: PresentSources, pathKey: string): boolean {
  return hasSource(sources, sourceNameOf(pathKey))
}
