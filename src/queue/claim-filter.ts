/**
 * The mail that a claim leaves out. Ready queues know paths, the store knows companies and recipient domains: only this
 * file translates between them.
 */
import type { Path } from '../delivery/path/path.ts'
import type { ClaimRequest } from '../store/store.ts'
import type { FullQueues } from './ready-queues.ts'

/** `skip` holds pairs, `companyId\0domain`. */
export type ClaimFilter = Pick<ClaimRequest, 'skip' | 'skipCompanies' | 'skipDomains'>

/** Domains of one site that a claim leaves out, at most: with more, some mail of a full path is claimed too early. */
const MOST_DOMAINS = 2_000

/**
 * When a path takes no more mail of a company, the company's mail to the domains that wait for that path, or are known
 * to take it, stays in the store, including mail that would take another path to the same domain (from another sending
 * domain or in test mode). A later claim brings it. `domainsOf`: the domains that are known to take a path.
 */
export function claimFilter(
  full: FullQueues,
  paused: ClaimFilter,
  domainsOf: (path: Path) => Iterable<string>,
): ClaimFilter {
  return {
    skip: [...new Set(full.lanes.flatMap((lane) => pairsOf(lane, domainsOf(lane.path)))), ...paused.skip],
    skipCompanies: [...full.companies, ...paused.skipCompanies],
    skipDomains: paused.skipDomains,
  }
}

function pairsOf({ companyId, waiting }: FullQueues['lanes'][number], known: Iterable<string>): string[] {
  const pairs = new Set<string>()
  for (const { recipients } of waiting) {
    for (const { domain } of recipients) pairs.add(`${companyId}\0${domain}`)
  }
  for (const domain of known) {
    if (pairs.size >= MOST_DOMAINS) break
    pairs.add(`${companyId}\0${domain}`)
  }
  return [...pairs]
}
