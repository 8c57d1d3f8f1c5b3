/** Follows the log durably: under a name, with a cursor in the store, on one node at a time. */
import type { FollowerStore } from '../store/store.ts'
import { LogReader } from './log-reader.ts'

/** Ms between two attempts to take over. A node that is gone keeps its followers until its loss is noticed. */
const TAKE_MS = 2_000
/**
 * Ms between two readings: the base, the addition for each event of the last step, and the maximum. Longer than for
 * other readers of the log, because a step of thousands costs a third as much per event as one of hundreds.
 */
const PAUSE_MS = 500
const PAUSE_MS_AN_EVENT = 0.5
const LONGEST_PAUSE_MS = 2_000

/** A node's hold on a follower. */
export interface Hold {
  name: string
  /** The token of the node. */
  token: number
  /** Every event up to this number has been processed. */
  cursor: number
}

export interface FollowerProgress {
  /** Unchanged when there were no new events. */
  cursor: number
  /**
   * Whether there are more events already. Then the follower rests as long as the step took, so that catching up leaves
   * room for other work. Otherwise it lets events gather, because many small steps cost more.
   */
  more: boolean
}

export interface FollowerParts {
  store: Pick<FollowerStore, 'takeFollower'>
  name: string
  /** Where to begin if nobody has followed under this name before; 0: with the first event. */
  start: number
  /** The token of this node; null while it has none. */
  token: () => number | null
  /**
   * Processes the next events. The step has to write its results and the cursor in one commit, which fails when the
   * follower no longer belongs to this node (`advanceFollower` reports that). Returns null after such a failure.
   */
  step: (hold: Hold) => Promise<FollowerProgress | null>
  /** A step failed, and will be tried again. */
  onFault: (error: unknown) => void
}

/**
 * Steps through the log while it runs and this node holds the follower. Each event is processed once, even if nodes
 * crash or are partitioned, because the cursor moves in the step's own commit.
 */
export class Follower {
  readonly #parts: FollowerParts
  readonly #ending = new AbortController()
  readonly #reader: LogReader
  #hold: Hold | null = null
  #running: Promise<void> | null = null

  constructor(parts: FollowerParts) {
    this.#parts = parts
    this.#reader = new LogReader({
      read: () => this.#step(),
      onFault: (error) => {
        // The step may have been committed in spite of the error.
        this.#hold = null
        parts.onFault(error)
      },
      signal: this.#ending.signal,
      ref: false,
    })
  }

  start(): void {
    this.#running ??= this.#reader.run()
  }

  /** Waits for the step under way. */
  async stop(): Promise<void> {
    this.#ending.abort()
    await this.#running
  }

  async #step(): Promise<number> {
    this.#hold ??= await this.#take()
    const hold = this.#hold
    if (hold === null) return TAKE_MS
    const begun = performance.now()
    const progress = await this.#parts.step(hold)
    this.#hold = progress && { ...hold, cursor: progress.cursor }
    if (progress === null) return 0
    return progress.more ? performance.now() - begun : gatheringMs(progress.cursor - hold.cursor)
  }

  async #take(): Promise<Hold | null> {
    const { store, name, start } = this.#parts
    const token = this.#parts.token()
    if (token === null) return null
    const cursor = await store.takeFollower(name, token, start)
    return cursor === null ? null : { name, token, cursor }
  }
}

function gatheringMs(events: number): number {
  return Math.min(PAUSE_MS + events * PAUSE_MS_AN_EVENT, LONGEST_PAUSE_MS)
}
