/** Whether a domain may have its return path at a host that may belong to somebody else. */
import { isInOrganization } from '../dns/organization.ts'
import { isAtOrBelow } from '../mail/address/address-domain.ts'
import { holdsName, type SendingDomain } from './account.ts'
import { returnPathOf, usedReturnPath } from './return-path.ts'

/** Why a domain may not use a host, although DNS has the records of the host. */
export type ReturnPathObstacle =
  /** A name of this service. */
  | { kind: 'service' }
  /** The host belongs to the organization of a domain of another company (`owned`), or that domain uses it (`used`). */
  | { kind: 'owned' | 'used'; by: SendingDomain }

/**
 * Whether the host belongs to none of the organizations of the company's domains. Then its owner has to name the domain
 * in DNS: MX and SPF records alone may be there for another company.
 */
export function isForeignReturnPath(domain: SendingDomain, domains: readonly SendingDomain[]): boolean {
  const host = returnPathOf(domain)
  return host !== null && !isOfCompany(host, domain, domains)
}

function isOfCompany(host: string, domain: SendingDomain, domains: readonly SendingDomain[]): boolean {
  if (isInOrganization(host, domain.name)) return true
  const { companyId } = domain
  return domains.some(
    (each) => each.companyId === companyId && holdsName(each) && isInOrganization(host, each.name),
  )
}

/**
 * Null: the domain may use the host. If two companies shared a host, receivers would take the mail of one for that of
 * the other, and SPF would pass for both. Domains of others count only if they hold their name: a mere claim takes
 * nothing from anybody.
 */
export function returnPathObstacle(
  domain: SendingDomain,
  host: string,
  domains: readonly SendingDomain[],
  serviceHosts: readonly string[],
): ReturnPathObstacle | null {
  const isOwn = ({ companyId }: SendingDomain) => companyId === domain.companyId
  const above = domains.filter(
    (each) => (each.id === domain.id || holdsName(each)) && isAtOrBelow(host, each.name),
  )
  const longest = Math.max(0, ...above.map(({ name }) => name.length))
  const nearest = above.filter(({ name }) => name.length === longest)
  if (nearest.some(isOwn)) return null
  if (nearest.length > 0) return { kind: 'owned', by: nearest[0]! }
  if (serviceHosts.includes(host)) return { kind: 'service' }
  const others = domains.filter((each) => !isOwn(each) && holdsName(each))
  const user = others.find((each) => usedReturnPath(each) === host)
  if (user !== undefined) return { kind: 'used', by: user }
  if (isOfCompany(host, domain, domains)) return null
  const owner = others.find(({ name }) => isInOrganization(host, name))
  return owner === undefined ? null : { kind: 'owned', by: owner }
}
