import type { MtaStsPolicy } from '../../store/store.ts'
import { permitsHost } from '../mta-sts/policy.ts'
import type { RouteFailure } from '../outcome.ts'
import type { TlsDemand } from '../smtp/target.ts'

/** How a connection to one mail host of a domain must be protected, or why there must be none. */
export type HostPolicy = { kind: 'demand'; demand: TlsDemand } | { kind: 'none'; failure: RouteFailure }

/** A mail host of a domain, and what is known about how to reach it. */
export interface PolicyQuestion {
  domain: string
  host: string
  /** What the domain demands (RFC 8461); null: nothing. */
  mtaSts: MtaStsPolicy | null
}

export type HostPolicies = (question: PolicyQuestion) => HostPolicy | Promise<HostPolicy>

/**
 * The one place where the policy is decided. What a domain publishes about its hosts can only make the answer stricter;
 * without it, mail is encrypted where the host offers it (RFC 7435).
 */
export function hostPolicy({ domain, host, mtaSts }: PolicyQuestion, now = Date.now()): HostPolicy {
  // RFC 8461 5: `testing` changes nothing, it only asks for reports.
  if (mtaSts === null || mtaSts.mode !== 'enforce' || mtaSts.expiresAt <= now) {
    return { kind: 'demand', demand: { tls: 'opportunistic', source: 'default' } }
  }
  if (permitsHost(mtaSts, host)) return { kind: 'demand', demand: { tls: 'verified', source: 'mta-sts' } }
  const message = `${host} is not among the mail servers that the MTA-STS policy of ${domain} names`
  return { kind: 'none', failure: { finding: 'server', enhancedCode: '4.7.5', message } }
}
