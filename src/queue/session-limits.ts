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
  /** Opened up altogether by the first successful delivery. */
  first: boolean
}

/**
 * How many sessions each path may have at once: this node's share of its limit, or fewer where the servers refuse that
 * many. A path whose servers report too many sessions gets half; then slowly more, until they report it again or the
 * path is back at its share.
 */
export class SessionLimits {
  /** Lowered limits by the key of the path. */
  readonly #narrowed = new Map<string, NarrowedLimit>()
  /** Policies whose first delivery was, or still is, sent alone. */
  readonly #met = new WeakSet<Policy>()
  readonly #shares: NodeShares
  readonly #now: () => number

  constructor(now: () => number = monotonic, shares = new NodeShares()) {
    this.#shares = shares
    this.#now = now
  }

  /** False while the path has all that its limits allow. */
  knows(key: string): boolean {
    return this.#narrowed.has(key)
  }

  /** 0: other nodes have all the sessions. */
  limitOf(path: Path): number {
    const share = this.#share(path)
    if (this.#narrowed.size === 0) return share
    return Math.min(share, this.#narrowed.get(path.key)?.sessions ?? share)
  }

  /** The lower limit after complaints of the servers; null: there is none. */
  loweredOf(path: Path): number | null {
    const limit = this.#narrowed.get(path.key)
    return limit === undefined || limit.first ? null : Math.min(limit.sessions, this.#share(path))
  }

  /** The lowered limits, by key of the path. */
  *lowered(): Generator<[key: string, sessions: number]> {
    for (const [key, { sessions, first }] of this.#narrowed) if (!first) yield [key, sessions]
  }

  /** Another node, or this one before its last start, has lowered the limit of the path. */
  learn(key: string, sessions: number): void {
    const known = this.#narrowed.get(key)
    if (known !== undefined && (known.first || known.sessions <= sessions)) return
    this.#narrowed.set(key, { sessions, changedAt: this.#now(), first: false })
  }

  /** No node has a lowered limit of the path any more. */
  forget(key: string): void {
    if (this.#narrowed.get(key)?.first === false) this.#narrowed.delete(key)
  }

  /** Must be called with each path before a delivery takes it. */
  meet({ key, policy }: Path): void {
    if (!policy.firstAlone || this.#met.has(policy)) return
    this.#met.add(policy)
    this.#narrowed.set(key, { sessions: 1, changedAt: this.#now(), first: true })
  }

  /**
   * The servers answered a delivery that there are too many sessions. It began at `begunAt` (monotonic) beside `open`
   * sessions, itself included. False when it was alone already.
   */
  tooMany({ key }: Path, open: number, begunAt: number): boolean {
    const limit = this.#narrowed.get(key)
    // The delivery began before the last change, so it shows nothing about that.
    if (limit !== undefined && begunAt < limit.changedAt) return true
    const before = Math.min(limit?.sessions ?? open, open)
    const sessions = Math.max(1, Math.floor(before / 2))
    this.#narrowed.delete(key)
    this.#narrowed.set(key, { sessions, changedAt: this.#now(), first: false })
    if (this.#narrowed.size > MAX_PATHS) this.#narrowed.delete(this.#narrowed.keys().next().value!)
    return before > 1
  }

  /** A delivery has succeeded. */
  well(path: Path): void {
    if (this.#narrowed.size === 0) return
    const limit = this.#narrowed.get(path.key)
    if (limit === undefined) return
    const now = this.#now()
    if (!limit.first && now - limit.changedAt < GROW_MS) return
    const most = this.#share(path)
    const sessions = limit.first ? most : limit.sessions + Math.ceil(limit.sessions / 2)
    if (sessions >= most) this.#narrowed.delete(path.key)
    else this.#narrowed.set(path.key, { sessions, changedAt: now, first: false })
  }

  #share(path: Path): number {
    return this.#shares.whole(path, path.limits.sessions)
  }
}
