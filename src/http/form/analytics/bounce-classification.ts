/** `POST /v2/bounce-classification/metrics`: why mail was refused or late. */
import type { Principal } from '../../../accounts/account.ts'
import { mailDate } from '../../../ingress/message-form/date.ts'
import { invalidField } from '../../../intake/refusal.ts'
import type { EventGroups, GroupRequest } from '../../../store/store.ts'
import { SKIP, TIME_INPUT, WORD } from '../../bounds.ts'
import type { HttpCore } from '../../core.ts'
import { groupsOf, tooManyEvents } from '../../counts.ts'
import type { Endpoint } from '../../endpoint.ts'
import { route } from '../../route.ts'
import { TEXT } from '../schemas.ts'
import { readPeriod } from '../stats/period.ts'
import {
  countsDeliveries,
  DIMENSIONS,
  deliveriesIn,
  type FailureDimension,
  type FailureMetric,
  type Failures,
  type FigureItem,
  type FigureNames,
  failuresIn,
  figureItems,
  METRICS,
} from './failure-figures.ts'
import { domainOf, FILTER, type FilterCondition, holds } from './filter.ts'

/** The most names in a request: more than there are dimensions or metrics, because a client may repeat one. */
const MAX_NAMES = 100
const USUAL_LIMIT = 10
const USUAL_SORT = 'classified_failures_count:desc'
/** The most groups of counts in one answer. */
const MAX_GROUPS = 3_000

const metrics = route('POST /v2/bounce-classification/metrics', {
  operation: 'form_bounce_metrics',
  access: 'reading',
  operationId: 'formBounceMetrics',
  summary: 'Count refused and late mail by provider, category, domain and time',
  description:
    `An item for each combination of the dimensions that has failures. \`entity-name\` is a large provider or
    Others; \`category\` is that of the events; \`criticality\` is critical for bad reputation, content taken for spam and
    failed authentication. Rates are shares of the delivered mail, and null where delivered mail has no such dimension.`.replace(
      /\s+/g,
      ' ',
    ),
  body: {
    type: 'object',
    properties: {
      start: TIME_INPUT,
      end: TIME_INPUT,
      resolution: { enum: ['hour', 'day'] },
      duration: WORD,
      dimensions: { type: 'array', maxItems: MAX_NAMES, items: { enum: DIMENSIONS } },
      metrics: { type: 'array', maxItems: MAX_NAMES, items: { enum: METRICS } },
      filter: FILTER,
      include_subaccounts: { type: 'boolean' },
      pagination: {
        type: 'object',
        properties: {
          sort: { ...WORD, description: 'A dimension or a metric, with `:asc` or `:desc`.' },
          skip: SKIP,
          limit: { type: 'integer', minimum: 1, maximum: 1_000, description: `Default: ${USUAL_LIMIT}.` },
        },
      },
    },
  },
  answer: {
    type: 'object',
    properties: {
      start: TEXT,
      end: TEXT,
      resolution: TEXT,
      duration: TEXT,
      dimensions: { type: 'array', items: TEXT },
      pagination: { type: 'object', additionalProperties: true },
      items: { type: 'array', items: { type: 'object', additionalProperties: true } },
    },
  },
})(async ({ caller, body }, core) => {
  const { domain, others } = await domainOf(core, caller, body.filter?.AND ?? [], 'domain.name')
  const isWanted = readConditions(others)
  const dimensions = [...new Set(body.dimensions ?? [])]
  const names = [...new Set(body.metrics ?? METRICS)]
  const { sort = USUAL_SORT, skip = 0, limit = USUAL_LIMIT } = body.pagination ?? {}
  const inOrder = orderOf(sort)
  const period = readPeriod(body, Date.now())
  const { since, until, size, resolution } = period
  const counted = { companyId: caller.companyId, domainId: domain?.id ?? null, size, since, until }
  const time = dimensions.includes('timestamp') ? ('bucket' as const) : null
  const reasons = await allGroups(core, { ...counted, dimension: 'reason', by: { time, value: 'both' } })
  const known = namesOf(core, caller)
  const failures = failuresIn(reasons, known).filter(isWanted)
  const byWhole = { ...counted, dimension: 'all', by: { time, value: 'domain' } } as const
  const deliveries =
    countsDeliveries(dimensions) && others.length === 0
      ? deliveriesIn(await allGroups(core, byWhole), known, dimensions)
      : null
  const items = inOrder(figureItems(failures, dimensions, deliveries))
  return {
    start: mailDate(since),
    end: mailDate(until),
    resolution,
    ...(body.duration !== undefined && { duration: body.duration }),
    dimensions,
    pagination: { sort, skip, limit, total: items.length },
    items: items.slice(skip, skip + limit).map(({ values, figures }) => ({
      ...Object.fromEntries(dimensions.map((dimension) => [dimension, values[dimension]])),
      metrics: Object.fromEntries(names.map((name) => [name, figures[name]])),
    })),
  }
})

