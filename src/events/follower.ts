/** Following the log durably: under a name, with a cursor in the store, on one node at a time. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FollowerStore } from '../store/store.ts'

/** Ms between two looks: for whether the node that follows is gone, and after a fault. */
const TAKE_MS = 2_000
const FAULT_MS = 1_000
/**
 * Ms between two looks for what has come: where little comes, longer for each event of the last step, and at most. A
 * step of thousands costs a third as much an event as one of hundreds.
 */
const PAUSE_MS = 500
const PAUSE_MS_AN_EVENT = 0.5
const LONGEST_PAUSE_MS = 2_000

/** What a node holds of a follower. */
export interface Hold {
  name: string
  /** Of the node. */
  token: number
  /** Everything up to this number is dealt with. */
  cursor: number
}

export interface Progress {
  /** The same as before when nothing has come. */
  cursor: number
  /**
   * There is more by now: it goes on when it has rested for as long as the step took, so that catching up leaves room
   * for others. Otherwise what comes is left to gather, as many small steps cost more.
   */
  more: boolean
}

export interface FollowerParts {
  store: Pick<FollowerStore, 'takeFollower'>
  name: string
  /** Where it begins when nobody has followed under this name before; 0: with the first event. */
  start: number
  /** The token of this node; null while it has none. */
  token: () => number | null
  /**
   * Deals with the next events. What comes of them and the cursor are to be written in one commit, which fails when the
   * follower is no longer this node's (`advanceFollower` says so): null then.
   */
  step: (hold: Hold) => Promise<Progress | null>
  /** A step failed; it is tried again. */
  onFault: (error: unknown) => void
}

/**
 * Steps through the log for as long as it runs and the follower is this node's. Each step is dealt with once, however
 * often nodes end or lose each other: the cursor moves in its commit.
 */
export class Follower {
  readonly #parts: FollowerParts
  readonly #ending = new AbortController()
  #running: Promise<void> | null = null

  constructor(parts: FollowerParts) {
    this.#parts = parts
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** A step under way is finished. */
  async stop(): Promise<void> {
    this.#ending.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    let hold: Hold | null = null
    while (!this.#ending.signal.aborted) {
      try {
        hold ??= await this.#take()
        if (hold === null) {
          await this.#pause(TAKE_MS)
          continue
        }
        const begun = performance.now()
        const { cursor } = hold
        const progress: Progress | null = await this.#parts.step(hold)
        hold = progress === null ? null : { ...hold, cursor: progress.cursor }
        if (progress === null) continue
        const { more } = progress
        await this.#pause(more ? performance.now() - begun : gatheringMs(progress.cursor - cursor))
      } catch (error) {
        this.#parts.onFault(error)
        // It may be that the step was committed all the same.
        hold = null
        await this.#pause(FAULT_MS)
      }
    }
  }

  async #take(): Promise<Hold | null> {
    const { store, name, start } = this.#parts
    const token = this.#parts.token()
    if (token === null) return null
    const cursor = await store.takeFollower(name, token, start)
    return cursor === null ? null : { name, token, cursor }
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#ending.signal, ref: false }).catch(() => {})
  }
}

function gatheringMs(events: number): number {
  return Math.min(PAUSE_MS + events * PAUSE_MS_AN_EVENT, LONGEST_PAUSE_MS)
}
