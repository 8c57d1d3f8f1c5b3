/** Makes the report about a recipient domain and a day from the counted sessions. */

import { createHash } from 'node:crypto'
import { DAY_MS } from '../../common/utc-day.ts'
import type { TlsPolicyResult, TlsReport, TlsSessionResult } from '../../mail/domain-report/tls-report.ts'
import type { TlsSessionCount } from '../../store/store.ts'

/** The most counts in a report. */
export const MAX_REPORTED = 2_000

export interface ReportAuthor {
  /** The domain that sends the report. */
  organization: string
  /** An address that people can write to. */
  contact: string
}

export function dayReport(
  { domain, day }: { domain: string; day: string },
  counts: readonly TlsSessionCount[],
  { organization, contact }: ReportAuthor,
): TlsReport {
  const begin = Date.parse(day)
  // The id is the same on every node, so that receivers recognise a report that arrives twice (RFC 8460 4.4).
  const digest = createHash('sha256').update(`${organization} ${domain} ${day}`).digest('hex').slice(0, 16)
  return {
    organization,
    contact,
    reportId: `${day}.${digest}@${organization}`,
    begin,
    end: begin + DAY_MS - 1_000,
    policies: policiesOf(domain, counts),
  }
}

/** Sums up the counts of a domain by policy. */
export function policiesOf(
  domain: string,
  counts: readonly Pick<TlsSessionCount, 'detail' | 'sessions'>[],
): TlsPolicyResult[] {
  const policies = new Map<string, TlsPolicyResult>()
  for (const { detail, sessions } of counts) {
    const { type, policy, hosts, failure } = JSON.parse(detail) as TlsSessionResult
    const key = JSON.stringify([type, policy])
    let result = policies.get(key)
    if (result === undefined) {
      result = { type, policy, domain, hosts, successful: 0, failed: 0, failures: [] }
      policies.set(key, result)
    }
    if (failure === null) result.successful += sessions
    else {
      result.failed += sessions
      result.failures.push({ ...failure, sessions })
    }
  }
  return [...policies.values()]
}
