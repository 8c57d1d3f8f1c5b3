import { LRUCache } from 'lru-cache'
import { monotonic } from '../common/clock.ts'
import type { Path } from '../delivery/path/path.ts'
import { Rate } from './rate.ts'
import { RecentCount } from './recent-count.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
/** A lowered rate may rise each time that this many milliseconds pass without a refusal. */
const RISE_MS = MINUTE_MS
/** Without a limit of the site, a lowered rate that has risen to this many messages a minute is removed. */
const NO_LIMIT = 6_000
/** The fewest milliseconds over which a rate is measured. */
const SHORTEST_MEASURE_MS = 5_000
/** The longest pause of a path, in milliseconds, that a server can ask for. */
const LONGEST_PAUSE_MS = 15 * MINUTE_MS
/** Paths that become free within this time are reported together. */
const TOGETHER_MS = 20
/** Paths whose messages are counted; the path used longest ago is forgotten. */
const MAX_PATHS = 10_000
/**
 * Paths, and parts of paths for one company, whose accepted messages are counted; the one used longest ago is
 * forgotten.
 */
const MAX_COUNTED = 20_000

/** A path without messages is known for this many milliseconds after its last one. */
const KNOWN_MS = 24 * HOUR_MS
/** The most paths that are reported although they had no message within the hour: those used last. */
const MAX_IDLE = 200

/** The pause that is granted to a server that asks for `asked` milliseconds. */
export function pauseFor(asked: number): number {
  return Math.min(asked, LONGEST_PAUSE_MS)
}

interface PathPace {
  /** The newest one with this key. */
  path: Path
  readonly ofMinute: Rate
  readonly ofHour: Rate
  readonly begunInMinute: RecentCount
  readonly begunInHour: RecentCount
  /** Messages a minute that the server seems to take; null: as many as the site's limits allow. */
  lowered: { rate: number; changedAt: number } | null
  pausedAt: number
  pausedUntil: number
  /** The last message: on the clock of this class, and in Unix ms; null: there was none. */
  last: { begunAt: number; at: number } | null
}

interface AcceptedMessages {
  readonly inMinute: RecentCount
  /** From then on messages have been accepted without a pause of a minute. */
  since: number
}

export interface RecentMessages {
  minute: number
  hour: number
}

export interface PacedPath {
  path: Path
  recent: RecentMessages
  /** Unix ms; null: none is known. */
  lastMessageAt: number | null
  /** Messages a minute, after complaints of the servers; null: as many as the limits allow. */
  lowered: number | null
  /** The pause that the servers asked for: milliseconds that have passed and that are left; null: there is no pause. */
  pause: { lasted: number; left: number } | null
}

/**
 * Decides when each path takes its next message. This node keeps to its share of the site's rates, to the rate at which
 * the servers accepted mail when they complained, and to the pause that they asked for.
 */
export class Pacing {
  readonly #paces = new LRUCache<string, PathPace>({ max: MAX_PATHS })
  /** By key of the path, or of a company's part of it. */
  readonly #accepted = new LRUCache<string, AcceptedMessages>({ max: MAX_COUNTED })
  readonly #free: (paths: readonly string[]) => void
  readonly #now: () => number
  #nodes = 1
  /** Rates learnt from other nodes, for paths that have had no mail here since. */
  readonly #learnt = new Map<string, number>()
  /** Paths for which mail waits, by key, and the time at which each is free. */
  readonly #waited = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined
  #timerAt = Number.POSITIVE_INFINITY

  /**
   * `free` is called with the keys of paths that may take messages again, once after each `takesMore` that returned
   * false.
   */
  constructor(free: (paths: readonly string[]) => void, now: () => number = monotonic) {
    this.#free = free
    this.#now = now
  }

  /** The number of nodes that deliver. They share the one limit of a site. */
  set nodes(count: number) {
    this.#nodes = count
  }

  /** Whether messages are paced on the path, or a lowered rate is known from another node. */
  knows(key: string): boolean {
    return this.#paces.has(key) || this.#learnt.has(key)
  }

  takesMore(path: Path): boolean {
    const wait = this.#wait(path)
    if (wait === 0) return true
    this.#waitFor(path.key, wait)
    return false
  }

