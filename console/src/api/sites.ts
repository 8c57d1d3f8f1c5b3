import type { SiteItem } from '../../../src/http/console/contract/sites.ts'
import { read } from './queries.ts'

export type { SiteItem }

/** Nodes report every two seconds. */
export const sitesQuery = { ...read('GET /installation/sites'), refetchInterval: 10_000 }
