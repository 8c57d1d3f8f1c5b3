/**
 * Warm-up of source addresses: providers distrust an address that nobody knows, so on its first days it sends a few
 * messages to each site, and more each day.
 */

import type { SourcePool } from '../accounts/account.ts'
import { warmUpDay, warmUpSince, warmUps } from '../accounts/warm-up-day.ts'
import { RecentEntries } from '../common/recent-entries.ts'
import { DAY_MS, dayNumber } from '../common/utc-day.ts'
import type { Path } from '../delivery/path/path.ts'
import { notAttempted } from '../email/not-attempted.ts'
import type { SiteWarmUp, Store, WarmUpCount, WarmUpPart, WarmUpRequest } from '../store/store.ts'
import type { GiveBackReason } from './attempt.ts'
import type { NodeShares } from './node-shares.ts'

/** Milliseconds after which messages that were taken and not sent are given back, for other nodes. */
const UNUSED_MS = 2_000
/** Milliseconds until messages are asked for again, when the store could not be asked. */
const RETRY_MS = 1_000
/**
 * A node takes this part of its share of the messages that are left, so that few are left with a node that has no mail.
 */
const PART = 1 / 4
/**
 * Counts of the day that are remembered while no message is at hand: a sender may name any number of sites, and the
 * store knows the others.
 */
const MAX_REMEMBERED = 20_000
/** The most sites in one request to the store, so that mail to others does not wait for a burst to thousands. */
const MAX_AT_ONCE = 200
/** The most messages that a node takes at once: a crash loses them for the day. */
const MAX_TAKEN = 100
/**
 * Mail that waits for the next day is due in the first part of it (ms), the oldest first. Mail that is accepted
 * meanwhile waits for the end of that part.
 */
const SPREAD_MS = 10 * 60_000

export interface WarmUpParts {
  store: Pick<Store, 'warmUpCounts' | 'takeWarmUp' | 'countWarmUp'>
  shares: Pick<NodeShares, 'countOf'>
  /** A new array whenever a pool has changed. */
  pools(): readonly SourcePool[]
  /** Messages to one site on each day. */
  schedule: readonly number[]
  /** Counts that are remembered without messages at hand. */
  remembered?: number
  /** Called with the keys of paths for which `takesMore` was false, once that may have changed. */
  free(paths: readonly string[]): void
}

/** The messages of the day from a source to a site. */
interface DayCount extends WarmUpCount {
  /** Messages taken here and not sent yet, included in `messages`; negative: messages sent and not counted yet. */
  left: number
  /** A message was sent since the last check. */
  used: boolean
}

interface PendingRequest extends Omit<WarmUpRequest, 'most'> {
  /** The paths that wait for the answer, by key. */
  paths: Map<string, Path>
}

/**
 * All nodes share the number of a day. Each takes a few messages of it from the store before it sends them, so that two
 * nodes with the same address (behind a proxy) do not send too many, and a crash forgets none.
 */
export class WarmUp {
  readonly #parts: WarmUpParts
  #pools: readonly SourcePool[] = []
  /** When the warm-up of each address began, in Unix ms. */
  #since: ReadonlyMap<string, number> = new Map()
  #day = 0
  /** Today's counts by source and site: those with messages at hand, or lately used, and those used last. */
  #open = new Map<string, DayCount>()
  #counts: RecentEntries<DayCount>
  /** Yesterday's counts. */
  #before: Pick<ReadonlyMap<string, WarmUpCount>, 'get'> = new Map()
  readonly #wanted = new Map<string, PendingRequest>()
  #taking: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #returning: Promise<void> = Promise.resolve()

  constructor(parts: WarmUpParts) {
    this.#parts = parts
    this.#counts = new RecentEntries(this.#remembered)
  }

