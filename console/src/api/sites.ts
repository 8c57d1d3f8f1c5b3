import type { SiteItem } from '../../../src/http/console/contract/sites.ts'
import { change, read } from './queries.ts'
import { QUEUE } from './queue.ts'

export type { SiteItem }

const SITES = 'GET /installation/sites'

/** Nodes report every two seconds. */
export const sitesQuery = { ...read(SITES), refetchInterval: 10_000 }

export const retrySite = (site: string) =>
  change('POST /installation/sites/retry', { body: { site } }, SITES, ...QUEUE)
