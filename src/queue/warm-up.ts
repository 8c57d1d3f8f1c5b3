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
/** Mail that waits for the next day is spread over the first part of it (ms). */
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
  readonly #counts = new Map<string, WarmUpCount>()
  readonly #unwritten = new Map<string, WarmUpCount>()
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(parts: WarmUpParts) {
    this.#parts = parts
  }

  async start(): Promise<void> {
    this.#day = dayNumber(Date.now())
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

  /** Why mail waits for the next day; null: it need not. */
  closedFor(path: Path, now: number): ReturnReason | null {
    const warmUp = this.progress(path, now)
    if (warmUp === null || warmUp.messages < warmUp.limit) return null
    const { limit } = warmUp
    const dueAt = (dayNumber(now) + 1) * DAY_MS + Math.round(Math.random() * SPREAD_MS)
    const message = notAttempted(
      `the source address ${path.source.name} is warming up and may send ${limit} messages to ${path.site.name} today`,
    )
    return { dueAt, heldFor: null, message, postpones: true }
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
    if (dayNumber(now) !== this.#day) {
      this.#day = dayNumber(now)
      this.#counts.clear()
      this.#unwritten.clear()
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

function keyOf({ source, site }: Omit<WarmUpCount, 'messages'>): string {
  return `${source}\0${site}`
}
