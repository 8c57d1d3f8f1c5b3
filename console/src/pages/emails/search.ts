/** The search and filters of the list, which are part of the page's address. */
import type { LastEventType } from '../../../../src/email/event.ts'
import type { QueryOf } from '../../api/client.ts'

/** Absent fields do not filter. */
export interface EmailsSearch {
  /** The text of the search field. */
  q?: string
  /** Names of last events, with commas between them. */
  status?: string
  domain?: string
  tag?: string
  /** The id or name of an API key. */
  key?: string
  /** A period up to now: one of `PERIODS`. */
  time?: string
  /** ISO 8601, or the value of a `datetime-local` field, in the viewer's time zone. */
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

/** The choices of the status menu, as the API names them. */
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

/** Drops empty filters. */
export function given(search: Partial<Record<keyof EmailsSearch, string | undefined>>): EmailsSearch {
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
  ...search
}: EmailsSearch): QueryOf<'GET /companies/:company/emails'> {
  const period = time === undefined ? undefined : PERIODS[time]
  return {
    ...search,
    // Days in a typed search are days in the viewer's time zone.
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
