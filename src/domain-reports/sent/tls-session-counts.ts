/**
 * Counts TLS sessions by recipient domain, policy and result, by UTC day (RFC 8460 4). Counts are gathered in memory
 * and written a few rows at a time, away from the mail.
 */

import { hash } from 'node:crypto'
import { CompanyPlaces } from '../../common/company-places.ts'
import { DAY_MS, utcDay } from '../../common/utc-day.ts'
import { organizationOf } from '../../dns/organization.ts'
import type { TlsSession, TlsSessionResult } from '../../mail/domain-report/tls-report.ts'
import type { DomainReportStore, TlsSessionCount } from '../../store/store.ts'
import { detailKey } from '../detail.ts'
import { SessionKinds } from './session-kinds.ts'

export interface TlsSessionCountsParts {
  store: Pick<DomainReportStore, 'countTlsSessions'>
  onFault(error: unknown): void
  /** Unix ms. */
  now?: () => number
}

const ROUND_MS = 1_000
/** Milliseconds over which the rows of a round are spread, so that the database gets only a few rows a second. */
const ROW_MS = 200
const ROWS_AT_ONCE = 100
/**
 * Counts in memory, shared by organizations: one alone gets some 850, and fewer the more organizations there are.
 * Sessions beyond them are not counted.
 */
const IN_MEMORY = { size: 20_000, kept: 2_000, timesFree: 1 / 20 }
/** Characters of a detail, as JSON; of a longer one the text of the policy is left out. */
const LONGEST_DETAIL = 2_000
/** RFC 8460 4.1: reports are sent within some hours after the end of the day, not all at once. */
const FIRST_DUE_MS = 10 * 60_000
const SPREAD_MS = 4 * 3_600_000

/** A count in memory. */
interface GatheredCount {
  count: TlsSessionCount
  /** Gives its place in memory back. */
  leave(): void
}

export class TlsSessionCounts {
  readonly #parts: TlsSessionCountsParts
  readonly #now: () => number
  readonly #counts = new Map<string, GatheredCount>()
  readonly #places = new CompanyPlaces(IN_MEMORY)
  /** The kinds of the present day. */
  readonly #kinds = new SessionKinds()
  #day = ''
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()
  #stopped = false

  constructor(parts: TlsSessionCountsParts) {
    this.#parts = parts
    this.#now = parts.now ?? Date.now
  }

  count(sessions: readonly TlsSession[]): void {
    const day = utcDay(this.#now())
    if (day !== this.#day) {
      this.#day = day
      this.#kinds.forgetAll()
    }
    for (const { domain, ...result } of sessions) {
      const organization = organizationOf(domain)
      const counted = this.#detail({ domain, organization }, result)
      if (counted !== null) this.#countOne({ domain, day, ...counted, sessions: 1 }, organization)
    }
    this.#plan(ROUND_MS)
  }

  /** Writes what has been counted. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    await this.#writing
    while (this.#counts.size > 0 && (await this.#write()));
  }

  #countOne(count: TlsSessionCount, organization: string): void {
    const place = placeOf(count)
    const gathered = this.#counts.get(place)
    if (gathered !== undefined) {
      gathered.count.sessions++
      return
    }
    const leave = this.#places.takeFree(organization)
    if (leave !== null) this.#counts.set(place, { count, leave })
  }

  /** Null: the session is not counted. */
  #detail(
    of: { domain: string; organization: string },
    result: TlsSessionResult,
  ): Pick<TlsSessionCount, 'key' | 'detail'> | null {
    const whole = JSON.stringify(result)
    const { type, failure } = result
    const withoutPolicy = { type, policy: [], hosts: [], failure }
    const detail = whole.length > LONGEST_DETAIL ? JSON.stringify(withoutPolicy) : whole
    const key = detailKey(detail)
    const part = this.#kinds.countedPart(of, key)
    if (part === 'none') return null
    if (part === 'whole') return { key, detail }
    const place = { sourceAddress: null, host: null, address: null, reason: null }
    const bare = JSON.stringify({
      ...withoutPolicy,
      failure: failure && { result: failure.result, ...place },
    })
    return { key: detailKey(bare), detail: bare }
  }

  #plan(ms: number): void {
    if (this.#timer !== undefined || this.#stopped) return
    this.#timer = setTimeout(() => {
      this.#writing = this.#round()
    }, ms).unref()
  }

  async #round(): Promise<void> {
    const rows = Math.min(this.#counts.size, ROWS_AT_ONCE)
    await this.#write()
    this.#timer = undefined
    if (this.#counts.size > 0) this.#plan(Math.max(ROUND_MS, rows * ROW_MS))
  }

  /** False when nothing could be written: the counts stay. */
  async #write(): Promise<boolean> {
    const batch: GatheredCount[] = []
    for (const [place, gathered] of this.#counts) {
      if (batch.length === ROWS_AT_ONCE) break
      batch.push(gathered)
      this.#counts.delete(place)
    }
    const counts = batch.map(({ count }) => count)
    const due = new Map(
      counts.map(({ domain, day }) => [`${domain} ${day}`, { domain, day, dueAt: dueAt(domain, day) }]),
    )
    try {
      await this.#parts.store.countTlsSessions(counts, [...due.values()])
    } catch (error) {
      this.#parts.onFault(error)
      for (const gathered of batch) this.#keep(gathered)
      return false
    }
    for (const { leave } of batch) leave()
    return true
  }

  /** Keeps a count that could not be written. */
  #keep(gathered: GatheredCount): void {
    const place = placeOf(gathered.count)
    const newer = this.#counts.get(place)
    if (newer === undefined) {
      this.#counts.set(place, gathered)
      return
    }
    newer.count.sessions += gathered.count.sessions
    gathered.leave()
  }
}

function placeOf({ domain, day, key }: Pick<TlsSessionCount, 'domain' | 'day' | 'key'>): string {
  return `${domain} ${day} ${key}`
}

/** The same on every node, and different for different domains. */
function dueAt(domain: string, day: string): number {
  const part = hash('sha256', `${domain} ${day}`, 'buffer').readUInt32BE() / 2 ** 32
  return Math.round(Date.parse(day) + DAY_MS + FIRST_DUE_MS + part * SPREAD_MS)
}
