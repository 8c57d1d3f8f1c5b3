/** MTA-STS (RFC 8461): the recipient domains that publish a policy, and where it is fetched. */
import type { Zone } from '../harness/dns.ts'

/** Numbers of recipient domains. */
export const POLICY_DOMAINS: readonly number[] = [5, 6]

export const policyHostName = (domain: number) => `mta-sts.in${domain}.test`
/** The port of a policy host is fixed, so each run on a machine has addresses of its own. */
const NETWORK = 100 + (process.pid % 100)
export const policyHostAddress = (domain: number) => `127.${NETWORK}.${domain}.3`

/** The policy of a domain: its own two mail servers, with valid certificates. */
export function policyText(domain: number): string {
  return `version: STSv1\nmode: enforce\nmx: a.mx${domain}.test\nmx: b.mx${domain}.test\nmax_age: 604800\n`
}

/** The name of the record that announces a policy, in a zone. */
export const announcement = (domain: number) => `_mta-sts.in${domain}.test/TXT`

/** Another `version` makes the service fetch the policy anew. */
export function announced(domain: number, version: number): Zone {
  return { [announcement(domain)]: { values: [`v=STSv1; id=v${version};`], ttl: 5 } }
}

export function policyZone(domain: number): Zone {
  return {
    ...announced(domain, 0),
    [`${policyHostName(domain)}/A`]: { values: [policyHostAddress(domain)], ttl: 5 },
  }
}
