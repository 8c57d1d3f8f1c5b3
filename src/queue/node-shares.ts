/** The parts of a limit that the nodes that deliver keep to: together they never exceed it. */
import type { Path } from '../delivery/path/path.ts'
import type { NodeBeat } from '../store/store.ts'

export type DeliveryNode = Pick<NodeBeat, 'token' | 'sources'>

/** The nodes among which something is divided: their number, and the place of this one in their order, from 0. */
interface Division {
  count: number
  rank: number
}

/** Limits hold for each source, so only the nodes that have the source share them. */
export class NodeShares {
  #others: readonly DeliveryNode[] = []
  #own = 0
  /** How the nodes divide each source's limits, by the name of the source. */
  readonly #divisions = new Map<string, Division>()

  /**
   * All nodes that deliver, and the token of this one; null: it has none now. Returns whether something has changed.
   */
  set(nodes: readonly DeliveryNode[], own: number | null): boolean {
    const before = JSON.stringify([this.#others, this.#own])
    this.#others = nodes
      .filter(({ token }) => token !== own)
      .map(({ token, sources }) => ({ token, ...(sources && { sources }) }))
    this.#own = own ?? 0
    this.#divisions.clear()
    return JSON.stringify([this.#others, this.#own]) !== before
  }

  /** The number of nodes that share the limits of the path. */
  countOf(path: Path): number {
    return this.#among(path).count
  }

  /**
   * This node's part of a limit in whole numbers. 0: the others have all of it. Some nodes get the remainder, different
   * ones at each site.
   */
  whole(path: Path, limit: number): number {
    // Nothing is limited there.
    if (this.#others.length === 0 || path.site.kind === 'capture' || path.site.kind === 'simulator') {
      return limit
    }
    const { count, rank } = this.#among(path)
    const rest = limit % count
    const share = Math.floor(limit / count)
    return rest > 0 && (rank + hashOf(path.site.key)) % count < rest ? share + 1 : share
  }

  /** This node's part of a rate. */
  rate(path: Path, rate: number): number {
    return rate / this.#among(path).count
  }

  #among({ source }: Path): Division {
    let division = this.#divisions.get(source.name)
    if (division === undefined) {
      // Where the system chooses the address, each node may send.
      const others = this.#others.filter(({ sources }) => {
        return source.addresses === undefined || sources === undefined || sources.includes(source.name)
      })
      const rank = others.filter(({ token }) => token < this.#own).length
      division = { count: others.length + 1, rank }
      this.#divisions.set(source.name, division)
    }
    return division
  }
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}
