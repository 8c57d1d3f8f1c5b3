import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { OverviewSpan } from '../../../src/http/console/contract/overview.ts'
import { type Body, call, type JsonAnswer, type QueryOf } from './client.ts'
import { invalidate } from './queries.ts'

export type OverviewBacklog = JsonAnswer<'GET /companies/:company/overview/backlog'>
export type RetryAnswer = JsonAnswer<'POST /companies/:company/overview/backlog/retry'>
export type VolumeChart = JsonAnswer<'GET /companies/:company/overview/volume'>
export type LatencyChart = JsonAnswer<'GET /companies/:company/overview/latency'>
export type VolumeBreakdown = NonNullable<JsonAnswer<'GET /companies/:company/overview/domains'>['volumes']>
export type InstallationJson = JsonAnswer<'GET /installation'>
export type { OverviewSpan }

/** Milliseconds. A chart of an hour changes while it is viewed; counts follow the events by a moment. */
const AGAIN = 10_000

function overview<Body>(key: readonly unknown[], read: (signal: AbortSignal) => Promise<Body>) {
  return queryOptions({
    queryKey: ['overview', ...key],
    queryFn: ({ signal }) => read(signal),
    refetchInterval: AGAIN,
    placeholderData: keepPreviousData,
  })
}

/** Limits the counts to a sending domain (its id) or to a recipient domain. */
export type VolumeFilter = Omit<QueryOf<'GET /companies/:company/overview/volume'>, 'span'>

export const volumeQuery = (company: string, span: OverviewSpan, filter: VolumeFilter) =>
  overview([company, 'volume', span, filter], (signal) =>
    call('GET /companies/:company/overview/volume', { company, query: { span, ...filter }, signal }),
  )

export const latencyQuery = (company: string, span: OverviewSpan) =>
  overview([company, 'latency', span], (signal) =>
    call('GET /companies/:company/overview/latency', { company, query: { span }, signal }),
  )

export const destinationsQuery = (company: string, span: OverviewSpan) =>
  overview([company, 'destinations', span], (signal) =>
    call('GET /companies/:company/overview/destinations', { company, query: { span }, signal }),
  )

export const byDomainQuery = (company: string, span: OverviewSpan) =>
  overview([company, 'domains', span], (signal) =>
    call('GET /companies/:company/overview/domains', { company, query: { span }, signal }),
  )

export const backlogQuery = (company: string) =>
  overview([company, 'backlog'], (signal) =>
    call('GET /companies/:company/overview/backlog', { company, signal }),
  )

export const retryWaiting = (company: string, domain: string | null) =>
  call('POST /companies/:company/overview/backlog/retry', { company, body: { domain } })

export const installationQuery = queryOptions({
  queryKey: ['installation'],
  queryFn: ({ signal }) => call('GET /installation', { signal }),
  refetchInterval: AGAIN,
})

export const byCompanyQuery = (span: OverviewSpan) =>
  queryOptions({
    queryKey: ['installation', 'companies', span],
    queryFn: ({ signal }) => call('GET /installation/companies', { query: { span }, signal }),
    refetchInterval: AGAIN,
    placeholderData: keepPreviousData,
  })

/** `null` stands for every company, or for every domain. */
export type PauseTarget = Body<'POST /installation/pauses'>

export async function pause(scope: PauseTarget): Promise<void> {
  await call('POST /installation/pauses', { body: scope })
  await invalidate('installation')
}

export async function endPause(scope: PauseTarget): Promise<void> {
  await call('POST /installation/pauses/end', { body: scope })
  await invalidate('installation')
}

export async function createCompany(name: string): Promise<void> {
  await call('POST /installation/companies', { body: { name } })
  await invalidate('session')
}
