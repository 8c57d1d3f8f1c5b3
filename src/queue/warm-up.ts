/**
 * Warm-up of source addresses: providers distrust an address that nobody knows, so on its first days it sends a few
 * messages to each site, and more each day.
 */

import type { SourcePool } from '../accounts/account.ts'
import { warmUpDay } from '../accounts/warm-up-day.ts'
import { DAY_MS, dayNumber } from '../common/utc-day.ts'
import type { Path } from '../delivery/path/path.ts'
import { notAttempted } from '../email/not-attempted.ts'
import type { SiteWarmUp, Store, WarmUpCount } from '../store/store.ts'
import type { ReturnReason } from './attempt.ts'

/** Milliseconds between two writes of the counts. */
const WRITE_MS = 2_000
/**
 * Mail that waits for the next day is due in the first part of it (ms), the oldest first. Mail that is accepted meanwhile
 * waits for the end of that part.
 */
const SPREAD_MS = 10 * 60_000

export interface WarmUpParts {
  store: Pick<Store, 'warmUpCounts' | 'countWarmUp'>
  /** A new array whenever a pool has changed. */
  pools(): readonly SourcePool[]
  /** Messages to one site on each day. */
  schedule: readonly number[]
}

export class WarmUp {
  readonly #parts: WarmUpParts
  #pools: readonly SourcePool[] = []
  /** When the warm-up of each address began, in Unix ms. */
  #since = new Map<string, number>()
  #day = 0
  /** The messages of the day, and those of them that are not written yet, by source and site. */
  #counts = new Map<string, WarmUpCount>()
  /** Those of the day before. */
  #before = new Map<string, WarmUpCount>()
  readonly #unwritten = new Map<string, WarmUpCount>()
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(parts: WarmUpParts) {
    this.#parts = parts
  }

  async start(): Promise<void> {
    this.#day = dayNumber(Date.now())
    const before = await this.#parts.store.warmUpCounts(this.#day - 1)
    this.#before = new Map(before.map((count) => [keyOf(count), count]))
    await this.#read()
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#writing
    await this.#write()
  }

  /** Whether the source may send another message to the site today: in the usual case it is not warming up. */
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
    return { day, limit, messages: this.#counts.get(keyOf(placeOf(path)))?.messages ?? 0 }
  }

  /** Why mail that was accepted then (Unix ms) waits for the next day, or for older mail; null: it need not. */
  closedFor(path: Path, acceptedAt: number, now: number): ReturnReason | null {
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
    const place = placeOf(path)
    for (const counts of [this.#counts, this.#unwritten]) {
      const count = counts.get(keyOf(place)) ?? { ...place, messages: 0 }
      counts.set(keyOf(place), { ...count, messages: count.messages + 1 })
    }
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#writing = this.#write()
    }, WRITE_MS).unref()
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
      this.#since = new Map(pools.flatMap(({ warming }) => Object.entries(warming)))
    }
    if (this.#since.size === 0 || site.kind !== 'direct') return null
    const { ipv4 = null, ipv6 = null } = source.addresses ?? {}
    const since = this.#since.get(ipv4 ?? '') ?? this.#since.get(ipv6 ?? '')
    if (since === undefined) return null
    const day = dayNumber(now)
    if (day !== this.#day) {
      this.#before = day === this.#day + 1 ? this.#counts : new Map()
      this.#counts = new Map()
      this.#unwritten.clear()
      this.#day = day
    }
    return since
  }

  /** The counts of all nodes: an address may have sent from another node today. */
  async #read(): Promise<void> {
    const day = this.#day
    const counts = await this.#parts.store.warmUpCounts(day)
    if (this.#day !== day) return
    for (const count of counts) {
      const unwritten = this.#unwritten.get(keyOf(count))?.messages ?? 0
      this.#counts.set(keyOf(count), { ...count, messages: count.messages + unwritten })
    }
  }

  /**
   * Writes what was counted here, and reads what all nodes have counted. Never rejects: what cannot be written is
   * written with the next counts of the day.
   */
  async #write(): Promise<void> {
    if (this.#unwritten.size === 0) return
    const counts = [...this.#unwritten.values()]
    this.#unwritten.clear()
    const day = this.#day
    try {
      await this.#parts.store.countWarmUp(day, counts)
    } catch {
      if (this.#day !== day) return
      for (const count of counts) {
        const later = this.#unwritten.get(keyOf(count))?.messages ?? 0
        this.#unwritten.set(keyOf(count), { ...count, messages: count.messages + later })
      }
      return
    }
    await this.#read().catch(() => {})
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
