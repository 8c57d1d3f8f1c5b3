/**
 * What a claim leaves out. Ready queues know paths, the store knows companies and recipient domains: here, and only
 * here, the one becomes the other.
 */
import type { ClaimRequest } from '../store/store.ts'
import type { Full } from './ready-queues.ts'

/** `skip` holds pairs, `companyId\0domain`. */
export type ClaimFilter = Pick<ClaimRequest, 'skip' | 'skipCompanies' | 'skipDomains'>

/**
 * Where a path takes no more of a company, its mail to the domains that wait for that path stays in the store: also
 * what would take another path to the same domain, from another sending domain or in test mode. It comes with a later
 * claim.
 */
export function claimFilter(full: Full, paused: ClaimFilter): ClaimFilter {
  return {
    skip: [...new Set(full.lanes.flatMap(domainsOf)), ...paused.skip],
    skipCompanies: [...full.companies, ...paused.skipCompanies],
    skipDomains: paused.skipDomains,
  }
}

function domainsOf({ companyId, waiting }: Full['lanes'][number]): string[] {
  const pairs = new Set<string>()
  for (const { recipients } of waiting) {
    for (const { domain } of recipients) pairs.add(`${companyId}\0${domain}`)
  }
  return [...pairs]
}
