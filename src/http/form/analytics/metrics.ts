/** `POST /v1/analytics/metrics`: figures by time, domain, tag or the domain of recipients. */

import { invalidField } from '../../../intake/refusal.ts'
import { SKIP, TIME_GIVEN, WORD } from '../../bounds.ts'
import { type Endpoint, endpoint } from '../../endpoint.ts'
import { mailDate } from '../date.ts'
import { groupsOf } from '../stats/counts.ts'
import { type Figures, METRICS } from '../stats/figures.ts'
import { readPeriod } from '../stats/period.ts'
import { domainOf, FILTER } from './filter.ts'

const TEXT = { type: 'string' } as const
const FIGURES = { type: 'object', additionalProperties: true } as const
/** Where none are named. */
const USUAL_METRICS = ['accepted_count', 'delivered_count', 'failed_count', 'opened_count', 'clicked_count']
/** What a dimension is counted by; time by all of these. */
const COUNTED = { tag: 'tag', recipient_domain: 'recipient-domain' } as const
/** More than there are metrics: a client may name one again. */
const MOST_NAMES = 100
/** Items of a page, where no limit is given. */
const USUAL_LIMIT = 100
const KNOWN = ['time', 'tag', 'recipient_domain'] as const

const metrics = endpoint({
  method: 'POST',
  url: '/v1/analytics/metrics',
  operation: 'form_metrics',
  access: 'reading',
  schema: {
    operationId: 'formMetrics',
    summary: 'How many events there were, by time, by tag or by the domain of recipients',
    body: {
      type: 'object',
      properties: {
        start: TIME_GIVEN,
        end: TIME_GIVEN,
        resolution: { enum: ['hour', 'day', 'month'] },
        duration: WORD,
        dimensions: { type: 'array', maxItems: 2, items: { enum: KNOWN } },
        metrics: { type: 'array', maxItems: MOST_NAMES, items: WORD },
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
    },
    response: {
      200: {
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
    },
  },
})(async ({ caller, body }, core) => {
  const { dimensions = ['time'], filter, pagination = {} } = body
  const names = [...new Set(body.metrics ?? USUAL_METRICS)]
  const unknown = names.find((name) => !Object.hasOwn(METRICS, name))
  if (unknown !== undefined) {
    throw invalidField('metrics', `there is no "${unknown}"; there are ${Object.keys(METRICS).join(', ')}`)
  }
  const { domain, others } = await domainOf(core, caller, filter?.AND ?? [])
  const [by, ...more] = dimensions.filter((each) => each !== 'time')
  if (more.length > 0) throw invalidField('dimensions', 'there may be one beside time')
  const value = onlyValue(by, others)
  const { since, until, resolution, size } = readPeriod(body, Date.now())
  const { limit = USUAL_LIMIT, skip = 0 } = pagination
  const found = await groupsOf(core, {
    companyId: caller.companyId,
    domainId: domain?.id ?? null,
    size,
    dimension: by === undefined ? 'all' : COUNTED[by],
    value,
    since,
    until,
    by: {
      time: dimensions.includes('time') ? (resolution === 'month' ? 'month' : 'bucket') : null,
      value: by !== undefined,
    },
    skip,
    limit,
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
    status: 200,
    body: {
      start: mailDate(since),
      end: mailDate(until),
      resolution,
      ...(body.duration !== undefined && { duration: body.duration }),
      dimensions: [...dimensions],
      pagination: { sort: '', skip, limit, total: found.total },
      items,
      ...(body.include_aggregates === true && { aggregates: { metrics: shown(found.sums) } }),
    },
  }
})

/** Of what is counted by: the one value that is asked about. Null: each. Throws a Refusal. */
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
    'beside domain it may name one value, with =, of the dimension that is counted by',
  )
}

export const metricRoutes: readonly Endpoint[] = [metrics]
