/** Figures of refused and late mail by category, provider, domain and time. Pure. */
import { reasonOf } from '../../../email/refusal-reason.ts'
import { mailDate } from '../../../ingress/message-form/date.ts'
import type { BounceCategory } from '../../../mail/reply/category.ts'
import type { EventGroups } from '../../../store/store.ts'

export const DIMENSIONS = [
  'entity-name',
  'category',
  'criticality',
  'severity',
  'domain.name',
  'account.name',
  'timestamp',
] as const
export type FailureDimension = (typeof DIMENSIONS)[number]
/** Dimensions of refused and late mail that delivered mail does not have. */
const OF_FAILURES: ReadonlySet<FailureDimension> = new Set([
  'entity-name',
  'category',
  'criticality',
  'severity',
])

const COUNTS = [
  'critical_bounce_count',
  'non_critical_bounce_count',
  'critical_delay_count',
  'non_critical_delay_count',
] as const
type FailureCount = (typeof COUNTS)[number]

/** Each rate is a count divided by the number of delivered messages. */
const RATES = {
  critical_bounce_rate: 'critical_bounce_count',
  non_critical_bounce_rate: 'non_critical_bounce_count',
  critical_delay_rate: 'critical_delay_count',
  non_critical_delay_rate: 'non_critical_delay_count',
} as const satisfies Record<string, FailureCount>

export const METRICS = [
  ...COUNTS,
  'classified_failures_count',
  'delivered_smtp_count',
  ...(Object.keys(RATES) as (keyof typeof RATES)[]),
] as const
export type FailureMetric = (typeof METRICS)[number]

/** Null: no mail was delivered, or the number of deliveries is not known for these dimensions. */
type FailureFigures = Readonly<Record<FailureMetric, number | null>>

/** Refusals that harm the sender's reputation until the sender acts. */
const CRITICAL: ReadonlySet<BounceCategory> = new Set(['reputation', 'content_spam', 'authentication'])
/** The entity of servers that belong to none of the large providers. */
const OTHERS = 'Others'

/** The names of the company and, by id, of its domains. */
export interface FigureNames {
  account: string
  domain(id: string): string
}

export interface Failures {
  values: Readonly<Record<FailureDimension, string>>
  count: FailureCount
  n: number
}

/** `groups`: of the dimension `reason`, by domain and value. */
export function failuresIn({ groups }: EventGroups, names: FigureNames): Failures[] {
  return groups.flatMap(({ start, value, sums }) => {
    const between = value.indexOf(' ')
    const { category, provider } = reasonOf(value.slice(between + 1))
    const isCritical = CRITICAL.has(category)
    const common = {
      'entity-name': provider || OTHERS,
      category,
      criticality: isCritical ? 'critical' : 'non-critical',
      'domain.name': names.domain(value.slice(0, between)),
      'account.name': names.account,
      timestamp: timestampOf(start),
    }
    const kind = isCritical ? 'critical' : 'non_critical'
    const bounces = (sums.bounced ?? 0) + (sums.failed ?? 0)
    const delays = sums.delivery_delayed ?? 0
    const both: Failures[] = [
      { values: { ...common, severity: 'permanent' }, count: `${kind}_bounce_count`, n: bounces },
      { values: { ...common, severity: 'temporary' }, count: `${kind}_delay_count`, n: delays },
    ]
    return both.filter(({ n }) => n > 0)
  })
}

/** Numbers of delivered messages, by the values of the dimensions. Null: unknown. */
export type Deliveries = ReadonlyMap<string, number> | null

export function countsDeliveries(dimensions: readonly FailureDimension[]): boolean {
  return !dimensions.some((dimension) => OF_FAILURES.has(dimension))
}

/** `groups`: of all events, by domain. `dimensions`: only those that delivered mail has. */
export function deliveriesIn(
  { groups }: EventGroups,
  names: FigureNames,
  dimensions: readonly FailureDimension[],
): Deliveries {
  const deliveries = new Map<string, number>()
  for (const { start, value, sums } of groups) {
    const values = {
      'domain.name': names.domain(value),
      'account.name': names.account,
      timestamp: timestampOf(start),
    }
    const key = keyOf(dimensions, values)
    deliveries.set(key, (deliveries.get(key) ?? 0) + (sums.delivered ?? 0))
  }
  return deliveries
}

function timestampOf(start: number | null): string {
  return start === null ? '' : mailDate(start)
}

function keyOf(
  dimensions: readonly FailureDimension[],
  values: Partial<Record<FailureDimension, string>>,
): string {
  return JSON.stringify(dimensions.map((dimension) => values[dimension]))
}

export interface FigureItem {
  values: Failures['values']
  figures: FailureFigures
}

/** One item for each combination of values of the dimensions, in the order of the failures. */
export function figureItems(
  failures: readonly Failures[],
  dimensions: readonly FailureDimension[],
  deliveries: Deliveries,
): FigureItem[] {
  const groups = Map.groupBy(failures, ({ values }) => keyOf(dimensions, values))
  return [...groups].map(([key, those]) => {
    const delivered = deliveries === null ? null : (deliveries.get(key) ?? 0)
    return { values: those[0]!.values, figures: figuresOf(those, delivered) }
  })
}

function figuresOf(failures: readonly Failures[], delivered: number | null): FailureFigures {
  const sumOf = (wanted: FailureCount) =>
    failures.reduce((sum, { count, n }) => sum + (count === wanted ? n : 0), 0)
  const counts = Object.fromEntries(COUNTS.map((count) => [count, sumOf(count)])) as Record<
    FailureCount,
    number
  >
  const rates = Object.entries(RATES).map(([rate, count]) => [
    rate,
    delivered === null || delivered === 0 ? null : counts[count] / delivered,
  ])
  return {
    ...counts,
    classified_failures_count: failures.reduce((sum, { n }) => sum + n, 0),
    delivered_smtp_count: delivered,
    ...(Object.fromEntries(rates) as Record<keyof typeof RATES, number | null>),
  }
}
