import { monotonic } from '../common/clock.ts'
import { RecentEntries } from '../common/recent-entries.ts'
import type { Path } from '../delivery/path/path.ts'
import { NodeShares } from './node-shares.ts'
import { pathKeyOf } from './path-part.ts'
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
/** The longest pause of a path, in milliseconds: `back_off` of the sites file has the same bound. */
const LONGEST_PAUSE_MS = 6 * HOUR_MS
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

/** The pause that is granted where `asked` milliseconds are asked for. */
export function pauseFor(asked: number): number {
  return Math.min(asked, LONGEST_PAUSE_MS)
}

/** The time to which the messages of an hour reach (rate.ts) is shared in steps of so many ms, rounded up. */
const HOUR_STEP_MS = 30_000

interface LoweredRate {
  rate: number
  changedAt: number
  /** True: nothing is known of how much the servers take, so it rises fast. */
  isGuess?: true
}

interface PathPace {
  /** The newest one with this key. */
  path: Path
  readonly ofMinute: Rate
  readonly ofHour: Rate
  readonly begunInMinute: RecentCount
  readonly begunInHour: RecentCount
  /** Messages a minute that the server seems to take; null: as many as the site's limits allow. */
  lowered: LoweredRate | null
  pause: RequestedWait
  /** The time to which the messages of the last hour reach, in Unix ms, for the next start; 0: none is known. */
  hourDue: number
  /** The last message: on the clock of this class, and in Unix ms; null: there was none. */
  last: { begunAt: number; at: number } | null
}

/** A wait that the servers asked for, on the clock of this class. */
interface RequestedWait {
  from: number
  until: number
  /** The end in Unix ms, for other nodes. */
  end: number
}

const NO_PAUSE: RequestedWait = { from: 0, until: 0, end: 0 }

/** The state of a path as other nodes have shared it, before this node has mail for it. */
interface SharedPace extends Pick<LoweredRate, 'isGuess'> {
  rate: number | null
  pause: RequestedWait
  hourDue: number
}

const NOTHING_LEARNT: SharedPace = { rate: null, pause: NO_PAUSE, hourDue: 0 }

interface AcceptedMessages {
  readonly inMinute: RecentCount
  /** From then on messages have been accepted without a pause of a minute. */
  since: number
  /** Unix ms: the last one. */
  lastAt: number
}

/** Messages that were begun: the servers may have refused them. */
export interface RecentMessages {
  minute: number
  hour: number
}

interface PacedPath {
  path: Path
  recent: RecentMessages
  /** Unix ms; null: none is known. */
  lastMessageAt: number | null
  /** Unix ms: the last message that was accepted; null: none is known. */
  lastAcceptedAt: number | null
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
  readonly #paces = new RecentEntries<PathPace>(MAX_PATHS)
  /** Counts by the key of a path, or of a company's part of it. */
  readonly #accepted = new RecentEntries<AcceptedMessages>(MAX_COUNTED)
  readonly #free: (paths: readonly string[]) => void
  readonly #now: () => number
  readonly #shares: NodeShares
  /** Rates, pauses and hours that were learnt for paths without mail here, by key of the path. */
  readonly #learnt = new Map<string, SharedPace>()
  /** Keys of paths whose rate is no longer lowered, until `takeReleased`. */
  readonly #released = new Set<string>()
  /** Paths for which mail waits, by key, and the time at which each is free. */
  readonly #waited = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined
  #timerAt = Number.POSITIVE_INFINITY

  /**
   * `free` is called with the keys of paths that may take messages again, once after each `takesMore` that returned
   * false.
   */
  constructor(
    free: (paths: readonly string[]) => void,
    now: () => number = monotonic,
    shares = new NodeShares(),
  ) {
    this.#free = free
    this.#shares = shares
    this.#now = now
  }

