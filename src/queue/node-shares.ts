/** The parts of a limit that the nodes that deliver keep to: together they never exceed it. */
import type { Path } from '../delivery/path/path.ts'

/** The nodes among which something is divided: their number, and the place of this one in their order, from 0. */
interface Division {
  count: number
  rank: number
}

const ALONE: Division = { count: 1, rank: 0 }

export class NodeShares {
  #all = ALONE

  /** `tokens` of all nodes that deliver, and the one of this node; null: it has none now. True: something changed. */
  set(tokens: readonly number[], own: number | null): boolean {
    const others = tokens.filter((token) => token !== own)
    const before = this.#all
    this.#all = { count: others.length + 1, rank: others.filter((token) => token < (own ?? 0)).length }
    return before.count !== this.#all.count || before.rank !== this.#all.rank
  }

  /** The number of nodes that share the limits of the path. */
  countOf(_path: Path): number {
    return this.#all.count
  }

  /**
   * This node's part of a limit in whole numbers. 0: the others have all of it. What cannot be divided goes to some
   * nodes, to others at each site.
   */
  whole(path: Path, limit: number): number {
    const { count, rank } = this.#all
    // Nothing is limited there.
    if (count === 1 || path.site.kind === 'capture' || path.site.kind === 'simulator') return limit
    const rest = limit % count
    const share = Math.floor(limit / count)
    return rest > 0 && (rank + hashOf(path.site.key)) % count < rest ? share + 1 : share
  }

  /** This node's part of a rate. */
  rate(_path: Path, rate: number): number {
    return rate / this.#all.count
  }
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}
