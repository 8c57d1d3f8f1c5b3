/** `GET /emails/metrics`: counts of delivery results, by period and sending domain. */

import { invalidField } from '../../../intake/refusal.ts'
import { visibleAccounts } from '../../../operate/authority.ts'
import { noSuchDomain } from '../../../operate/find.ts'
import type { EventGroups, TypeSums } from '../../../store/store.ts'
import { oneOrMore, PASSAGE, TIME_INPUT, WORD } from '../../bounds.ts'
import { commaList } from '../../comma-list.ts'
import type { HttpCore } from '../../core.ts'
import { groupsOf, tooManyEvents } from '../../counts.ts'
import { longJson } from '../../json-pieces.ts'
import { operationOfKey } from '../../operation.ts'
import { route } from '../../route.ts'
import { GRANULARITIES, type MetricsPeriod, readMetricsPeriod } from './metrics-period.ts'

type RecipientMetric = (sums: TypeSums) => number

const count =
  (type: string): RecipientMetric =>
  (sums) =>
    sums[type] ?? 0
const none: RecipientMetric = () => 0
/** A fraction between 0 and 1, with four decimals. */
const rate =
  (part: RecipientMetric, whole: RecipientMetric): RecipientMetric =>
  (sums) => {
    const all = whole(sums)
    return all === 0 ? 0 : Math.round((10_000 * part(sums)) / all) / 10_000
  }
const accepted = count('accepted')
const delivered = count('delivered')
const bounced = count('bounced')

/**
 * Every figure counts recipients. `none`: this service has no such count. Returned mail is counted for no domain, and
 * opens and clicks are not counted by reader.
 */
const METRICS: Readonly<Record<string, RecipientMetric>> = {
  sent: accepted,
  delivered,
  delivery_delayed: count('delivery_delayed'),
  bounced,
  bounced_permanent: count('bounced_permanent'),
  bounced_transient: count('bounced_transient'),
  bounced_undetermined: (sums) =>
    bounced(sums) - count('bounced_permanent')(sums) - count('bounced_transient')(sums),
  failed: count('failed'),
  suppressed: count('suppressed'),
  complained: count('complained'),
  unsubscribed: count('unsubscribed'),
  opened: count('opened'),
  clicked: count('clicked'),
  unique_opened: none,
  unique_clicked: none,
  received: none,
  delivery_rate: rate(delivered, accepted),
  bounce_rate: rate(bounced, accepted),
  complaint_rate: rate(count('complained'), delivered),
  unsubscribe_rate: rate(count('unsubscribed'), delivered),
  open_rate: rate(count('opened'), delivered),
  click_rate: rate(count('clicked'), delivered),
}
const DIMENSIONS = ['period', 'domain'] as const
type Dimension = (typeof DIMENSIONS)[number]

/** The most groups of counts that the database adds up for an answer, and the most rows of the answer. */
const MAX_GROUPS = 10_000
const MAX_ROWS = 1_500
const NARROWER = 'ask for a shorter time, longer periods, or fewer domains'
/** The most values of one parameter, more than there are names. */
const MAX_NAMED = 100

const LIST = oneOrMore(PASSAGE, MAX_NAMED)
const FIGURES = { type: 'object', additionalProperties: { type: 'number' } } as const
const names = (values: readonly string[]) => ({ type: 'array', items: { enum: values } }) as const

export const emailMetrics = route('GET /emails/metrics', {
  operation: 'email_metrics',
  access: 'reading',
  operationId: 'emailMetrics',
  summary: 'Get delivery metrics by period and sending domain',
  description: 'All figures count recipients; rates are from 0 to 1. Only whole hours are counted.',
  query: {
    type: 'object',
    properties: {
      start_date: {
        ...TIME_INPUT,
        description: 'ISO 8601, a date or a time with its zone. Default: six days before the end.',
      },
      end_date: { ...TIME_INPUT, description: 'The same; a date includes the whole day. Default: now.' },
      timezone: { ...WORD, description: 'Time zone of periods and dates. Default: UTC.' },
      granularity: { enum: GRANULARITIES, description: 'Length of a period. Default: daily.' },
      metrics: { ...LIST, description: `With commas. Default: all, ${Object.keys(METRICS).join(', ')}.` },
      dimensions: {
        ...LIST,
        description: '`period`, `domain` or both. Default: totals only.',
      },
      domain_id: { ...LIST, description: 'Only of these sending domains.' },
      email_id: { ...LIST, description: 'Refused: there are no counts by email.' },
      broadcast_id: { ...LIST, description: 'Refused: there are no broadcasts.' },
    },
  },
  answer: {
    type: 'object',
    required: ['object', 'start_date', 'end_date', 'metrics', 'dimensions', 'granularity', 'totals'],
    properties: {
      object: { const: 'metrics' },
      start_date: { type: 'string' },
      end_date: { type: 'string' },
      metrics: names(Object.keys(METRICS)),
      dimensions: names(DIMENSIONS),
      granularity: { enum: GRANULARITIES },
      totals: FIGURES,
      data: {
        type: 'array',
        description: 'Only with dimensions.',
        items: {
          type: 'object',
          properties: {
            period: { type: 'string', description: 'A date, or the start of an hour, in the time zone.' },
            domain_id: { type: 'string' },
            domain_name: { type: 'string' },
          },
          additionalProperties: { type: 'number' },
        },
      },
    },
  },
})(async ({ caller, query }, core) => {
  if (query.email_id !== undefined) throw invalidField('email_id', NOT_BY_EMAIL)
  if (query.broadcast_id !== undefined) throw invalidField('broadcast_id', NOT_BY_BROADCAST)
  const metrics = requestedMetrics(query.metrics)
  const dimensions = requestedDimensions(query.dimensions)
  const period = readMetricsPeriod(query, Date.now())
  const wanted = [...new Set(commaList(query.domain_id))]
  const own = new Set(visibleAccounts(operationOfKey(core, caller)).domains.map(({ id }) => id))
  for (const id of wanted) if (!own.has(id)) throw noSuchDomain(id)
  const [only] = wanted
  const found = await readGroups(core, {
    companyId: caller.companyId,
    domainId: wanted.length === 1 ? only! : caller.domainId,
    byPeriod: dimensions.includes('period'),
    byDomain: dimensions.includes('domain') || wanted.length > 1,
    period,
  })
  const groups = wanted.length > 1 ? found.filter(({ value }) => wanted.includes(value)) : found
  const rows = dimensions.length === 0 ? null : rowsOf(groups, dimensions, period)
  if (rows !== null && rows.size > MAX_ROWS) throw tooManyEvents(NARROWER)
  const shown = (sums: TypeSums) => Object.fromEntries(metrics.map((name) => [name, METRICS[name]!(sums)]))
  const { directory } = core.deps.accounts
  return longJson({
    object: 'metrics',
    start_date: new Date(period.start).toISOString(),
    end_date: new Date(period.end).toISOString(),
    metrics,
    dimensions,
    granularity: period.granularity,
    totals: shown(addSums(groups.map(({ sums }) => sums))),
    ...(rows !== null && {
      data: [...rows.values()].map(({ period, domainId, sums }) => ({
        ...(period !== null && { period }),
        ...(domainId !== null && {
          domain_id: domainId,
          domain_name: directory.domainName(domainId) ?? '',
        }),
        ...shown(addSums(sums)),
      })),
    }),
  })
})