  begun(path: Path): void {
    const now = this.#now()
    const pace = this.#pace(path)
    pace.path = path
    const { ofMinute, ofHour } = this.#limits(path, pace)
    if (ofMinute !== null) pace.ofMinute.begin(ofMinute, now)
    if (ofHour !== null) pace.ofHour.begin(ofHour, now)
    pace.begunInMinute.add(now)
    pace.begunInHour.add(now)
    pace.last = { begunAt: now, at: Date.now() }
  }

  /** The lowered rates, by key of the path. */
  *lowered(): Generator<[key: string, messagesPerMinute: number]> {
    for (const [key, { lowered }] of this.#paces.entries()) if (lowered !== null) yield [key, lowered.rate]
  }

  /** The lowered rate, in messages a minute; null: there is none. */
  loweredOf(key: string): number | null {
    return this.#paces.peek(key)?.lowered?.rate ?? this.#learnt.get(key) ?? null
  }

  /** Another node, or this one before its last start, has lowered the rate of the path. */
  learn(key: string, rate: number): void {
    const pace = this.#paces.get(key)
    if (pace === undefined) {
      if (this.#learnt.size < MAX_PATHS) this.#learnt.set(key, rate)
    } else if (pace.lowered === null || pace.lowered.rate > rate) {
      pace.lowered = { rate, changedAt: this.#now() }
    }
  }

  /** No node has a lowered rate of the path any more. */
  forget(key: string): void {
    this.#learnt.delete(key)
    const pace = this.#paces.peek(key)
    if (pace !== undefined) pace.lowered = null
  }

  /**
   * A message was accepted: lowered rates may rise. `part`: the path's part for one company, whose messages are counted
   * too.
   */
  accepted(path: Path, part?: Path): void {
    const now = this.#now()
    for (const each of part === undefined ? [path] : [part, path]) {
      this.#count(each.key, now)
      this.#rise(each, now)
    }
  }

  #count(key: string, now: number): void {
    const accepted = this.#accepted.get(key) ?? { inMinute: new RecentCount(60, 1_000), since: now }
    if (accepted.inMinute.total(now) === 0) accepted.since = now
    accepted.inMinute.add(now)
    this.#accepted.set(key, accepted)
  }

  #rise({ key, limits }: Path, now: number): void {
    const pace = this.#paces.get(key)
    if (pace === undefined || pace.lowered === null || now - pace.lowered.changedAt < RISE_MS) return
    const rate = pace.lowered.rate + Math.max(1, Math.floor(pace.lowered.rate / 4))
    pace.lowered =
      rate >= (this.#share(limits.messagesPerMinute) ?? NO_LIMIT) ? null : { rate, changedAt: now }
  }

  /**
   * The servers answered a delivery, which began at `begunAt` (monotonic), that there are too many messages: the first
   * time, the rate becomes three quarters of that at which they accepted messages; each further time, it is halved.
   * `whole`: if `path` is the part of a path for one company, the whole path; then only messages of that company count.
   * False when the rate cannot be lowered any more.
   */
  tooMany(path: Path, begunAt: number, whole: Path = path): boolean {
    const now = this.#now()
    const pace = this.#pace(path)
    // The delivery began before the last change of the rate, so it shows nothing about the new rate.
    if (pace.lowered !== null && begunAt < pace.lowered.changedAt) return true
    const accepted = this.#accepted.get(path.key)?.inMinute.total(now) ?? 0
    if (accepted === 0 || pace.lowered?.rate === 1) return false
    const since = this.#accepted.get(whole.key)?.since ?? now
    const rate = pace.lowered === null ? aMinute(accepted, now - since) * 0.75 : pace.lowered.rate / 2
    pace.lowered = { rate: Math.max(1, Math.floor(rate)), changedAt: now }
    return true
  }

  /** The servers ask us to wait. Returns the milliseconds for which the path takes nothing. */
  pause(path: Path, ms: number): number {
    const pause = pauseFor(ms)
    const pace = this.#pace(path)
    const now = this.#now()
    if (pace.pausedUntil <= now) pace.pausedAt = now
    pace.pausedUntil = Math.max(pace.pausedUntil, now + pause)
    return pause
  }

  /**
   * The paths, and parts of paths, that had a message within a day or are held up, with the number of messages begun.
   */
  *used(): Generator<PacedPath> {
    const now = this.#now()
    let idle = 0
    // Those used last come first.
    for (const pace of this.#paces.values()) {
      const { path, begunInMinute, begunInHour, lowered, pausedAt, pausedUntil, last } = pace
      const recent = { minute: begunInMinute.total(now), hour: begunInHour.total(now) }
      if (recent.hour === 0 && pausedUntil <= now) {
        if (last === null || now - last.begunAt > KNOWN_MS || idle === MAX_IDLE) continue
        idle++
      }
      const pause = pausedUntil > now ? { lasted: now - pausedAt, left: pausedUntil - now } : null
      yield { path, recent, lastMessageAt: last?.at ?? null, lowered: lowered?.rate ?? null, pause }
    }
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#waited.clear()
  }

  #wait(path: Path): number {
    const { messagesPerMinute, messagesPerHour } = path.limits
    const known = this.#learnt.has(path.key) ? this.#pace(path) : this.#paces.get(path.key)
    if (known === undefined) return 0
    if (
      messagesPerMinute === null &&
      messagesPerHour === null &&
      known.lowered === null &&
      known.pausedUntil === 0
    ) {
      return 0
    }
    const now = this.#now()
    const { ofMinute, ofHour } = this.#limits(path, known)
    return Math.max(
      known.pausedUntil - now,
      ofMinute === null ? 0 : known.ofMinute.wait(ofMinute, now),
      ofHour === null ? 0 : known.ofHour.wait(ofHour, now),
      0,
    )
  }

  #limits({ limits }: Path, { lowered }: PathPace): { ofMinute: number | null; ofHour: number | null } {
    const share = this.#share(limits.messagesPerMinute)
    const ofMinute = lowered === null ? share : Math.min(lowered.rate, share ?? lowered.rate)
    return { ofMinute, ofHour: this.#share(limits.messagesPerHour) }
  }

  #share(limit: number | null): number | null {
    return limit === null ? null : limit / this.#nodes
  }

