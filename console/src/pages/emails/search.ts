/** What of the list is wanted, as it stands in the address of the page. */
import type { LastEventType } from '../../../../src/email/event.ts'
import type { Query } from '../../api/client.ts'

/** What is absent narrows nothing. */
export interface EmailsSearch {
  /** As somebody types it. */
  q?: string
  /** What the last event is, with commas. */
  status?: string
  domain?: string
  tag?: string
  /** API key: id or name. */
  key?: string
  /** Up to now: one of `PERIODS`. */
  time?: string
  /** ISO 8601, or as a field for times has it: in the reader's zone. */
  since?: string
  until?: string
}

const NAMES = ['q', 'status', 'domain', 'tag', 'key', 'time', 'since', 'until'] as const

const MINUTE = 60_000
export const PERIODS: Readonly<Record<string, { label: string; ms: number }>> = {
  '1h': { label: 'Last hour', ms: 60 * MINUTE },
  '24h': { label: 'Last 24 hours', ms: 24 * 60 * MINUTE },
  '7d': { label: 'Last 7 days', ms: 7 * 24 * 60 * MINUTE },
  '30d': { label: 'Last 30 days', ms: 30 * 24 * 60 * MINUTE },
}

/** What the menu of statuses offers; the API takes each by its own name. */
export const STATUSES = [
  'queued',
  'scheduled',
  'sent',
  'delivery_delayed',
  'delivered',
  'opened',
  'clicked',
  'bounced',
  'complained',
  'failed',
  'suppressed',
  'canceled',
] as const satisfies readonly LastEventType[]

/** What is not understood is passed over: addresses are copied, cut and kept for years. */
export function readSearch(search: Record<string, unknown>): EmailsSearch {
  const found: EmailsSearch = {}
  for (const name of NAMES) {
    const value = search[name]
    // The router reads what looks like a number as one.
    if (typeof value === 'string' || typeof value === 'number') found[name] = String(value)
  }
  return found
}

/** Without what narrows nothing. */
export function given(search: Partial<Record<keyof EmailsSearch, string | undefined>>): EmailsSearch {
  return Object.fromEntries(
    Object.entries(search).filter(([, value]) => value !== undefined && value.trim() !== ''),
  )
}

export function isNarrowed(search: EmailsSearch): boolean {
  return NAMES.some((name) => search[name] !== undefined)
}

/** The same as the API asks for it. */
export function askedFor({ status, time, since, until, ...search }: EmailsSearch): Query {
  const period = time === undefined ? undefined : PERIODS[time]
  return {
    ...search,
    // Days that are typed are those of whoever types.
    zone: search.q === undefined ? undefined : Intl.DateTimeFormat().resolvedOptions().timeZone,
    event: status,
    since: period === undefined ? iso(since) : new Date(Date.now() - period.ms).toISOString(),
    until: period === undefined ? iso(until) : undefined,
  }
}

function iso(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? text : new Date(at).toISOString()
}
