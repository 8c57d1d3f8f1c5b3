/**
 * Counts TLS sessions by recipient domain, policy and result, by UTC day (RFC 8460 4). Counts are gathered in memory
 * and written a few rows at a time, away from the mail.
 */

import { hash } from 'node:crypto'
import { DAY_MS, utcDay } from '../../common/utc-day.ts'
import type { TlsSession, TlsSessionResult } from '../../mail/domain-report/tls-report.ts'
import type { DomainReportStore, TlsSessionCount } from '../../store/store.ts'
import { detailKey } from '../detail.ts'

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
/** Counts in memory, at most. Sessions beyond them are not counted. */
const MOST_IN_MEMORY = 20_000
/** Counts of one domain that name policies, servers and reasons, at most, until the next day. */
const MOST_DETAILS = 50
/** Characters of a detail, as JSON; of a longer one the text of the policy is left out. */
const LONGEST_DETAIL = 2_000
/** RFC 8460 4.1: reports are sent within some hours after the end of the day, not all at once. */
const FIRST_DUE_MS = 10 * 60_000
const SPREAD_MS = 4 * 3_600_000

export class TlsSessionCounts {
  readonly #parts: TlsSessionCountsParts
  readonly #now: () => number
  readonly #counts = new Map<string, TlsSessionCount>()
  /** The keys of the details of each domain on the present day, and their number. */
  readonly #details = new Map<string, Set<string>>()
  #known = 0
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
      this.#forgetDetails()
    }
    for (const { domain, ...result } of sessions) {
      const { key, detail } = this.#detail(domain, result)
      const place = placeOf({ domain, day, key })
      const count = this.#counts.get(place)
      if (count !== undefined) count.sessions++
      else if (this.#counts.size < MOST_IN_MEMORY) {
        this.#counts.set(place, { domain, day, key, detail, sessions: 1 })
      }
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

  /** A domain that answers differently each time gets no count of its own for each answer. */
  #detail(domain: string, result: TlsSessionResult): Pick<TlsSessionCount, 'key' | 'detail'> {
    const whole = JSON.stringify(result)
    const { type, failure } = result
    const withoutPolicy = { type, policy: [], hosts: [], failure }
    const detail = whole.length > LONGEST_DETAIL ? JSON.stringify(withoutPolicy) : whole
    const key = detailKey(detail)
    if (this.#isKnown(domain, key)) return { key, detail }
    const place = { sourceAddress: null, host: null, address: null, reason: null }
    const bare = JSON.stringify({
      ...withoutPolicy,
      failure: failure && { result: failure.result, ...place },
    })
    return { key: detailKey(bare), detail: bare }
  }

  /** Whether a detail has a count of its own. A new one gets it while the domain has few. */
  #isKnown(domain: string, key: string): boolean {
    if (this.#known >= MOST_IN_MEMORY) this.#forgetDetails()
    const known = this.#details.get(domain) ?? new Set()
    this.#details.set(domain, known)
    if (known.has(key)) return true
    if (known.size >= MOST_DETAILS) return false
    known.add(key)
    this.#known++
    return true
  }

  #forgetDetails(): void {
    this.#details.clear()
    this.#known = 0
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
    const batch: TlsSessionCount[] = []
    for (const [place, count] of this.#counts) {
      if (batch.length === ROWS_AT_ONCE) break
      batch.push(count)
      this.#counts.delete(place)
    }
    const due = new Map(
      batch.map(({ domain, day }) => [`${domain} ${day}`, { domain, day, dueAt: dueAt(domain, day) }]),
    )
    try {
      await this.#parts.store.countTlsSessions(batch, [...due.values()])
      return true
    } catch (error) {
      this.#parts.onFault(error)
      for (const count of batch) this.#add(count)
      return false
    }
  }

  #add(count: TlsSessionCount): void {
    const place = placeOf(count)
    const newer = this.#counts.get(place)
    if (newer === undefined) this.#counts.set(place, count)
    else newer.sessions += count.sessions
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
