import type { SiteItem, WaitingSiteItem } from '../../../src/http/console/contract/sites.ts'
import { change, read } from './queries.ts'

export type { SiteItem, WaitingSiteItem }

const SITES = 'GET /installation/sites'
const WAITING_SITES = 'GET /installation/sites/waiting'

/** Nodes report every two seconds. */
export const sitesQuery = { ...read(SITES), refetchInterval: 10_000 }

/** The mail servers of all recipient domains with waiting mail are looked up for it, so it is asked seldom. */
export const waitingSitesQuery = { ...read(WAITING_SITES), refetchInterval: 120_000 }

export const retrySite = (site: string) =>
  change(
    'POST /installation/sites/retry',
    { body: { site } },
    SITES,
    WAITING_SITES,
    'GET /companies/:company/overview/backlog',
  )
