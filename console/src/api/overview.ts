import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type {
  Backlog,
  DESTINATIONS,
  Installation,
  LatencySeries,
  RETRIED,
  Span,
  VOLUMES_SHOWN,
  VolumeSeries,
  Volumes,
} from '../../../src/http/console/contract/overview.ts'
import { get, pathOf, post } from './client.ts'
import { invalidate } from './queries.ts'

export type Retried = Static<typeof RETRIED>
export type { Backlog, Installation, LatencySeries, Span, VolumeSeries, Volumes }

/** Milliseconds. A chart of an hour changes while it is viewed; counts follow the events by a moment. */
const AGAIN = 10_000

function overview<Body>(company: string, what: string, query: Record<string, string | undefined>) {
  return queryOptions({
    queryKey: ['overview', company, what, query],
    queryFn: ({ signal }) => get<Body>(`/companies${pathOf(company)}/overview/${what}`, query, signal),
    refetchInterval: AGAIN,
    placeholderData: keepPreviousData,
  })
}

/** Limits the counts to a sending domain (its id) or to a recipient domain. */
export interface VolumeFilter {
  domain?: string | undefined
  to?: string | undefined
}

export const volumeQuery = (company: string, span: Span, filter: VolumeFilter) =>
  overview<VolumeSeries>(company, 'volume', { span, ...filter })
export const latencyQuery = (company: string, span: Span) =>
  overview<LatencySeries>(company, 'latency', { span })
export const destinationsQuery = (company: string, span: Span) =>
  overview<Static<typeof DESTINATIONS>>(company, 'destinations', { span })
export const byDomainQuery = (company: string, span: Span) =>
  overview<Static<typeof VOLUMES_SHOWN>>(company, 'domains', { span })
export const retryWaiting = (company: string, domain: string | null) =>
  post<Retried>(`/companies${pathOf(company)}/overview/backlog/retry`, { domain })
export const backlogQuery = (company: string) => overview<Backlog>(company, 'backlog', {})

export const installationQuery = queryOptions({
  queryKey: ['installation'],
  queryFn: ({ signal }) => get<Installation>('/installation', {}, signal),
  refetchInterval: AGAIN,
})

export const byCompanyQuery = (span: Span) =>
  queryOptions({
    queryKey: ['installation', 'companies', span],
    queryFn: ({ signal }) => get<Static<typeof VOLUMES_SHOWN>>('/installation/companies', { span }, signal),
    refetchInterval: AGAIN,
    placeholderData: keepPreviousData,
  })

/** `null` stands for every company, or for every domain. */
export interface PauseScope {
  company: string | null
  domain: string | null
}

export async function pause(scope: PauseScope): Promise<void> {
  await post('/installation/pauses', scope)
  await invalidate('installation')
}

export async function endPause(scope: PauseScope): Promise<void> {
  await post('/installation/pauses/end', scope)
  await invalidate('installation')
}

export async function createCompany(name: string): Promise<void> {
  await post('/installation/companies', { name })
  await invalidate('session')
}