/** The groups of counts. Rejects with a Fault when there are too many for one answer. */
async function allGroups(
  core: HttpCore,
  request: Omit<GroupRequest, 'most' | 'value' | 'skip' | 'limit'>,
): Promise<EventGroups> {
  const found = await groupsOf(core, { ...request, value: null, skip: 0, limit: MAX_GROUPS }, NARROWER)
  if (found.total > MAX_GROUPS) throw tooManyEvents(NARROWER)
  return found
}

const NARROWER = 'ask for a shorter period, longer steps, or one domain'

function namesOf({ deps }: HttpCore, { companyId }: Principal): FigureNames {
  const { directory } = deps.accounts
  return {
    account: directory.company(companyId)?.name ?? '',
    domain: (id) => directory.domainName(id) ?? id,
  }
}

/** Throws a Refusal. */
function orderOf(sort: string): (items: readonly FigureItem[]) => FigureItem[] {
  const [, name = '', direction = 'asc'] = /^([\w.-]+)(?::(asc|desc))?$/.exec(sort) ?? []
  const read = sortValueOf(name)
  const turn = direction === 'desc' ? -1 : 1
  return (items) => {
    const keyed = items.map((item) => ({ item, key: read(item) }))
    keyed.sort((a, b) => (a.key < b.key ? -turn : a.key > b.key ? turn : 0))
    return keyed.map(({ item }) => item)
  }
}

/** The sort key of an item. Throws a Refusal. */
function sortValueOf(name: string): (item: FigureItem) => string | number {
  // As text, dates would be sorted by their weekday.
  if (name === 'timestamp') return ({ values }) => Date.parse(values[name])
  if (isDimension(name)) return ({ values }) => values[name]
  if (isMetric(name)) return ({ figures }) => figures[name] ?? -1
  const known = [...DIMENSIONS, ...METRICS].join(', ')
  throw invalidField('pagination.sort', `it takes one of ${known}, with :asc or :desc`)
}

/** Throws a Refusal. */
function readConditions(conditions: readonly FilterCondition[]): (failures: Failures) => boolean {
  const tests = conditions.map((condition) => {
    const { attribute } = condition
    if (!isDimension(attribute) || attribute === 'timestamp') {
      const known = DIMENSIONS.filter((dimension) => dimension !== 'timestamp').join(', ')
      throw invalidField('filter', `there is no attribute "${attribute}"; the attributes are ${known}`)
    }
    // Cached by value: the failures have few different values, but a condition may have many.
    const answers = new Map<string, boolean>()
    return ({ values }: Failures): boolean => {
      const value = values[attribute].toLowerCase()
      const answer = answers.get(value) ?? holds(condition, value)
      answers.set(value, answer)
      return answer
    }
  })
  return (failures) => tests.every((test) => test(failures))
}

function isDimension(name: string): name is FailureDimension {
  return (DIMENSIONS as readonly string[]).includes(name)
}

function isMetric(name: string): name is FailureMetric {
  return (METRICS as readonly string[]).includes(name)
}

export const bounceMetricRoutes: readonly Endpoint[] = [metrics]
