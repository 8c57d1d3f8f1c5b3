/** The result of a session, or of the failure to open one, in a TLS report (RFC 8460 4.3). */
import type { TlsPolicyType, TlsSession } from '../../mail/domain-report/tls-report.ts'
import type { MtaStsPolicy } from '../../store/store.ts'
import { PolicyInvalid } from '../mta-sts/fetch-policy.ts'
import { permitsHost } from '../mta-sts/policy.ts'
import { SmtpError } from '../smtp/error.ts'
import type { TlsOutcome } from '../smtp/tls.ts'
import type { HostPolicy } from './tls-policy.ts'

/** The policy of a domain for one of its hosts. */
export interface CountedPolicy {
  domain: string
  host: string
  type: TlsPolicyType
  policy: string[]
  hosts: string[]
  /** The result of every session that the policy does not allow; null: it allows sessions. */
  refusal: string | null
  /** The policy only asks for reports: sessions take place that it would not allow (RFC 8461 5). */
  testing: boolean
}

interface PolicyInForce {
  domain: string
  host: string
  mtaSts: MtaStsPolicy | null
  policy: HostPolicy
}

const CERTIFICATE_RESULTS: readonly (readonly [pattern: RegExp, result: string])[] = [
  [/CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/, 'certificate-expired'],
  [/ERR_TLS_CERT_ALTNAME_INVALID/, 'certificate-host-mismatch'],
  [/SELF_SIGNED|UNABLE_TO_|CERT_UNTRUSTED|INVALID_CA/, 'certificate-not-trusted'],
]
const LONGEST_REASON = 200

/** DANE takes precedence over MTA-STS (RFC 8461 2), and so is the policy that counts where both are published. */
export function countedPolicy({ domain, host, mtaSts, policy }: PolicyInForce): CountedPolicy {
  const none = { domain, host, hosts: [], refusal: null, testing: false }
  if (policy.kind === 'none' && policy.source === 'dane') {
    return { ...none, type: 'tlsa', policy: [], refusal: 'dnssec-invalid' }
  }
  if (policy.kind === 'demand' && policy.demand.source === 'dane') {
    const records = policy.demand.dane?.records ?? []
    const lines = records.map(({ usage, selector, matchingType, data }) => {
      return `${usage} ${selector} ${matchingType} ${data.toString('hex')}`
    })
    return { ...none, type: 'tlsa', policy: lines }
  }
  if (mtaSts === null || mtaSts.mode === 'none' || mtaSts.expiresAt <= Date.now()) {
    return { ...none, type: 'no-policy-found', policy: [] }
  }
  const { mode, mx } = mtaSts
  const lines = ['version: STSv1', `mode: ${mode}`, ...mx.map((pattern) => `mx: ${pattern}`)]
  const refusal = permitsHost(mtaSts, host) ? null : 'validation-failure'
  return { ...none, type: 'sts', policy: lines, hosts: mx, refusal, testing: mode === 'testing' }
}

/** A session that was opened. `fault`: TLS had failed before, and the session is not encrypted. */
export function sessionResult(
  counted: CountedPolicy,
  target: { address: string },
  tls: TlsOutcome | null,
  fault: SmtpError | null,
): TlsSession {
  if (tls === null) {
    const reason = fault?.message ?? null
    return sessionOf(counted, target, fault === null ? 'starttls-not-supported' : resultIn(reason!), reason)
  }
  if (!counted.testing) return sessionOf(counted, target, null, null)
  if (counted.refusal !== null) return sessionOf(counted, target, counted.refusal, null)
  return sessionOf(counted, target, tls.doubt === null ? null : resultIn(tls.doubt), tls.doubt)
}

/** No session. Null when that had nothing to do with TLS. `target` null: the policy does not allow one. */
export function sessionFailure(
  counted: CountedPolicy,
  target: { address: string } | null,
  error?: unknown,
): TlsSession | null {
  if (target === null) return sessionOf(counted, null, counted.refusal ?? 'validation-failure', null)
  if (!(error instanceof SmtpError) || (error.kind !== 'tls' && error.stage !== 'starttls')) return null
  return sessionOf(counted, target, resultIn(error.message), error.message)
}

/** The MTA-STS policy of a domain could not be fetched (RFC 8460 4.3.2.2). */
export function policyFailure(domain: string, error: Error): TlsSession {
  const { message: reason } = error
  const result =
    error instanceof PolicyInvalid
      ? 'sts-policy-invalid'
      : /certificate|CERT_|SELF_SIGNED|ALTNAME/i.test(reason)
        ? 'sts-webpki-invalid'
        : 'sts-policy-fetch-error'
  const failure = {
    result,
    sourceAddress: null,
    host: null,
    address: null,
    reason: reason.slice(0, LONGEST_REASON),
  }
  return { domain, type: 'sts', policy: [], hosts: [], failure }
}

function resultIn(reason: string): string {
  if (/offers no STARTTLS|refused STARTTLS/.test(reason)) return 'starttls-not-supported'
  return CERTIFICATE_RESULTS.find(([pattern]) => pattern.test(reason))?.[1] ?? 'validation-failure'
}

function sessionOf(
  { domain, host, type, policy, hosts }: CountedPolicy,
  target: { address: string } | null,
  result: string | null,
  reason: string | null,
): TlsSession {
  const place = { sourceAddress: null, host, address: target?.address ?? null }
  const failure =
    result === null ? null : { result, ...place, reason: reason?.slice(0, LONGEST_REASON) ?? null }
  return { domain, type, policy, hosts, failure }
}