const NOT_BY_EMAIL = 'there are no counts by email: use `GET /emails/{id}` for a single email'
const NOT_BY_BROADCAST = 'there are no broadcasts'
const NOT_BY: ReadonlyMap<string, string> = new Map([
  ['email', NOT_BY_EMAIL],
  ['broadcast', NOT_BY_BROADCAST],
])

/** Throws a Refusal. */
function requestedMetrics(given: string | string[] | undefined): string[] {
  const named = [...new Set(commaList(given))]
  const unknown = named.find((name) => !Object.hasOwn(METRICS, name))
  if (unknown !== undefined) {
    throw invalidField('metrics', `it must be one or more of: ${Object.keys(METRICS).join(', ')}`)
  }
  return named.length === 0 ? Object.keys(METRICS) : named
}

/** Throws a Refusal. */
function requestedDimensions(given: string | string[] | undefined): Dimension[] {
  return [...new Set(commaList(given))].map((name) => {
    const known = DIMENSIONS.find((dimension) => dimension === name)
    if (known !== undefined) return known
    throw invalidField(
      'dimensions',
      NOT_BY.get(name) ?? `it must be one or more of: ${DIMENSIONS.join(', ')}`,
    )
  })
}

interface GroupsQuery {
  companyId: string
  domainId: string | null
  byPeriod: boolean
  byDomain: boolean
  period: MetricsPeriod
}

/** Rejects with a Fault when there are too many counts. */
async function readGroups(
  core: HttpCore,
  { companyId, domainId, byPeriod, byDomain, period }: GroupsQuery,
): Promise<EventGroups['groups']> {
  const { size, since, until } = period
  const request: Parameters<typeof groupsOf>[1] = {
    companyId,
    domainId,
    size,
    dimension: 'all',
    value: null,
    since,
    until,
    by: { time: byPeriod ? 'bucket' : null, value: byDomain ? 'domain' : false },
    skip: 0,
    limit: MAX_GROUPS,
  }
  const { groups, total } = await groupsOf(core, request, NARROWER)
  if (total > MAX_GROUPS) throw tooManyEvents(NARROWER)
  return groups
}

interface MetricsRow {
  period: string | null
  domainId: string | null
  sums: TypeSums[]
}

/** The rows by time, then by domain. Without the dimension `domain`, a period without mail has a row, too. */
function rowsOf(
  groups: EventGroups['groups'],
  dimensions: readonly Dimension[],
  period: MetricsPeriod,
): Map<string, MetricsRow> {
  const byPeriod = dimensions.includes('period')
  const byDomain = dimensions.includes('domain')
  const rows = new Map<string, MetricsRow>()
  const rowOf = (name: string | null, domainId: string | null): MetricsRow => {
    const key = `${name} ${domainId}`
    let row = rows.get(key)
    if (row === undefined) {
      row = { period: name, domainId, sums: [] }
      rows.set(key, row)
    }
    return row
  }
  const nameOf = memoize(period.nameOf)
  if (byPeriod && !byDomain) {
    for (let at = period.since; at < period.until; at += period.bucket) rowOf(nameOf(at), null)
  }
  for (const { start, value, sums } of groups) {
    rowOf(byPeriod ? nameOf(start!) : null, byDomain ? value : null).sums.push(sums)
  }
  return rows
}

/** Caches the names: converting a time to a zone costs microseconds, and many groups have the same time. */
function memoize(nameOf: (at: number) => string): (at: number) => string {
  const known = new Map<number, string>()
  return (at) => {
    let name = known.get(at)
    if (name === undefined) {
      name = nameOf(at)
      known.set(at, name)
    }
    return name
  }
}

function addSums(all: readonly TypeSums[]): TypeSums {
  const whole: Record<string, number> = {}
  for (const sums of all) {
    for (const [type, n] of Object.entries(sums)) whole[type] = (whole[type] ?? 0) + n
  }
  return whole
}
