import type { NodeBeat } from '../store/store.ts'

/** A node's timeout is extended by this part of it, because clocks run at slightly different rates. */
const MARGIN = 1 / 10

interface ObservedBeats {
  beats: number
  /** When this count of beats was first seen. */
  at: number
}

/**
 * Finds silent nodes, as one observer sees them by its own monotonic clock alone. A node is silent when its beats have
 * not risen for its timeout and a margin, and the observer itself has been looking all that time: after a gap between
 * two looks (the database was unreachable, or the process was stopped) it starts afresh, because the other nodes may
 * not have been able to beat either.
 */
export class HeartbeatWatch {
  readonly #gapMs: number
  readonly #seen = new Map<number, ObservedBeats>()
  #looked = Number.NEGATIVE_INFINITY

  /** `gapMs`: a longer gap between two looks makes the observer start afresh. */
  constructor(gapMs: number) {
    this.#gapMs = gapMs
  }

  /**
   * Must be called with every reading of the rows. `now` in milliseconds on a monotonic clock. Returns the silent
   * nodes.
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
