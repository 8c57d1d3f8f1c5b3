/** A lane, a company's mail to one recipient domain, as a key of maps. */
import type { LaneRoom } from '../store/store.ts'

export function laneKey(companyId: string, domain: string): string {
  return `${companyId}\0${domain}`
}

/** The recipient domains of lanes, by company. */
export function domainsByCompany(keys: Iterable<string>): Map<string, string[]> {
  const domains = new Map<string, string[]>()
  for (const key of keys) {
    const [companyId, domain] = key.split('\0') as [string, string]
    const known = domains.get(companyId)
    if (known === undefined) domains.set(companyId, [domain])
    else known.push(domain)
  }
  return domains
}

/** `room`: of the lanes of each company together. */
export function roomsOf(domains: ReadonlyMap<string, readonly string[]>, room: number): LaneRoom[] {
  return [...domains].map(([companyId, domains]) => ({ companyId, domains, room }))
}
