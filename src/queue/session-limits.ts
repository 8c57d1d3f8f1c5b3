import { monotonic } from '../common/clock.ts'
import type { Path, Policy } from '../delivery/path/path.ts'
import { NodeShares } from './node-shares.ts'

/** A lowered limit of a path rises by half each time that this many ms pass without a refusal. */
const GROW_MS = 20_000
/**
 * Paths remembered at most: any zone can have a site for each name in it. The path that was narrowed longest ago is
 * forgotten.
 */
const MAX_PATHS = 10_000

interface NarrowedLimit {
  sessions: number
  /** Time of the last change, on the monotonic clock. */
  changedAt: number
}

/**
 * How many sessions each path may have at once: this node's share of its limit, or fewer where the servers refuse that
 * many. A path whose servers report too many sessions gets half; then slowly more, until they report it again or the
 * path is back at its share.
 */
export class SessionLimits {
  /** Lowered limits by the key of the path. */
  readonly #narrowed = new Map<string, NarrowedLimit>()
  /** Keys of paths whose limit is no longer lowered, until `takeReleased`. */
  readonly #released = new Set<string>()
  /** Keys of paths on which one delivery has to succeed before a second session is opened. */
  readonly #firstAlone = new Set<string>()
  /** Policies whose first delivery was, or still is, sent alone. */
  readonly #met = new WeakSet<Policy>()
  readonly #shares: NodeShares
  readonly #now: () => number

  constructor(now: () => number = monotonic, shares = new NodeShares()) {
    this.#shares = shares
    this.#now = now
  }

  /** True while the limit of the path is lowered, or its first delivery has not succeeded yet. */
  knows(key: string): boolean {
    return this.#narrowed.has(key) || this.#firstAlone.has(key)
  }

  /** 0: other nodes have all the sessions. */
  limitOf(path: Path): number {
    const share = this.#share(path)
    if (this.#firstAlone.has(path.key)) return Math.min(share, 1)
    if (this.#narrowed.size === 0) return share
    return Math.min(share, this.#narrowed.get(path.key)?.sessions ?? share)
  }

  /** The limit that was lowered because the servers complained; null: there is none. */
  loweredOf(path: Path): number | null {
    const limit = this.#narrowed.get(path.key)
    return limit === undefined ? null : Math.min(limit.sessions, this.#share(path))
  }

  /** The lowered limits, by key of the path. */
  *lowered(): Generator<[key: string, sessions: number]> {
    for (const [key, { sessions }] of this.#narrowed) yield [key, sessions]
  }

  /** The keys of paths whose limit has risen to all that is allowed, since the last call. */
  takeReleased(): string[] {
    const released = [...this.#released]
    this.#released.clear()
    return released
  }

  /** The limit that other nodes, or this one before its last start, have given the path; null: none. */
  learn(key: string, sessions: number | null): void {
    this.#released.delete(key)
    if (sessions === null) this.#narrowed.delete(key)
    else this.#narrowed.set(key, { sessions, changedAt: this.#now() })
  }

  /** Must be called with each path before a delivery takes it. */
  meet({ key, policy }: Path): void {
    if (!policy.firstAlone || this.#met.has(policy)) return
    this.#met.add(policy)
    this.#firstAlone.add(key)
    if (this.#firstAlone.size > MAX_PATHS) this.#firstAlone.delete(this.#firstAlone.keys().next().value!)
  }

  /**
   * The servers replied that there are too many sessions to a delivery that began at `begunAt` (monotonic). `open`:
   * the sessions that were busy with it, this one included. False when no fewer sessions are possible.
   */
  tooMany({ key }: Path, open: number, begunAt: number): boolean {
    this.#firstAlone.delete(key)
    const limit = this.#narrowed.get(key)
    // The delivery began before the last change, so it shows nothing about that.
    if (limit !== undefined && begunAt < limit.changedAt) return true
    const before = Math.min(limit?.sessions ?? open, open)
    const sessions = Math.max(1, Math.floor(before / 2))
    this.#released.delete(key)
    this.#narrowed.delete(key)
    this.#narrowed.set(key, { sessions, changedAt: this.#now() })
    if (this.#narrowed.size > MAX_PATHS) this.#narrowed.delete(this.#narrowed.keys().next().value!)
    return before > 1
  }

  /** A delivery has succeeded. */
  well(path: Path): void {
    this.#firstAlone.delete(path.key)
    if (this.#narrowed.size === 0) return
    const limit = this.#narrowed.get(path.key)
    if (limit === undefined) return
    const now = this.#now()
    if (now - limit.changedAt < GROW_MS) return
    const sessions = limit.sessions + Math.ceil(limit.sessions / 2)
    if (sessions < this.#share(path)) this.#narrowed.set(path.key, { sessions, changedAt: now })
    else {
      this.#narrowed.delete(path.key)
      this.#released.add(path.key)
    }
  }

  #share(path: Path): number {
    return this.#shares.whole(path, path.limits.sessions)
  }
}