  #pace(path: Path): PathPace {
    let pace = this.#paces.get(path.key)
    if (pace === undefined) {
      const rate = this.#learnt.get(path.key)
      this.#learnt.delete(path.key)
      pace = {
        path,
        ofMinute: new Rate(MINUTE_MS),
        ofHour: new Rate(HOUR_MS),
        begunInMinute: new RecentCount(60, 1_000),
        begunInHour: new RecentCount(60, MINUTE_MS),
        lowered: rate === undefined ? null : { rate, changedAt: this.#now() },
        pausedAt: 0,
        pausedUntil: 0,
        last: null,
      }
      this.#paces.set(path.key, pace)
    }
    return pace
  }

  #waitFor(key: string, wait: number): void {
    const at = this.#now() + wait
    this.#waited.set(key, at)
    if (at + TOGETHER_MS < this.#timerAt) this.#arm(at)
  }

  #arm(at: number): void {
    clearTimeout(this.#timer)
    this.#timerAt = at
    this.#timer = setTimeout(() => this.#look(), Math.max(TOGETHER_MS, Math.ceil(at - this.#now()))).unref()
  }

  #look(): void {
    this.#timerAt = Number.POSITIVE_INFINITY
    const now = this.#now()
    const free: string[] = []
    let next = Number.POSITIVE_INFINITY
    for (const [key, at] of this.#waited) {
      if (at <= now) free.push(key)
      else next = Math.min(next, at)
    }
    for (const key of free) this.#waited.delete(key)
    if (next !== Number.POSITIVE_INFINITY) this.#arm(next)
    if (free.length > 0) this.#free(free)
  }
}

/** Messages a minute, of those that were accepted in so many milliseconds. */
function aMinute(accepted: number, lasted: number): number {
  return (accepted * MINUTE_MS) / Math.min(MINUTE_MS, Math.max(SHORTEST_MEASURE_MS, lasted))
}
