/** `/v3/stats/total/domains`: figures of each sending domain in one hour, day or month. */

import { utcDate } from '../../../ingress/message-form/date.ts'
import { invalidField } from '../../../intake/refusal.ts'
import { TIME_INPUT } from '../../bounds.ts'
import { groupsOf } from '../../counts.ts'
import type { Endpoint } from '../../endpoint.ts'
import { route } from '../../route.ts'
import { TEXT } from '../schemas.ts'
import { STATS } from './figures.ts'
import { readPeriod } from './period.ts'
import { eventNamesOf, onlyDomain, STATS_QUERY } from './routes.ts'

const ofDomains = route('GET /v3/stats/total/domains', {
  operation: 'form_stats',
  access: 'reading',
  operationId: 'formStatsByDomain',
  summary: 'Count the events of each domain of the company in one hour, day or month',
  query: {
    type: 'object',
    required: ['event', 'timestamp', 'limit'],
    properties: {
      event: STATS_QUERY.properties.event,
      timestamp: {
        ...TIME_INPUT,
        description: 'Any time within the hour, day or month: a date as in a mail header, or Unix seconds.',
      },
      resolution: STATS_QUERY.properties.resolution,
      limit: { type: 'integer', minimum: 1, maximum: 1_000, default: 100 },
    },
  },
  answer: {
    type: 'object',
    properties: {
      start: TEXT,
      end: TEXT,
      resolution: TEXT,
      stats: { type: 'array', items: { type: 'object', additionalProperties: true } },
    },
  },
})(async ({ caller, query }, core) => {
  const { timestamp, resolution = 'day', limit } = query
  const events = eventNamesOf(query.event)
  if (timestamp === '') throw invalidField('timestamp', 'it is empty')
  const step = { start: timestamp, end: timestamp, resolution }
  const { since, until, size } = readPeriod(step, Date.now(), { start: 'timestamp', end: 'timestamp' })
  const { groups } = await groupsOf(core, {
    companyId: caller.companyId,
    domainId: onlyDomain(core, caller)?.id ?? null,
    size,
    dimension: 'all',
    value: null,
    since,
    until,
    by: { time: null, value: 'domain' },
    skip: 0,
    limit,
  })
  const { directory } = core.deps.accounts
  const stats = groups.map(({ value, sums }) => ({
    time: utcDate(since),
    domain: directory.domainName(value) ?? value,
    ...Object.fromEntries(events.map((event) => [event, STATS[event]!(sums)])),
  }))
  return { start: utcDate(since), end: utcDate(since), resolution, stats }
})

export const statsByDomainRoutes: readonly Endpoint[] = [ofDomains]
