import type { JsonAnswer } from './client.ts'
import { read } from './queries.ts'

const CHECKS = 'GET /installation/checks'

export type InstallationCheck = JsonAnswer<typeof CHECKS>['checks'][number]

/** Block lists and other servers are asked, so the answer is kept for a while. */
export const checksQuery = { ...read(CHECKS), staleTime: 5 * 60_000, retry: 1 }
