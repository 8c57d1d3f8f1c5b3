/** The results of sessions, opened or not, for TLS reports (RFC 8460 4.3). */
import type { TlsPolicyType, TlsSession } from '../../mail/domain-report/tls-report.ts'
import type { MtaStsPolicy } from '../../store/store.ts'
import { PolicyError } from '../mta-sts/fetch-policy.ts'
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
  /** The result that sessions with the host count with, because the policy does not allow the host; null: it does. */
  refusal: string | null
  /** The policy only asks for reports: sessions that it would forbid take place all the same (RFC 8461 5). */
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
  [/ERR_TLS_CERT_ALTNAME_INVALID|certificate is not valid for/, 'certificate-host-mismatch'],
  [/SELF_SIGNED|UNABLE_TO_|CERT_UNTRUSTED|INVALID_CA/, 'certificate-not-trusted'],
]
const LONGEST_REASON = 200

/**
 * The policy that sessions are counted under. DANE takes precedence over MTA-STS (RFC 8461 2), so DANE counts where
 * both are in force.
 */
export function countedPolicy({ domain, host, mtaSts, policy }: PolicyInForce): CountedPolicy {
  const common = { domain, host, hosts: [], refusal: null, testing: false }
  if (policy.kind === 'none' && policy.source === 'dane') {
    return { ...common, type: 'tlsa', policy: [], refusal: 'dnssec-invalid' }
  }
  if (policy.kind === 'demand' && policy.demand.source === 'dane') {
    const records = policy.demand.dane?.records ?? []
    const lines = records.map(({ usage, selector, matchingType, data }) => {
      return `${usage} ${selector} ${matchingType} ${data.toString('hex')}`
    })
    return { ...common, type: 'tlsa', policy: lines }
  }
  if (mtaSts === null || mtaSts.mode === 'none' || mtaSts.expiresAt <= Date.now()) {
    return { ...common, type: 'no-policy-found', policy: [] }
  }
  const { mode, mx } = mtaSts
  const lines = ['version: STSv1', `mode: ${mode}`, ...mx.map((pattern) => `mx: ${pattern}`)]
  const refusal = permitsHost(mtaSts, host) ? null : 'validation-failure'
  return { ...common, type: 'sts', policy: lines, hosts: mx, refusal, testing: mode === 'testing' }
}

/**
 * The result of a session that was opened. `fault`: the error with which TLS failed before, if the session is not
 * encrypted.
 */
export function sessionResult(
  counted: CountedPolicy,
  target: { address: string },
  tls: TlsOutcome | null,
  fault: SmtpError | null,
): TlsSession {
  if (tls === null) {
    const reason = fault?.message ?? null
    return sessionOf(
      counted,
      target,
      fault === null ? 'starttls-not-supported' : resultOfReason(reason!),
      reason,
    )
  }
  if (!counted.testing) return sessionOf(counted, target, null, null)
  if (counted.refusal !== null) return sessionOf(counted, target, counted.refusal, null)
  return sessionOf(counted, target, tls.doubt === null ? null : resultOfReason(tls.doubt), tls.doubt)
}

/**
 * The result of a session that was not opened; null: TLS was not the reason. `target` null: the policy does not allow
 * the session.
 */
export function sessionFailure(
  counted: CountedPolicy,
  target: { address: string } | null,
  error?: unknown,
): TlsSession | null {
  if (target === null) return sessionOf(counted, null, counted.refusal ?? 'validation-failure', null)
  if (!(error instanceof SmtpError) || (error.kind !== 'tls' && error.stage !== 'starttls')) return null
  return sessionOf(counted, target, resultOfReason(error.message), error.message)
}

/** The MTA-STS policy of a domain could not be fetched (RFC 8460 4.3.2.2). */
export function policyFailure(domain: string, error: Error): TlsSession {
  const { message: reason } = error
  // A domain may have any of the words in its name.
  const words = reason.replaceAll(domain, '')
  const result =
    error instanceof PolicyError
      ? 'sts-policy-invalid'
      : /certificate|CERT_|SELF_SIGNED|ALTNAME/i.test(words)
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

function resultOfReason(reason: string): string {
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
