/** Reports about domains as JSON, for `--json`. */
import type { TlsPolicyResult } from '../../mail/domain-report/tls-report.ts'
import type { ReceivedTlsResult, TlsReportDescription, TlsReports } from '../domain-reports.ts'
import { isoTime } from './time.ts'

export function tlsReportsJson({ reports, received }: TlsReports) {
  return { reports: reports.map(reportJson), received: received.map(receivedTlsJson) }
}

function reportJson({ domain, day, state, ...report }: TlsReportDescription) {
  const { dueAt, sentAt, sentTo, tries, fault, successful, failed, policies } = report
  return {
    domain,
    day,
    state,
    due_at: isoTime(dueAt),
    sent_at: isoTime(sentAt),
    sent_to: sentTo,
    tries,
    fault,
    successful,
    failed,
    policies: policies.map(policyJson),
  }
}

function policyJson({ type, policy, hosts, successful, failed, failures }: TlsPolicyResult) {
  return { type, policy, mx: hosts, successful, failed, failures: failures.map(failureJson) }
}

function failureJson({ result, host, address, sessions, reason }: TlsPolicyResult['failures'][number]) {
  return { result, host, address, sessions, reason }
}

export function receivedTlsJson({ day, type, failure, sessions }: ReceivedTlsResult) {
  const { result = null, sourceAddress = null, host = null, reason = null } = failure ?? {}
  return { day, policy: type, result, source: sourceAddress, host, reason, sessions }
}
