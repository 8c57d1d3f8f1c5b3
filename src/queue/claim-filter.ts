/**
 * The mail that a claim leaves out. Ready queues know paths, the store knows companies and recipient domains: only this
 * file translates between them.
 */
import type { ClaimRequest } from '../store/store.ts'
import type { FullQueues } from './ready-queues.ts'

/** `skip` holds pairs, `companyId\0domain`. */
export type ClaimFilter = Pick<ClaimRequest, 'skip' | 'skipCompanies' | 'skipDomains'>

/**
 * When a path takes no more mail of a company, the company's mail to the domains that wait for that path stays in the
 * store, including mail that would take another path to the same domain (from another sending domain or in test mode).
 * A later claim brings it.
 */
export function claimFilter(full: FullQueues, paused: ClaimFilter): ClaimFilter {
  return {
    skip: [...new Set(full.lanes.flatMap(domainsOf)), ...paused.skip],
    skipCompanies: [...full.companies, ...paused.skipCompanies],
    skipDomains: paused.skipDomains,
  }
}

function domainsOf({ companyId, waiting }: FullQueues['lanes'][number]): string[] {
  const pairs = new Set<string>()
  for (const { recipients } of waiting) {
    for (const { domain } of recipients) pairs.add(`${companyId}\0${domain}`)
  }
  return [...pairs]
}
