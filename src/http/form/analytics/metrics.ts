/** `POST /v1/analytics/metrics`: figures by time, domain, tag or the domain of recipients. */
import { invalidField } from '../../../intake/refusal.ts'
import type { EventCount } from '../../../store/store.ts'
import { type Endpoint, endpoint } from '../../endpoint.ts'
import { mailDate } from '../date.ts'
import { countsOf } from '../stats/counts.ts'
import { addUp, type Figures, METRICS } from '../stats/figures.ts'
import { readPeriod, stepOf } from '../stats/period.ts'
import { domainOf, FILTER } from './filter.ts'

const TEXT = { type: 'string' } as const
const FIGURES = { type: 'object', additionalProperties: true } as const
/** Where none are named. */
const USUAL_METRICS = ['accepted_count', 'delivered_count', 'failed_count', 'opened_count', 'clicked_count']
/** What a dimension is counted by; time by all of these. */
const COUNTED = { tag: 'tag', recipient_domain: 'recipient-domain' } as const
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
        start: TEXT,
        end: TEXT,
        resolution: { enum: ['hour', 'day', 'month'] },
        duration: TEXT,
        dimensions: { type: 'array', maxItems: 2, items: { enum: KNOWN } },
        metrics: { type: 'array', items: TEXT },
        filter: FILTER,
        include_subaccounts: { type: 'boolean' },
        include_aggregates: { type: 'boolean' },
        pagination: {
          type: 'object',
          properties: {
            limit: { type: 'integer', minimum: 1, maximum: 1_500 },
            skip: { type: 'integer', minimum: 0 },
            sort: TEXT,
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
  const names = body.metrics ?? USUAL_METRICS
  const unknown = names.find((name) => !Object.hasOwn(METRICS, name))
  if (unknown !== undefined) {
    throw invalidField('metrics', `there is no "${unknown}"; there are ${Object.keys(METRICS).join(', ')}`)
  }
  const { domain, others } = await domainOf(core, caller, filter?.AND ?? [])
  const [by, ...more] = dimensions.filter((each) => each !== 'time')
  if (more.length > 0) throw invalidField('dimensions', 'there may be one beside time')
  const value = onlyValue(by, others)
  const { since, until, resolution, size } = readPeriod(body, Date.now())
  const counts = await countsOf(core, {
    companyId: caller.companyId,
    domainId: domain?.id ?? null,
    size,
    dimension: by === undefined ? 'all' : COUNTED[by],
    value,
    since,
    until,
  })
  const read: Record<(typeof KNOWN)[number], (count: EventCount) => string> = {
    time: ({ start }) => String(stepOf(start, resolution)),
    tag: (count) => count.value,
    recipient_domain: (count) => count.value,
  }
  const keyOf = (count: EventCount) => JSON.stringify(dimensions.map((name) => read[name](count)))
  const all = [...addUp(counts, keyOf)].map(([key, figures]) => ({
    values: JSON.parse(key) as string[],
    figures,
  }))
  const { limit = 100, skip = 0 } = pagination
  const shown = (figures: Figures) => Object.fromEntries(names.map((name) => [name, METRICS[name]!(figures)]))
  const items = all.slice(skip, skip + limit).map(({ values, figures }) => ({
    dimensions: dimensions.map((dimension, index) => {
      const text = dimension === 'time' ? mailDate(Number(values[index])) : values[index]!
      return { dimension, value: text, display_value: text }
    }),
    metrics: shown(figures),
  }))
  const total = addUp(counts, () => '').get('') ?? new Map()
  return {
    status: 200,
    body: {
      start: mailDate(since),
      end: mailDate(until),
      resolution,
      ...(body.duration !== undefined && { duration: body.duration }),
      dimensions: [...dimensions],
      pagination: { sort: '', skip, limit, total: all.length },
      items,
      ...(body.include_aggregates === true && { aggregates: { metrics: shown(total) } }),
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