  get #remembered(): number {
    return this.#parts.remembered ?? MAX_REMEMBERED
  }

  async start(): Promise<void> {
    const { store } = this.#parts
    const day = dayNumber(Date.now())
    this.#day = day
    const [before, counts] = [
      await store.warmUpCounts(day - 1, this.#remembered),
      await store.warmUpCounts(day, this.#remembered),
    ]
    this.#before = new Map(before.map((count) => [keyOf(count), count]))
    for (const count of counts) this.#counts.set(keyOf(count), { ...count, left: 0, used: false })
  }

  async stop(): Promise<void> {
    await this.#taking
    clearTimeout(this.#timer)
    await this.#returning
    await this.#giveBack(true)
  }

  /**
   * Whether the path may have a message now, or be told that the day's number is used up; in the usual case its source
   * is not warming up.
   */
  takesMore(path: Path, now = Date.now()): boolean {
    const warmUp = this.progress(path, now)
    if (warmUp === null || warmUp.messages >= warmUp.limit) return true
    const place = placeOf(path)
    const key = keyOf(place)
    if ((this.#known(key)?.left ?? 0) > 0) return true
    const wanted = this.#wanted.get(key) ?? { ...place, limit: warmUp.limit, paths: new Map() }
    wanted.paths.set(path.key, path)
    this.#wanted.set(key, wanted)
    this.#taking ??= this.#take().finally(() => {
      this.#taking = undefined
    })
    return false
  }

  /** Whether the source may send another message to the site today. */
  allows(path: Path, now: number): boolean {
    const warmUp = this.progress(path, now)
    return warmUp === null || warmUp.messages < warmUp.limit
  }

  /** Null: the source is not warming up. */
  progress(path: Path, now: number): SiteWarmUp | null {
    const since = this.#sinceOf(path, now)
    if (since === null) return null
    const day = warmUpDay(since, now)
    const limit = this.#parts.schedule[day - 1]
    if (limit === undefined) return null
    const { messages, left } = this.#known(keyOf(placeOf(path))) ?? { messages: 0, left: 0 }
    return { day, limit, messages: messages - left }
  }

  /** Why mail that was accepted then (Unix ms) waits for the next day, or for older mail; null: it need not. */
  closedFor(path: Path, acceptedAt: number, now: number): GiveBackReason | null {
    const warmUp = this.progress(path, now)
    if (warmUp === null) return null
    const day = dayNumber(now)
    const warming = `the source address ${path.source.name} is warming up`
    if (warmUp.messages >= warmUp.limit) {
      const message = notAttempted(
        `${warming} and may send ${warmUp.limit} messages to ${path.site.name} today`,
      )
      return { dueAt: dueOn(day + 1, acceptedAt), heldFor: null, message, postpones: 'anew' }
    }
    const end = day * DAY_MS + SPREAD_MS
    if (now >= end || acceptedAt < day * DAY_MS || !this.#leftMail(path, warmUp.day)) return null
    const message = notAttempted(`${warming}, and older mail to ${path.site.name} goes first`)
    return { dueAt: end, heldFor: null, message, postpones: 'anew' }
  }

  begun(path: Path, now: number): void {
    if (this.progress(path, now) === null) return
    const count = this.#countOf(placeOf(path))
    count.left--
    count.used = true
    this.#planGiveBack()
  }

  #countOf(place: Omit<WarmUpCount, 'messages'>): DayCount {
    const key = keyOf(place)
    const { source, site } = place
    const count = this.#known(key) ?? { source, site, messages: 0, left: 0, used: false }
    this.#open.set(key, count)
    this.#counts.set(key, count)
    return count
  }

  #known(key: string): DayCount | undefined {
    return this.#open.get(key) ?? this.#counts.get(key)
  }

  /** Whether mail may have waited for this day of the warm-up: the number of the day before was used up. */
  #leftMail(path: Path, day: number): boolean {
    const limit = this.#parts.schedule[day - 2]
    return limit !== undefined && (this.#before.get(keyOf(placeOf(path)))?.messages ?? 0) >= limit
  }

  /** When its warm-up began; null: never. */
  #sinceOf({ source, site }: Path, now: number): number | null {
    const pools = this.#parts.pools()
    if (pools !== this.#pools) {
      this.#pools = pools
      this.#since = warmUps(pools)
    }
    if (this.#since.size === 0 || site.kind !== 'direct' || source.addresses === undefined) return null
    const since = warmUpSince(this.#since, source.addresses)
    if (since === undefined) return null
    const day = dayNumber(now)
    if (day !== this.#day) {
      this.#before = day === this.#day + 1 ? this.#counts : new Map()
      this.#counts = new RecentEntries(this.#remembered)
      this.#open = new Map()
      this.#day = day
    }
    return since
  }

  /** Takes messages for all paths that want some. Never rejects: without an answer they ask again. */
  async #take(): Promise<void> {
    const { store, free, shares } = this.#parts
    while (this.#wanted.size > 0) {
      const some = [...this.#wanted].slice(0, MAX_AT_ONCE)
      for (const [key] of some) this.#wanted.delete(key)
      const wanted = some.map(([, request]) => request)
      const day = this.#day
      const paths = wanted.flatMap((each) => [...each.paths.keys()])
      const requests = wanted.map(({ source, site, limit, paths }): WarmUpRequest => {
        const nodes = Math.max(...[...paths.values()].map((path) => shares.countOf(path)))
        const left = limit - (this.#known(keyOf({ source, site }))?.messages ?? 0)
        const most = Math.max(1, Math.min(MAX_TAKEN, Math.ceil((left * PART) / nodes)))
        return { source, site, limit, most }
      })
      try {
        const parts = await store.takeWarmUp(day, requests)
        if (this.#day === day) for (const part of parts) this.#taken(part)
        free(paths)
      } catch {
        setTimeout(() => free(paths), RETRY_MS).unref()
      }
    }
  }

  #taken({ messages, taken, ...place }: WarmUpPart): void {
    const count = this.#countOf(place)
    count.messages = messages
    count.left += taken
    count.used = true
    this.#planGiveBack()
  }

  #planGiveBack(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#returning = this.#giveBack(false).then(() => {
        if (this.#open.size > 0) this.#planGiveBack()
      })
    }, UNUSED_MS).unref()
  }

  /**
   * Gives back the messages that were not sent lately (`all`: also the others), and counts those that were sent without
   * being taken. Never rejects: what cannot be written is written with the next messages of the day.
   */
  async #giveBack(all: boolean): Promise<void> {
    const day = this.#day
    const unused: DayCount[] = []
    for (const [key, count] of this.#open) {
      const { left, used } = count
      count.used = false
      if (left < 0 || (left > 0 && (all || !used))) unused.push(count)
      else if (left === 0 && !used) this.#open.delete(key)
    }
    if (unused.length === 0) return
    const changes = unused.map(({ source, site, left }) => ({ source, site, messages: -left }))
    const add = (factor: 1 | -1) => {
      for (const [index, count] of unused.entries()) {
        const { messages } = changes[index]!
        count.messages += factor * messages
        count.left += factor * messages
      }
    }
    add(1)
    try {
      await this.#parts.store.countWarmUp(day, changes)
    } catch {
      add(-1)
    }
  }
}

function placeOf({ source, site }: Path): Omit<WarmUpCount, 'messages'> {
  return { source: source.name, site: site.key }
}

/** When mail that was accepted then is due on a later day (Unix ms): the older, the sooner. */
function dueOn(day: number, acceptedAt: number): number {
  const begin = day * DAY_MS
  const age = Math.max(0, begin - acceptedAt)
  return begin + Math.floor((SPREAD_MS * DAY_MS) / (DAY_MS + age))
}

function keyOf({ source, site }: Omit<WarmUpCount, 'messages'>): string {
  return `${source}\0${site}`
}
