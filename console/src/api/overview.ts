import { keepPreviousData } from '@tanstack/react-query'
import type { OverviewSpan } from '../../../src/http/console/contract/overview.ts'
import type { Body, JsonAnswer, QueryOf } from './client.ts'
import { SHOWN_EMAILS } from './email.ts'
import { change, read } from './queries.ts'
import { QUEUE } from './queue.ts'

const INSTALLATION = 'GET /installation'
const SITES = 'GET /installation/sites'
/** Answers that depend on the pauses. */
const WITH_PAUSES = [INSTALLATION, SITES, ...QUEUE, ...SHOWN_EMAILS] as const

export type RetryAnswer = JsonAnswer<'POST /companies/:company/overview/backlog/retry'>
export type ReasonCounts = NonNullable<JsonAnswer<'GET /companies/:company/overview/reasons'>['reasons']>
export type VolumeBreakdown = NonNullable<JsonAnswer<'GET /companies/:company/overview/domains'>['volumes']>
export type InstallationJson = JsonAnswer<typeof INSTALLATION>
export type { OverviewSpan }

/** A chart of an hour changes while it is viewed. Counts are updated a moment after the events. */
const LIVE = { refetchInterval: 10_000, placeholderData: keepPreviousData } as const

/** Limits the counts to a sending domain (its id) or to a recipient domain. */
export type VolumeFilter = Omit<QueryOf<'GET /companies/:company/overview/volume'>, 'span'>

export const volumeQuery = (company: string, span: OverviewSpan, filter: VolumeFilter) => ({
  ...read('GET /companies/:company/overview/volume', { company, query: { span, ...filter } }),
  ...LIVE,
})

export const latencyQuery = (company: string, span: OverviewSpan) => ({
  ...read('GET /companies/:company/overview/latency', { company, query: { span } }),
  ...LIVE,
})

export const destinationsQuery = (company: string, span: OverviewSpan) => ({
  ...read('GET /companies/:company/overview/destinations', { company, query: { span } }),
  ...LIVE,
})

export const byDomainQuery = (company: string, span: OverviewSpan) => ({
  ...read('GET /companies/:company/overview/domains', { company, query: { span } }),
  ...LIVE,
})

export const reasonsQuery = (company: string, span: OverviewSpan) => ({
  ...read('GET /companies/:company/overview/reasons', { company, query: { span } }),
  ...LIVE,
})

export const byCompanyQuery = (span: OverviewSpan) => ({
  ...read('GET /installation/companies', { query: { span } }),
  ...LIVE,
})

export const alertsQuery = (company: string) => ({
  ...read('GET /companies/:company/overview/alerts', { company }),
  ...LIVE,
})

export const retryWaiting = (company: string, domain: string | null) =>
  change('POST /companies/:company/overview/backlog/retry', { company, body: { domain } }, ...QUEUE)

export const installationQuery = { ...read(INSTALLATION), ...LIVE }

/** `null` stands for every company or domain. A target without a site stands for every site. */
export type PauseTarget = Body<'POST /installation/pauses'>

export const pause = (body: PauseTarget) => change('POST /installation/pauses', { body }, ...WITH_PAUSES)

export const endPause = (body: Body<'POST /installation/pauses/end'>) =>
  change('POST /installation/pauses/end', { body }, ...WITH_PAUSES)

export const createCompany = (name: string) =>
  change('POST /installation/companies', { body: { name } }, 'GET /session')
