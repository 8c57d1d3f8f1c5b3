/**
 * Mail volume and latency over time, from the counters kept beside the log of events: of a company or a sending domain,
 * and for operators of the whole installation. Data only; all numbers count recipients.
 */
import { type EventType, FAILURES } from '../email/event.ts'
import { type RefusalReason, reasonOf } from '../email/refusal-reason.ts'
import { percentilesOf } from '../events/latency.ts'
import { longSeriesOf, type SeriesSpan, type Span, seriesOf, sumsOf } from '../events/spans.ts'
import type { CountRequest, EventCount, EventSum, SumRequest } from '../store/store.ts'
import { OperateError } from './error.ts'
import { type CompanyFilter, companyScope, findCompany, findDomain, findOwnDomain } from './find.ts'
import { RecentAnswers } from './recent-answers.ts'
import { type Operation, verb } from './verb.ts'

/** The mail to count, and the span. An operator who names neither company nor domain gets all mail. */
export interface OverviewRequest extends CompanyFilter {
  span: Span
  /** Sending domain: name or id. */
  domain?: string | undefined
  /** Recipient domain, instead of a sending domain. Recipient domains are counted by the hour. */
  to?: string | undefined
}

/**
 * Number of recipients by type of event; `accepted`: recipients of accepted emails. An absent type is 0. Volumes of a
 * sending domain have further types, for kinds of bounces.
 */
export type Volume = Readonly<Partial<Record<CountedType, number>>>
export type CountedType = EventType | 'accepted'

/** A point every `step` ms from `since` on. */
export interface TimeSeries extends Pick<SeriesSpan, 'since' | 'until' | 'step' | 'points'> {
  span: Span
}

export interface VolumeSeries extends TimeSeries {
  /** By type: a number for each point. */
  series: Readonly<Partial<Record<CountedType, readonly number[]>>>
  totals: Volume
}

/** Counters added up for one answer: more than any span has. */
const MAX_IN_SERIES = 200_000
/** The same for sums over all sending domains, destinations or companies, whose number depends on the senders. */
const MAX_IN_SUMS = 500_000

/** The volume of each type of event over time. */
export const showVolume = verb('read', async (op, request: OverviewRequest): Promise<VolumeSeries> => {
  const { companyId, domainId } = whose(op, request)
  const { to } = request
  if (to !== undefined && domainId !== null) {
    throw new OperateError(
      'invalid',
      'mail is counted by sending domain or by recipient domain: choose one of the two',
    )
  }
  const span = (to === undefined ? seriesOf : longSeriesOf)(request.span, op.now())
  const of =
    to === undefined
      ? ({ dimension: domainId === null ? 'total' : 'all', value: null } as const)
      : ({ dimension: 'destination', value: to.toLowerCase() } as const)
  const counts = await countSeries(op, { companyId, domainId, ...of }, span)
  const series: Partial<Record<CountedType, number[]>> = {}
  for (const { start, type, n } of counts) {
    const numbers = series[type as CountedType] ?? new Array<number>(span.points).fill(0)
    numbers[pointOf(span, start)]! += n
    series[type as CountedType] = numbers
  }
  const totals = Object.entries(series).map(([type, numbers]) => [type, sumOf(numbers)])
  return { ...shown(request.span, span), series, totals: Object.fromEntries(totals) }
})

export interface LatencySeries extends TimeSeries {
  /** Ms within which 50%, 90% and 99% of the mail delivered in that step was delivered; null: none was. */
  p50: readonly (number | null)[]
  p90: readonly (number | null)[]
  p99: readonly (number | null)[]
  /** The same for the whole span. */
  whole: { p50: number; p90: number; p99: number } | null
}

const PARTS = [0.5, 0.9, 0.99]

