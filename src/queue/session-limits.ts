import { monotonic } from '../common/clock.ts'
import type { Path, Policy } from '../delivery/path/path.ts'

/** What a site has refused it is asked for again, a little more each time, after so long (ms) without a refusal. */
const GROW_MS = 20_000
/**
 * Paths remembered at most: any zone can have a site for each name in it. The one that complained longest ago is
 * forgotten.
 */
const MAX_PATHS = 10_000

interface Narrowed {
  sessions: number
  /** When it last changed; on the monotonic clock. */
  changedAt: number
  /** Opened up altogether by the first delivery that goes well. */
  first: boolean
}

/**
 * How many sessions each path may have at once: this node's share of its limit, or fewer where the servers do not let
 * us have so many. One that says that we are too many gets half; then slowly more, until it says so again or has what
 * everybody has.
 */
export class SessionLimits {
  /** By key of the path. */
  readonly #narrowed = new Map<string, Narrowed>()
  /** Those whose first delivery is, or was, alone. */
  readonly #met = new WeakSet<Policy>()
  #nodes = 1
  readonly #now: () => number

  constructor(now: () => number = monotonic) {
    this.#now = now
  }

  /** Nodes that deliver: a path has one limit, whoever of them uses it. */
  set nodes(count: number) {
    this.#nodes = count
  }

  of(path: Path): number {
    const share = this.#share(path)
    if (this.#narrowed.size === 0) return share
    return Math.min(share, this.#narrowed.get(path.key)?.sessions ?? share)
  }

  /** To be told of each path before a delivery takes it. */
  meet({ key, policy }: Path): void {
    if (!policy.firstAlone || this.#met.has(policy)) return
    this.#met.add(policy)
    this.#narrowed.set(key, { sessions: 1, changedAt: this.#now(), first: true })
  }

  /**
   * We are too many there, says the answer to a delivery that began at `begunAt` (monotonic) beside `open` sessions,
   * itself included. False when it was alone already.
   */
  tooMany({ key }: Path, open: number, begunAt: number): boolean {
    const known = this.#narrowed.get(key)
    // It began before the last change, and tells nothing about it.
    if (known !== undefined && begunAt < known.changedAt) return true
    const before = Math.min(known?.sessions ?? open, open)
    const sessions = Math.max(1, Math.floor(before / 2))
    this.#narrowed.delete(key)
    this.#narrowed.set(key, { sessions, changedAt: this.#now(), first: false })
    if (this.#narrowed.size > MAX_PATHS) this.#narrowed.delete(this.#narrowed.keys().next().value!)
    return before > 1
  }

  /** A delivery has gone well. */
  well(path: Path): void {
    if (this.#narrowed.size === 0) return
    const known = this.#narrowed.get(path.key)
    if (known === undefined) return
    const now = this.#now()
    if (!known.first && now - known.changedAt < GROW_MS) return
    const most = this.#share(path)
    const sessions = known.first ? most : known.sessions + Math.ceil(known.sessions / 2)
    if (sessions >= most) this.#narrowed.delete(path.key)
    else this.#narrowed.set(path.key, { sessions, changedAt: now, first: false })
  }

  #share({ limits }: Path): number {
    return this.#nodes === 1 ? limits.sessions : Math.ceil(limits.sessions / this.#nodes)
  }
}
