/** `/v3/{domain}/stats/total` and `/v3/stats/total`: counts of events. */

import type { Principal, SendingDomain } from '../../../accounts/account.ts'
import { utcDate } from '../../../ingress/message-form/date.ts'
import { invalidField } from '../../../intake/refusal.ts'
import { oneOrMore, TIME_INPUT, WORD } from '../../bounds.ts'
import type { HttpCore } from '../../core.ts'
import { groupsOf } from '../../counts.ts'
import type { Endpoint } from '../../endpoint.ts'
import { route } from '../../route.ts'
import { ownDomain } from '../own-domain.ts'
import { TEXT } from '../schemas.ts'
import { STATS } from './figures.ts'
import { type PeriodQuery, readPeriod } from './period.ts'

/** Many times the number of events: a client may repeat one. */
const MAX_EVENTS_NAMED = 1_000
const ANYTHING = { type: 'object', additionalProperties: true } as const

export const STATS_QUERY = {
  type: 'object',
  required: ['event'],
  properties: {
    event: {
      ...oneOrMore(WORD, MAX_EVENTS_NAMED),
      description: `Which of ${Object.keys(STATS).join(', ')}; several may be given.`,
    },
    start: { ...TIME_INPUT, description: 'A date as in a mail header, or Unix seconds.' },
    end: TIME_INPUT,
    resolution: { enum: ['hour', 'day', 'month'] },
    duration: { ...WORD, description: 'A number with h, d, w or m, e.g. `7d`; instead of `start`.' },
  },
} as const

export const STATS_ANSWER = {
  type: 'object',
  properties: {
    tag: TEXT,
    description: TEXT,
    start: TEXT,
    end: TEXT,
    resolution: TEXT,
    stats: { type: 'array', items: ANYTHING },
  },
} as const

export interface StatsQuery extends PeriodQuery {
  event: string | string[]
}

interface StatsGroup {
  domain: SendingDomain | null
  dimension: 'all' | 'tag'
  value: string | null
}

/** Each event once. Throws a Refusal for an unknown one. */
export function eventNamesOf(event: string | string[]): string[] {
  const events = [...new Set([event].flat())]
  const unknown = events.find((each) => !Object.hasOwn(STATS, each))
  if (unknown === undefined) return events
  throw invalidField(
    'event',
    `there is no event "${unknown}"; the events are ${Object.keys(STATS).join(', ')}`,
  )
}

export async function statsOf(
  core: HttpCore,
  { companyId }: Principal,
  query: StatsQuery,
  counted: StatsGroup,
) {
  const events = eventNamesOf(query.event)
  const { since, until, resolution, size, steps } = readPeriod(query, Date.now())
  const { domain, dimension, value } = counted
  const range = { companyId, domainId: domain?.id ?? null, size, dimension, value, since, until }
  const { groups } = await groupsOf(core, {
    ...range,
    by: { time: resolution === 'month' ? 'month' : 'bucket', value: false },
    skip: 0,
    limit: steps.length,
  })
  const byStep = new Map(groups.map(({ start, sums }) => [start, sums]))
  return {
    start: utcDate(since),
    end: utcDate(steps.at(-1)!),
    resolution,
    stats: steps.map((step) => {
      const figures = byStep.get(step) ?? {}
      const shown = events.map((event) => [event, STATS[event]!(figures)])
      return { time: utcDate(step), ...Object.fromEntries(shown) }
    }),
  }
}

const ofDomain = route('GET /v3/:domain/stats/total', {
  operation: 'form_stats',
  access: 'reading',
  operationId: 'formDomainStats',
  summary: 'Count the events of a domain',
  query: STATS_QUERY,
  answer: STATS_ANSWER,
})(async ({ caller, params, query }, core) => {
  const domain = await ownDomain(core, caller, params.domain)
  return await statsOf(core, caller, query, { domain, dimension: 'all', value: null })
})

const ofAll = route('GET /v3/stats/total', {
  operation: 'form_stats',
  access: 'reading',
  operationId: 'formStats',
  summary: 'Count the events of all domains of the company',
  query: STATS_QUERY,
  answer: STATS_ANSWER,
})(async ({ caller, query }, core) => {
  const domain = onlyDomain(core, caller)
  return await statsOf(core, caller, query, { domain, dimension: 'all', value: null })
})

/** A key restricted to one domain counts only that domain. */
export function onlyDomain({ deps }: HttpCore, { domainId }: Principal): SendingDomain | null {
  return domainId === null ? null : (deps.accounts.directory.domain(domainId) ?? null)
}

export const statsRoutes: readonly Endpoint[] = [ofDomain, ofAll]
