/** `POST /v1/analytics/metrics`: figures by time, domain, tag or the domain of recipients. */

import type { Static } from 'typebox'
import { mailDate } from '../../../ingress/message-form/date.ts'
import { invalidField } from '../../../intake/refusal.ts'
import type { GroupRequest } from '../../../store/store.ts'
import { SKIP, TIME_INPUT, WORD } from '../../bounds.ts'
import { groupsOf } from '../../counts.ts'
import type { Endpoint } from '../../endpoint.ts'
import { route } from '../../route.ts'
import { TEXT } from '../schemas.ts'
import { type Figures, METRICS } from '../stats/figures.ts'
import { readPeriod } from '../stats/period.ts'
import { domainOf, FILTER, type FilterCondition } from './filter.ts'

const FIGURES = { type: 'object', additionalProperties: true } as const
/** The metrics of a request that names none. */
const USUAL_METRICS = ['accepted_count', 'delivered_count', 'failed_count', 'opened_count', 'clicked_count']
/** The dimension of the stored counts for each dimension of a request besides time. */
const COUNTED = { tag: 'tag', recipient_domain: 'recipient-domain' } as const
/** The most names in a request: more than there are metrics, because a client may repeat one. */
const MAX_NAMES = 100
/** Items of a page, unless the request sets a limit. */
const USUAL_LIMIT = 100
const KNOWN = ['time', 'tag', 'recipient_domain'] as const

export const METRICS_REQUEST = {
  type: 'object',
  properties: {
    start: TIME_INPUT,
    end: TIME_INPUT,
    resolution: { enum: ['hour', 'day', 'month'] },
    duration: WORD,
    dimensions: { type: 'array', maxItems: 2, items: { enum: KNOWN } },
    metrics: { type: 'array', maxItems: MAX_NAMES, items: WORD },
    filter: FILTER,
    include_subaccounts: { type: 'boolean' },
    include_aggregates: { type: 'boolean' },
    pagination: {
      type: 'object',
      properties: {
        limit: { type: 'integer', minimum: 1, maximum: 1_500 },
        skip: SKIP,
        sort: WORD,
      },
    },
  },
} as const

const metrics = route('POST /v1/analytics/metrics', {
  operation: 'form_metrics',
  access: 'reading',
  operationId: 'formMetrics',
  summary: 'Count events by time, by tag or by recipient domain',
  body: METRICS_REQUEST,
  answer: {
    type: 'object',
    properties: {
      start: TEXT,
      end: TEXT,
      resolution: TEXT,
      duration: TEXT,
      dimensions: { type: 'array', items: TEXT },
      pagination: { type: 'object', additionalProperties: true },
      items: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            dimensions: { type: 'array', items: { type: 'object', additionalProperties: TEXT } },
            metrics: FIGURES,
          },
        },
      },
      aggregates: { type: 'object', properties: { metrics: FIGURES } },
    },
  },
})(async ({ caller, body }, core) => {
  const { domain, others } = await domainOf(core, caller, body.filter?.AND ?? [])
  const { names, dimensions, period, groups } = readMetrics(body, others, Date.now())
  const found = await groupsOf(core, {
    companyId: caller.companyId,
    domainId: domain?.id ?? null,
    ...groups,
  })
  const shown = (figures: Figures) => Object.fromEntries(names.map((name) => [name, METRICS[name]!(figures)]))
  const items = found.groups.map(({ start, value, sums }) => ({
    dimensions: dimensions.map((dimension) => {
      const text = dimension === 'time' ? mailDate(start!) : value
      return { dimension, value: text, display_value: text }
    }),
    metrics: shown(sums),
  }))
  return {
    start: mailDate(period.since),
    end: mailDate(period.until),
    resolution: period.resolution,
    ...(body.duration !== undefined && { duration: body.duration }),
    dimensions,
    pagination: { sort: '', skip: groups.skip, limit: groups.limit, total: found.total },
    items,
    ...(body.include_aggregates === true && { aggregates: { metrics: shown(found.sums) } }),
  }
})

type MetricsQuery = Static<typeof METRICS_REQUEST>

/** The request apart from its domain. Throws a Refusal. */
export function readMetrics(body: MetricsQuery, conditions: readonly FilterCondition[], now: number) {
  const names = [...new Set(body.metrics ?? USUAL_METRICS)]
  const unknown = names.find((name) => !Object.hasOwn(METRICS, name))
  if (unknown !== undefined) {
    throw invalidField(
      'metrics',
      `there is no metric "${unknown}"; the metrics are ${Object.keys(METRICS).join(', ')}`,
    )
  }
  const dimensions = [...(body.dimensions ?? ['time'])]
  const [by, ...more] = dimensions.filter((each) => each !== 'time')
  if (more.length > 0) throw invalidField('dimensions', 'only one dimension is possible beside time')
  const value = onlyValue(by, conditions)
  const period = readPeriod(body, now)
  const { since, until, resolution, size } = period
  const { limit = USUAL_LIMIT, skip = 0 } = body.pagination ?? {}
  const byTime = resolution === 'month' ? 'month' : 'bucket'
  const groups: Omit<GroupRequest, 'companyId' | 'domainId' | 'most'> = {
    size,
    dimension: by === undefined ? 'all' : COUNTED[by],
    value,
    since,
    until,
    by: { time: dimensions.includes('time') ? byTime : null, value: by !== undefined },
    skip,
    limit,
  }
  return { names, dimensions, period, groups }
}

/** The only value of the dimension to count. Null: every value. Throws a Refusal. */
function onlyValue(
  by: keyof typeof COUNTED | undefined,
  conditions: readonly { attribute: string; comparator: string; values: { value: string }[] }[],
): string | null {
  const [only, ...others] = conditions
  if (only === undefined) return null
  if (others.length === 0 && only.attribute === by && only.comparator === '=' && only.values.length === 1) {
    return only.values[0]!.value
  }
  throw invalidField(
    'filter',
    'beside domain, the filter may have only one value, with =, of the requested dimension',
  )
}

export const metricRoutes: readonly Endpoint[] = [metrics]
