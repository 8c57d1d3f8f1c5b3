import type { Resolver } from '../../dns/resolver.ts'
import type { TlsSource } from '../../email/attempt-tls.ts'
import type { MtaStsPolicy } from '../../store/store.ts'
import { daneOf } from '../dane/demand.ts'
import { permitsHost } from '../mta-sts/policy.ts'
import type { RouteFailure } from '../outcome.ts'
import type { SiteTls } from '../sites/site-block.ts'
import { isWeaker, type TlsDemand } from '../smtp/target.ts'
import { failedLookUp } from './addresses.ts'

/** How a connection to one mail host of a domain must be protected, or why there must be none. */
export type HostPolicy =
  | { kind: 'demand'; demand: TlsDemand }
  /** `source`: the policy that forbids it; null: none does, but the addresses of the host are not known. */
  | { kind: 'none'; source: TlsSource | null; failure: RouteFailure }

/** A mail host of a domain, and what is known about how to reach it. */
export interface PolicyQuestion {
  domain: string
  host: string
  /** The port that is connected to. */
  port: number
  /** The host comes from an answer that DNSSEC validated. */
  secure: boolean
  /** The domain's MTA-STS policy (RFC 8461); null: it has none. */
  mtaSts: MtaStsPolicy | null
  /** The demand of the sites file. */
  atLeast: SiteTls
}

export type HostPolicyLookup = (
  question: PolicyQuestion,
  resolver: Pick<Resolver, 'addresses' | 'tlsa'>,
) => Promise<HostPolicy>

/**
 * The one place where the policy is decided. The records and policies of a domain, and the sites file, can only make
 * the answer stricter; without them, mail is encrypted where the host offers it (RFC 7435).
 */
export const hostPolicy: HostPolicyLookup = async (question, resolver) => {
  const policy = await publishedPolicy(question, resolver)
  const { atLeast } = question
  if (policy.kind === 'none' || !isWeaker(policy.demand.tls, atLeast)) return policy
  return { kind: 'demand', demand: { tls: atLeast, source: 'site' } }
}

/** DANE takes precedence over MTA-STS (RFC 8461 2). */
const publishedPolicy: HostPolicyLookup = async (question, resolver) => {
  const byPolicy = mtaStsPolicy(question)
  if (!question.secure) return byPolicy
  const dane = await daneOf(question, resolver)
  switch (dane.kind) {
    case 'none':
      return byPolicy
    case 'no-addresses':
      return { kind: 'none', source: null, failure: failedLookUp(question.host, dane.reason) }
    case 'failed': {
      const { host } = question
      const message = `DNS: the TLSA lookup of ${dane.name} failed (${dane.reason}), so mail to ${host} waits (DANE)`
      return { kind: 'none', source: 'dane', failure: { finding: 'server', enhancedCode: '4.4.3', message } }
    }
    case 'demand':
      if (dane.proof !== null) {
        return { kind: 'demand', demand: { tls: 'verified', source: 'dane', dane: dane.proof } }
      }
      // Without a usable record MTA-STS can still ask for more.
      return isEnforced(question) ? byPolicy : { kind: 'demand', demand: { tls: 'required', source: 'dane' } }
  }
}

function mtaStsPolicy({ domain, host, ...question }: PolicyQuestion): HostPolicy {
  if (!isEnforced(question)) return { kind: 'demand', demand: { tls: 'opportunistic', source: 'default' } }
  if (permitsHost(question.mtaSts!, host)) {
    return { kind: 'demand', demand: { tls: 'verified', source: 'mta-sts' } }
  }
  const message = `${host} is not among the mail servers that the MTA-STS policy of ${domain} names`
  return { kind: 'none', source: 'mta-sts', failure: { finding: 'server', enhancedCode: '4.7.5', message } }
}

/** RFC 8461 5: `testing` only asks for reports, and enforces nothing. */
function isEnforced({ mtaSts }: Pick<PolicyQuestion, 'mtaSts'>): boolean {
  return mtaSts !== null && mtaSts.mode === 'enforce' && mtaSts.expiresAt > Date.now()
}
