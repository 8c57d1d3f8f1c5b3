import { keepPreviousData } from '@tanstack/react-query'
import type { WaitingSiteItem } from '../../../src/http/console/contract/queue.ts'
import type { JsonAnswer } from './client.ts'
import { SHOWN_EMAILS } from './email.ts'
import { change, read } from './queries.ts'

export type { WaitingSiteItem }

const BACKLOG = 'GET /companies/:company/overview/backlog'
const DOMAINS = 'GET /companies/:company/queue/domains'
const COMPANIES = 'GET /installation/queue/companies'
const SITES = 'GET /installation/queue/sites'
const QUARANTINE = 'GET /companies/:company/queue/quarantine'

/** Answers about waiting mail. */
export const QUEUE = [BACKLOG, DOMAINS, COMPANIES, SITES, QUARANTINE] as const

export type QuarantinedItem = JsonAnswer<typeof QUARANTINE>['emails'][number]

export const backlogQuery = (company: string) => ({
  ...read(BACKLOG, { company }),
  refetchInterval: 10_000,
  placeholderData: keepPreviousData,
})

/** Sums over the whole queue: the service answers with recent ones where they took long. */
const SUMS = { refetchInterval: 10_000, placeholderData: keepPreviousData } as const

export const waitingDomainsQuery = (company: string, page: number) => ({
  ...read(DOMAINS, { company, query: { page } }),
  ...SUMS,
})

export const waitingCompaniesQuery = (page: number) => ({ ...read(COMPANIES, { query: { page } }), ...SUMS })

/** The mail servers of all recipient domains with waiting mail are looked up for it, so it is asked seldom. */
export const waitingSitesQuery = (page: number) => ({
  ...read(SITES, { query: { page } }),
  ...SUMS,
  refetchInterval: 120_000,
})

export const quarantineQuery = (company: string) => ({
  ...read(QUARANTINE, { company }),
  refetchInterval: 60_000,
})

/** `company`: null: all mail in quarantine. */
export const releaseAll = (company: string | null) =>
  change('POST /installation/queue/release', { body: { company } }, ...QUEUE, ...SHOWN_EMAILS)
