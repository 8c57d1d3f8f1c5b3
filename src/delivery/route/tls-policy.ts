import type { TlsPolicy } from '../smtp/target.ts'

/** How a connection to one mail host of a domain must be protected. */
export interface HostPolicy {
  tls: TlsPolicy
}

/**
 * The one place where the policy is decided. A domain's published policy for its hosts (MTA-STS, RFC 8461; DANE, RFC 7672)
 * can only make the answer stricter; without one, mail is encrypted where the host offers it (RFC 7435).
 */
export type HostPolicies = (domain: string, host: string) => Promise<HostPolicy>

export const opportunisticPolicy: HostPolicies = () => Promise.resolve({ tls: 'opportunistic' })

/** From the weakest on. */
const BY_STRENGTH: readonly TlsPolicy[] = ['off', 'opportunistic', 'required', 'verified']

/** The stricter of two: what the operator's sites file demands is never relaxed, nor what a domain publishes. */
export function stricter(one: TlsPolicy, other: TlsPolicy): TlsPolicy {
  return BY_STRENGTH.indexOf(one) >= BY_STRENGTH.indexOf(other) ? one : other
}