  /** Whether messages are paced on the path, or other nodes have found out something about it. */
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
    if (ofHour !== null) {
      pace.ofHour.begin(ofHour, now)
      pace.hourDue = Date.now() + pace.ofHour.due - now
    }
    pace.begunInMinute.add(now)
    pace.begunInHour.add(now)
    pace.last = { begunAt: now, at: Date.now() }
  }

  /** The lowered rates, by key of the path. `isGuess`: as for `beginAnew`. */
  *lowered(): Generator<[key: string, messagesPerMinute: number, isGuess: boolean]> {
    for (const [key, { lowered }] of this.#paces.entries()) {
      if (lowered !== null) yield [key, lowered.rate, lowered.isGuess === true]
    }
    for (const [key, { rate, isGuess }] of this.#learnt) {
      if (rate !== null) yield [key, rate, isGuess === true]
    }
  }

  /** The keys of paths whose rate has risen to all that is allowed, since the last call. */
  takeReleased(): string[] {
    const released = [...this.#released]
    this.#released.clear()
    return released
  }

  /** The waits that servers asked for, by key of the path; the end in Unix ms. */
  *paused(): Generator<[key: string, pausedUntil: number]> {
    const now = this.#now()
    for (const [key, learnt] of this.#learnt) if (this.#isOver(learnt)) this.#learnt.delete(key)
    for (const all of [this.#paces.entries(), this.#learnt]) {
      for (const [key, { pause }] of all) if (pause.until > now) yield [key, pause.end]
    }
  }

  /** The times to which the messages of the last hour reach, by key of the path; in Unix ms. */
  *hours(): Generator<[key: string, hourDue: number]> {
    const now = this.#now()
    for (const [key, { path, ofHour, hourDue }] of this.#paces.entries()) {
      if (path.limits.messagesPerHour === null || ofHour.due <= now || key !== pathKeyOf(key)) continue
      yield [key, Math.ceil(hourDue / HOUR_STEP_MS) * HOUR_STEP_MS]
    }
  }

  /** Takes over `Rate.due` of the hour (Unix ms) from nodes that ran before this one started. */
  learnHour(key: string, hourDue: number): void {
    const pace = this.#paces.get(key)
    const due = Math.min(hourDue, Date.now() + HOUR_MS)
    if (pace !== undefined) this.#resumeHour(pace, due)
    else if (due > Date.now() && (this.#learnt.has(key) || this.#learnt.size < MAX_PATHS)) {
      this.#learn(key, { hourDue: Math.max(due, this.#learnt.get(key)?.hourDue ?? 0) })
    }
  }

  #resumeHour(pace: PathPace, hourDue: number): void {
    pace.hourDue = Math.max(pace.hourDue, hourDue)
    pace.ofHour.resume(this.#now() + hourDue - Date.now())
  }

  /** The lowered rate, in messages a minute; null: there is none. */
  loweredOf(key: string): number | null {
    return this.#paces.peek(key)?.lowered?.rate ?? this.#learnt.get(key)?.rate ?? null
  }

  /**
   * The rate that other nodes, or this one before its last start, have given the path; null: none. `isGuess`: see
   * `beginAnew`.
   */
  learn(key: string, rate: number | null, isGuess = false): void {
    this.#released.delete(key)
    const pace = this.#paces.get(key)
    const guess = isGuess && { isGuess }
    if (pace === undefined) this.#learn(key, { rate, ...guess })
    else pace.lowered = rate === null ? null : { rate, changedAt: this.#now(), ...guess }
  }

  /** Servers asked another node, or this one before its last start, to wait until then (Unix ms). */
  learnPause(key: string, pausedUntil: number): void {
    const at = Date.now()
    const wait = pauseFor(pausedUntil - at)
    if (wait <= 0) return
    const pace = this.#paces.get(key)
    const known = pace?.pause ?? this.#learnt.get(key)?.pause ?? NO_PAUSE
    const pause = this.#later(known, wait, at)
    if (pace === undefined) this.#learn(key, { pause })
    else pace.pause = pause
  }

  #learn(key: string, learnt: Partial<SharedPace>): void {
    const { isGuess, ...rest } = this.#learnt.get(key) ?? NOTHING_LEARNT
    const same = learnt.rate === undefined && isGuess
    const all = { ...rest, ...(same && { isGuess }), ...learnt }
    if (this.#isOver(all)) this.#learnt.delete(key)
    else this.#learnt.set(key, all)
  }

  #isOver({ rate, hourDue, pause }: SharedPace): boolean {
    return rate === null && hourDue <= Date.now() && pause.until <= this.#now()
  }

  /** Whichever ends later: the pause, or a wait of `wait` ms from now (`at`: now in Unix ms). */
  #later(pause: RequestedWait, wait: number, at = Date.now()): RequestedWait {
    const now = this.#now()
    const until = now + wait
    if (pause.until >= until) return pause
    return { from: pause.until > now ? pause.from : now, until, end: Math.round(at + wait) }
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
    const known = this.#accepted.get(key)
    const accepted = known ?? { inMinute: new RecentCount(60, 1_000), since: now, lastAt: 0 }
    if (accepted.inMinute.total(now) === 0) accepted.since = now
    accepted.inMinute.add(now)
    accepted.lastAt = Date.now()
    this.#accepted.set(key, accepted)
  }

  #rise(path: Path, now: number): void {
    const pace = this.#paces.get(path.key)
    if (pace === undefined || pace.lowered === null || now - pace.lowered.changedAt < RISE_MS) return
    const { rate: before, isGuess } = pace.lowered
    const rate = before + (isGuess ? before : Math.max(1, Math.floor(before / 4)))
    if (rate < (this.#share(path, 'messagesPerMinute') ?? NO_LIMIT)) {
      pace.lowered = { rate, changedAt: now, ...(isGuess && { isGuess }) }
    } else {
      pace.lowered = null
      this.#released.add(path.key)
    }
  }

  /**
   * The servers answered a delivery, which began at `begunAt` (monotonic), that there are too many messages: the first
   * time, the rate becomes three quarters of that at which they accepted messages; each further time, it is halved.
   * `whole`: if `path` is the part of a path for one company, the whole path; then only messages of that company count.
   * False when it is already 1, or no message was accepted in the last minute.
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
    this.#released.delete(path.key)
    pace.lowered = { rate: Math.max(1, Math.floor(rate)), changedAt: now }
    return true
  }

  /**
   * The servers take nothing at all, and do not say for how long. Once they take mail again it is one message a minute,
   * then twice as many each minute, so that a queue does not run into the next refusal as a whole.
   */
  beginAnew(path: Path): void {
    this.#released.delete(path.key)
    this.#pace(path).lowered = { rate: 1, changedAt: this.#now(), isGuess: true }
  }

  /** The servers ask us to wait. Returns the milliseconds for which the path takes nothing. */
  pause(path: Path, ms: number): number {
    const wait = pauseFor(ms)
    const pace = this.#pace(path)
    pace.pause = this.#later(pace.pause, wait)
    return wait
  }

  /**
   * The paths, and parts of paths, that had a message within a day or are held up, with the number of messages begun.
   */
  *used(): Generator<PacedPath> {
    const now = this.#now()
    let idle = 0
    // Those used last come first.
    for (const pace of this.#paces.values()) {
      const { path, begunInMinute, begunInHour, lowered, last } = pace
      const { from, until } = pace.pause
      const recent = { minute: begunInMinute.total(now), hour: begunInHour.total(now) }
      if (recent.hour === 0 && until <= now) {
        if (last === null || now - last.begunAt > KNOWN_MS || idle === MAX_IDLE) continue
        idle++
      }
      const pause = until > now ? { lasted: now - from, left: until - now } : null
      const lastAcceptedAt = this.#accepted.peek(path.key)?.lastAt ?? null
      const lastMessageAt = last?.at ?? null
      yield { path, recent, lastMessageAt, lastAcceptedAt, lowered: lowered?.rate ?? null, pause }
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
      known.pause === NO_PAUSE
    ) {
      return 0
    }
    const now = this.#now()
    const { ofMinute, ofHour } = this.#limits(path, known)
    return Math.max(
      known.pause.until - now,
      ofMinute === null ? 0 : known.ofMinute.wait(ofMinute, now),
      ofHour === null ? 0 : known.ofHour.wait(ofHour, now),
      0,
    )
  }

  #limits(path: Path, { lowered }: PathPace): { ofMinute: number | null; ofHour: number | null } {
    const share = this.#share(path, 'messagesPerMinute')
    const ofMinute = lowered === null ? share : Math.min(lowered.rate, share ?? lowered.rate)
    return { ofMinute, ofHour: this.#share(path, 'messagesPerHour') }
  }

  #share(path: Path, which: 'messagesPerMinute' | 'messagesPerHour'): number | null {
    const limit = path.limits[which]
    return limit === null ? null : this.#shares.rate(path, limit)
  }

  #pace(path: Path): PathPace {
    let pace = this.#paces.get(path.key)
    if (pace === undefined) {
      const { rate, isGuess, pause, hourDue } = this.#learnt.get(path.key) ?? NOTHING_LEARNT
      this.#learnt.delete(path.key)
      pace = {
        path,
        ofMinute: new Rate(MINUTE_MS),
        ofHour: new Rate(HOUR_MS),
        begunInMinute: new RecentCount(60, 1_000),
        begunInHour: new RecentCount(60, MINUTE_MS),
        lowered: rate === null ? null : { rate, changedAt: this.#now(), ...(isGuess && { isGuess }) },
        pause,
        hourDue: 0,
        last: null,
      }
      if (hourDue > 0) this.#resumeHour(pace, hourDue)
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

/** The rate, in messages a minute, of `accepted` messages in `lasted` ms. */
function aMinute(accepted: number, lasted: number): number {
  return (accepted * MINUTE_MS) / Math.min(MINUTE_MS, Math.max(SHORTEST_MEASURE_MS, lasted))
}
