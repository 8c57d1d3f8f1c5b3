/** The search and filters of the list, which are part of the page's address. */
import { LISTED_STATUSES, type ListedStatus } from '../../../../src/operate/status-word.ts'
import type { QueryOf } from '../../api/client.ts'

/** Absent fields do not filter. */
export interface EmailsSearch {
  /** The text of the search field. */
  q?: string
  /** Statuses, with commas between them. */
  status?: string
  domain?: string
  /** The domain of a recipient. */
  to?: string
  tag?: string
  /** The id or name of an API key. */
  key?: string
  /** One of `PERIODS`. */
  time?: string
  /** ISO 8601, or the value of a `datetime-local` field, in the viewer's time zone. */
  since?: string
  until?: string
}

export type Times = Pick<EmailsSearch, 'time' | 'since' | 'until'>
export type ChangeTimes = (times: { [Name in keyof Times]-?: string | undefined }) => void
export const ANY_TIME = { time: undefined, since: undefined, until: undefined }

const NAMES = ['q', 'status', 'domain', 'to', 'tag', 'key', 'time', 'since', 'until'] as const

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

interface PeriodChoice {
  label: string
  since: () => number
  until?: () => number
}

const last = (label: string, ms: number): PeriodChoice => ({ label, since: () => Date.now() - ms })

/** The start of a day in the viewer's time zone. Not every day has 24 hours. */
function startOfDay(daysAgo: number): number {
  const day = new Date()
  day.setHours(0, 0, 0, 0)
  return day.setDate(day.getDate() - daysAgo)
}

export const PERIODS: Readonly<Record<string, PeriodChoice>> = {
  '1h': last('Last hour', HOUR),
  '24h': last('Last 24 hours', DAY),
  today: { label: 'Today', since: () => startOfDay(0) },
  yesterday: { label: 'Yesterday', since: () => startOfDay(1), until: () => startOfDay(0) },
  '7d': last('Last 7 days', 7 * DAY),
  '30d': last('Last 30 days', 30 * DAY),
}

/** The statuses that were last events in the addresses of former versions. */
const FORMER: Readonly<Record<string, ListedStatus>> = {
  queued: 'accepted',
  sent: 'accepted',
  delivery_delayed: 'retrying',
}

/** `statuses`: with commas between them. Unknown ones are left out. */
export function statusesIn(statuses: string | undefined): ListedStatus[] {
  const names = (statuses?.split(',') ?? []).map((name) => FORMER[name] ?? name)
  return LISTED_STATUSES.filter((status) => names.includes(status))
}

/** Ignores unknown parameters and values: people copy, cut and keep addresses for years. */
export function readSearch(search: Record<string, unknown>): EmailsSearch {
  const found: EmailsSearch = {}
  for (const name of NAMES) {
    const value = search[name]
    // The router parses digits as a number.
    if (typeof value === 'string' || typeof value === 'number') found[name] = String(value)
  }
  return found
}

/** The email that is shown beside the list. */
export function openIn({ open }: Record<string, unknown>): { open?: string } {
  return typeof open === 'string' ? { open } : {}
}

/** Drops empty filters. */
export function withoutEmptyFilters(
  search: Partial<Record<keyof EmailsSearch, string | undefined>>,
): EmailsSearch {
  return Object.fromEntries(
    Object.entries(search).filter(([, value]) => value !== undefined && value.trim() !== ''),
  )
}

export function isNarrowed(search: EmailsSearch): boolean {
  return NAMES.some((name) => search[name] !== undefined)
}

/** The search as parameters of the API. */
export function queryParamsOf({
  status,
  time,
  since,
  until,
  to,
  ...search
}: EmailsSearch): QueryOf<'GET /companies/:company/emails'> {
  const period = time === undefined ? undefined : PERIODS[time]
  return {
    ...search,
    // Days in a typed search are days in the viewer's time zone.
    zone: search.q === undefined ? undefined : Intl.DateTimeFormat().resolvedOptions().timeZone,
    status: statusesIn(status).join() || undefined,
    toDomain: to,
    since: period === undefined ? iso(since) : isoTime(period.since()),
    until: period === undefined ? iso(until) : period.until && isoTime(period.until()),
  }
}

function isoTime(at: number): string {
  return new Date(at).toISOString()
}

function iso(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? text : isoTime(at)
}