/** How long delivery took, from the moment an email was due. Of a company, or of all. */
export const showLatency = verb(
  'read',
  async (op, wanted: Omit<OverviewRequest, 'domain' | 'to'>): Promise<LatencySeries> => {
    const { companyId } = whose(op, wanted)
    const span = seriesOf(wanted.span, op.now())
    const { size, since, until, step } = span
    const asked = {
      companyId,
      domainId: null,
      dimension: 'latency',
      value: null,
      size,
      since,
      until,
    } as const
    const request = { ...asked, step, parts: PARTS, most: MAX_IN_SERIES }
    const ranks = notTooMany(await op.inTurn(companyId, () => op.store.countRanks(request)))
    const byPoint = Map.groupBy(ranks, ({ start }) => (start === null ? null : pointOf(span, start)))
    const ofPoint = (point: number | null) => percentilesOf(byPoint.get(point) ?? [], PARTS)
    const percentiles = Array.from({ length: span.points }, (_, point) => ofPoint(point))
    const nth = (index: number) => percentiles.map((found) => found?.[index] ?? null)
    const whole = ofPoint(null)
    return {
      ...shown(wanted.span, span),
      p50: nth(0),
      p90: nth(1),
      p99: nth(2),
      whole: whole === null ? null : { p50: whole[0]!, p90: whole[1]!, p99: whole[2]! },
    }
  },
)

export interface VolumeOf {
  /** Recipient domain, or id of a sending domain or company. */
  key: string
  volume: Volume
}

/** Sums from `since` on, which may be before the span: hours and days are counted as a whole. */
export interface Volumes {
  span: Span
  since: number
  until: number
  /** Null: there are too many counters to add up for one answer; a shorter span has fewer. */
  volumes: VolumeOf[] | null
}

/** By sending domain, largest first. Of one company. */
export const showVolumeByDomain = verb(
  'read',
  async (op, wanted: Omit<OverviewRequest, 'domain' | 'to'>): Promise<Volumes> => {
    const { companyId } = whose(op, wanted)
    if (companyId === null) {
      throw new OperateError('invalid', 'sending domains are shown for one company: choose a company', {
        verb: 'listCompanies',
      })
    }
    return await volumesOf(op, wanted.span, { companyId, dimension: 'all', by: 'domain' })
  },
)

export interface DestinationVolumes extends Volumes {
  /**
   * The destinations with the most mail, and those with the most failures; null under the same condition as `volumes`.
   */
  busiest: VolumeOf[] | null
  failing: VolumeOf[] | null
  /** Mail to destinations that are not counted by name. */
  others: Volume
}

export interface DestinationsRequest extends Omit<OverviewRequest, 'domain' | 'to'> {
  /** The most entries of each list. */
  limit?: number | undefined
}

/** By recipient domain. */
export const showDestinations = verb(
  'read',
  async (
    op,
    { limit = 10, ...wanted }: DestinationsRequest,
  ): Promise<Omit<DestinationVolumes, 'volumes'>> => {
    const { companyId } = whose(op, wanted)
    const range = sumsOf(wanted.span, op.now())
    const request = {
      companyId,
      domainId: null,
      value: null,
      dimension: 'destination',
      most: MAX_IN_SUMS,
    } as const
    const sums = await op.inTurn(companyId, () => op.store.sumBusiest({ ...request, ...range, limit }))
    const found = { span: wanted.span, since: range.since, until: range.until, volumes: sums && byKey(sums) }
    const { volumes, ...span } = found
    const named = volumes?.filter(({ key }) => key !== '') ?? null
    const failing = named
      ?.filter(({ volume }) => failures(volume) > 0)
      .sort((a, b) => failures(b.volume) - failures(a.volume))
    return {
      ...span,
      busiest: named?.slice(0, limit) ?? null,
      failing: failing?.slice(0, limit) ?? null,
      others: volumes?.find(({ key }) => key === '')?.volume ?? {},
    }
  },
)

export interface ReasonCount extends RefusalReason {
  /** Recipients whose mail will never arrive, and delays. */
  failures: number
  delays: number
}

