import type { NodeBeat } from '../store/store.ts'

/** Beyond its timeout a node is given this part of it more: clocks run at slightly different rates. */
const MARGIN = 1 / 10

interface Seen {
  beats: number
  /** When it was first seen with so many beats. */
  at: number
}

/**
 * Which nodes are silent, as one observer sees it by its own monotonic clock alone. A node whose beats have not risen
 * for its timeout and a margin is silent; but only while the observer itself was looking on: after a gap in its own
 * looks (the database was away, the process was stopped) it starts afresh, for the others may not have been able to
 * beat either.
 */
export class HeartbeatWatch {
  readonly #gapMs: number
  readonly #seen = new Map<number, Seen>()
  #looked = Number.NEGATIVE_INFINITY

  /** `gapMs`: looks that lie further apart do not count as looking on. */
  constructor(gapMs: number) {
    this.#gapMs = gapMs
  }

  /**
   * To be told every look at the rows. `now` in milliseconds on a monotonic clock. Returns the nodes that are silent.
   */
  look(nodes: readonly NodeBeat[], now: number): NodeBeat[] {
    if (now - this.#looked > this.#gapMs) this.#seen.clear()
    this.#looked = now
    const there = new Set(nodes.map(({ token }) => token))
    for (const token of this.#seen.keys()) if (!there.has(token)) this.#seen.delete(token)
    return nodes.filter(({ token, beats, timeoutMs }) => {
      const seen = this.#seen.get(token)
      if (seen?.beats === beats) return now - seen.at > timeoutMs * (1 + MARGIN)
      this.#seen.set(token, { beats, at: now })
      return false
    })
  }
}
