/**
 * The mail that a claim takes little of, or leaves out. Ready queues know paths, the store knows companies and
 * recipient domains: only this file translates between them.
 */
import type { Path } from '../delivery/path/path.ts'
import type { ClaimRequest, LaneRoom } from '../store/store.ts'
import type { FullQueues, LimitedLane } from './ready-room.ts'

export type ClaimFilter = Pick<ClaimRequest, 'rooms' | 'skipCompanies' | 'skipDomains'>

/**
 * Domains of one site, and of all together, that a claim leaves out, at most: with more, some mail of a full path is
 * claimed too early.
 */
const MAX_DOMAINS = 2_000
const MAX_OF_ALL = 10_000

export interface KnownPaths {
  /** The domains that are known to take a path. */
  domainsOf(path: Path): Iterable<string>
  /** Whether all mail of the company takes the path. */
  isOnly(companyId: string, path: Path): boolean
}

/**
 * When a path takes no more mail of a company, the company's mail to the domains that wait for that path, or are known
 * to take it, stays in the store, including mail that would take another path to the same domain (from another sending
 * domain or in test mode). A later claim brings it. While the path takes some, a claim brings no more than that.
 */
export function claimFilter(full: FullQueues, paused: ClaimFilter, paths: KnownPaths): ClaimFilter {
  return {
    rooms: [...roomsOf(full.lanes, paths), ...paused.rooms],
    skipCompanies: [...full.companies, ...paused.skipCompanies],
    skipDomains: paused.skipDomains,
  }
}

function roomsOf(lanes: readonly LimitedLane[], paths: KnownPaths): LaneRoom[] {
  let named = 0
  return lanes.map(({ companyId, path, waiting, room }) => {
    if (paths.isOnly(companyId, path)) return { companyId, domains: null, room }
    const domains = new Set<string>()
    for (const { recipients } of waiting) for (const { domain } of recipients) domains.add(domain)
    const most = Math.min(MAX_DOMAINS, MAX_OF_ALL - named)
    for (const domain of paths.domainsOf(path)) {
      if (domains.size >= most) break
      domains.add(domain)
    }
    named += domains.size
    return { companyId, domains: [...domains], room }
  })
}