/** Sums as of `Volumes`. */
export interface ReasonCounts extends Pick<Volumes, 'span' | 'since' | 'until'> {
  /** Those with the most failures come first. Null: under the same condition as `volumes`. */
  reasons: ReasonCount[] | null
}

/** Why mail was refused or late, by category and provider. Of a company, or of all. */
export const showReasons = verb(
  'read',
  async (op, wanted: Omit<OverviewRequest, 'domain' | 'to'>): Promise<ReasonCounts> => {
    const { companyId } = whose(op, wanted)
    const of = { companyId, dimension: 'reason', by: 'value' } as const
    const { volumes, ...range } = await volumesOf(op, wanted.span, of)
    const reasons = volumes?.map(({ key, volume }) => {
      const delays = volume.delivery_delayed ?? 0
      return { ...reasonOf(key), failures: failures(volume), delays }
    })
    reasons?.sort((a, b) => b.failures - a.failures || b.delays - a.delays)
    return { ...range, reasons: reasons ?? null }
  },
)

/** Cached, because every company has a counter for each day. */
const byCompany = new RecentAnswers<Volumes>()

/** By company, largest first. */
export const showVolumeByCompany = verb(
  'operate',
  (op, { span }: Pick<OverviewRequest, 'span'>): Promise<Volumes> =>
    byCompany.answerOf(op.store, span, () =>
      volumesOf(op, span, { companyId: null, dimension: 'total', by: 'company' }),
    ),
  null,
)

/** Recipients whose mail will never arrive. */
export function failures(volume: Volume): number {
  return FAILURES.reduce((sum, type) => sum + (volume[type] ?? 0), 0)
}

function whose(
  op: Operation,
  { company, domain: text }: Pick<OverviewRequest, 'company' | 'domain'>,
): Pick<CountRequest, 'companyId' | 'domainId'> {
  if (text === undefined) return { companyId: companyScope(op, { company }), domainId: null }
  const domain =
    company === undefined ? findDomain(op, text) : findOwnDomain(op, findCompany(op, company), text)
  return { companyId: domain.companyId, domainId: domain.id }
}

async function countSeries(
  op: Operation,
  of: Pick<CountRequest, 'companyId' | 'domainId' | 'dimension' | 'value'>,
  { size, since, until, step }: SeriesSpan,
): Promise<EventCount[]> {
  const request = { ...of, size, since, until, step, most: MAX_IN_SERIES }
  return notTooMany(await op.inTurn(of.companyId, () => op.store.countEvents(request)))
}

function notTooMany<Found>(found: Found | null): Found {
  if (found !== null) return found
  throw new OperateError('over_limit', 'there are too many events to count: ask for a shorter period')
}

async function volumesOf(
  op: Operation,
  span: Span,
  of: { companyId: string | null; dimension: CountRequest['dimension']; by: SumRequest['by'] },
): Promise<Volumes> {
  const range = sumsOf(span, op.now())
  const request = { ...of, ...range, domainId: null, value: null, most: MAX_IN_SUMS }
  const found = await op.inTurn(of.companyId, () => op.store.sumEvents(request))
  return { span, since: range.since, until: range.until, volumes: found === null ? null : byKey(found) }
}

function byKey(sums: readonly EventSum[]): VolumeOf[] {
  const volumes = new Map<string, Partial<Record<CountedType, number>>>()
  for (const { key, type, n } of sums) {
    const volume = volumes.get(key) ?? {}
    volumes.set(key, volume)
    volume[type as CountedType] = n
  }
  return [...volumes]
    .map(([key, volume]) => ({ key, volume }))
    .sort((a, b) => (b.volume.accepted ?? 0) - (a.volume.accepted ?? 0))
}

function pointOf({ since, step }: SeriesSpan, start: number): number {
  return Math.floor((start - since) / step)
}

function shown(span: Span, { since, until, step, points }: SeriesSpan): TimeSeries {
  return { span, since, until, step, points }
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, n) => sum + n, 0)
}
