/** TLS reports (RFC 8460 4.4): what we send about the domains of recipients, and what others send about ours. */
import { toAsciiDomain } from '../address/idn.ts'
import { parseBoundedJson, TooManyValues } from '../bounded-json.ts'
import { DomainReportError } from './report-error.ts'

export type TlsPolicyType = 'sts' | 'tlsa' | 'no-policy-found'
const TLS_POLICY_TYPES: readonly TlsPolicyType[] = ['sts', 'tlsa', 'no-policy-found']

export interface TlsReport {
  organization: string
  /** A mail address, or a URL. */
  contact: string
  /** Unique for each organization. */
  reportId: string
  /** Unix ms. */
  begin: number
  end: number
  policies: TlsPolicyResult[]
}

export interface TlsPolicyResult {
  type: TlsPolicyType
  /** The lines of an MTA-STS policy, or the TLSA records. */
  policy: string[]
  domain: string
  /** The patterns of hosts in an MTA-STS policy. */
  hosts: string[]
  successful: number
  failed: number
  failures: TlsFailure[]
}

/** Sessions that failed in the same way. */
interface TlsFailure {
  /** RFC 8460 4.3. */
  result: string
  sourceAddress: string | null
  host: string | null
  address: string | null
  sessions: number
  reason: string | null
}

/** Sessions under a policy of a domain; `failure` null: they succeeded. */
export interface TlsSessionResult {
  type: TlsPolicyType
  policy: string[]
  hosts: string[]
  failure: Omit<TlsFailure, 'sessions'> | null
}

/** A session with a server of a domain. */
export interface TlsSession extends TlsSessionResult {
  /** In lower case. */
  domain: string
}

const MAX_POLICIES = 100
/** The most kinds of failure that are read, of all policies together. */
const MAX_FAILURES = 1_000
const MAX_LINES = 200
const LONGEST_TEXT = 500
const MAX_SESSIONS = 1_000_000_000
/** RFC 8460 4.3. */
const RESULTS: ReadonlySet<string> = new Set([
  'starttls-not-supported',
  'certificate-host-mismatch',
  'certificate-expired',
  'certificate-not-trusted',
  'validation-failure',
  'tlsa-invalid',
  'dnssec-invalid',
  'dane-required',
  'sts-policy-fetch-error',
  'sts-policy-invalid',
  'sts-webpki-invalid',
])
const OTHER_RESULT = 'validation-failure'

type JsonObject = Record<string, unknown>

/** Throws a DomainReportError. */
export function readTlsReport(text: string): TlsReport {
  const report = objectOf(parsed(text))
  const range = objectOf(report['date-range'])
  const begin = Date.parse(textOf(range['start-datetime']) ?? '')
  const end = Date.parse(textOf(range['end-datetime']) ?? '')
  const organization = textOf(report['organization-name'])
  const reportId = textOf(report['report-id'])
  const policies = report.policies
  if (organization === null || reportId === null || !Array.isArray(policies)) {
    throw new DomainReportError('The JSON is no TLS report.')
  }
  if (!(end >= begin)) throw new DomainReportError('The report ends before it begins.')
  if (policies.length > MAX_POLICIES) {
    throw new DomainReportError(`The report has more than ${MAX_POLICIES} policies.`)
  }
  const contact = textOf(report['contact-info']) ?? ''
  return { organization, contact, reportId, begin, end, policies: policiesOf(policies) }
}

function parsed(text: string): unknown {
  try {
    return parseBoundedJson(text)
  } catch (error) {
    throw new DomainReportError(
      error instanceof TooManyValues ? error.message : 'The report is not valid JSON.',
    )
  }
}

function policiesOf(values: readonly unknown[]): TlsPolicyResult[] {
  let room = MAX_FAILURES
  return values.map((value) => {
    const policy = policyOf(value, room)
    room -= policy.failures.length
    return policy
  })
}

/** `room`: the most failures to read. */
function policyOf(value: unknown, room: number): TlsPolicyResult {
  const { policy, summary, 'failure-details': details } = objectOf(value)
  const published = objectOf(policy)
  const counts = objectOf(summary)
  const type = TLS_POLICY_TYPES.find((each) => each === published['policy-type'])
  const domain = textOf(published['policy-domain'])?.toLowerCase().replace(/\.$/, '')
  if (type === undefined || domain === undefined) {
    throw new DomainReportError('A policy of the report has no known type, or no domain.')
  }
  const hosts = published['mx-host']
  return {
    type,
    // RFC 8460 4.4 wants A-labels; some reporters write Unicode.
    domain: toAsciiDomain(domain).ascii ?? domain,
    policy: linesOf(published['policy-string']),
    hosts: linesOf(typeof hosts === 'string' ? [hosts] : hosts),
    successful: countOf(counts['total-successful-session-count']),
    failed: countOf(counts['total-failure-session-count']),
    failures: Array.isArray(details) ? details.slice(0, room).map(failureOf) : [],
  }
}

function failureOf(value: unknown): TlsFailure {
  const details = objectOf(value)
  return {
    result: resultOf(details['result-type']),
    sourceAddress: textOf(details['sending-mta-ip']),
    host: textOf(details['receiving-mx-hostname']),
    address: textOf(details['receiving-ip']),
    sessions: countOf(details['failed-session-count']),
    reason: textOf(details['failure-reason-code']),
  }
}

/** A result that is not known says no more than that something failed. */
function resultOf(value: unknown): string {
  const result = textOf(value)?.toLowerCase() ?? ''
  return RESULTS.has(result) ? result : OTHER_RESULT
}

function objectOf(value: unknown): JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as JsonObject) : {}
}

function textOf(value: unknown): string | null {
  if (typeof value !== 'string') return null
  const text = value
    .slice(0, LONGEST_TEXT)
    .toWellFormed()
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
  return text === '' ? null : text
}

function linesOf(value: unknown): string[] {
  return Array.isArray(value) ? value.slice(0, MAX_LINES).map((line) => textOf(line) ?? '') : []
}

function countOf(value: unknown): number {
  return Number.isInteger(value) ? Math.min(Math.max(value as number, 0), MAX_SESSIONS) : 0
}

/** The report as JSON. */
export function tlsReportJson({ begin, end, ...report }: TlsReport): string {
  return JSON.stringify({
    'organization-name': report.organization,
    'date-range': {
      'start-datetime': new Date(begin).toISOString().replace('.000Z', 'Z'),
      'end-datetime': new Date(end).toISOString().replace('.000Z', 'Z'),
    },
    'contact-info': report.contact,
    'report-id': report.reportId,
    policies: report.policies.map(policyJson),
  })
}

function policyJson({
  type,
  policy,
  domain,
  hosts,
  successful,
  failed,
  failures,
}: TlsPolicyResult): JsonObject {
  return {
    policy: {
      'policy-type': type,
      'policy-string': policy,
      'policy-domain': domain,
      ...(hosts.length > 0 && { 'mx-host': hosts }),
    },
    summary: { 'total-successful-session-count': successful, 'total-failure-session-count': failed },
    ...(failures.length > 0 && { 'failure-details': failures.map(failureJson) }),
  }
}

function failureJson({ result, sourceAddress, host, address, sessions, reason }: TlsFailure): JsonObject {
  return {
    'result-type': result,
    ...(sourceAddress !== null && { 'sending-mta-ip': sourceAddress }),
    ...(host !== null && { 'receiving-mx-hostname': host }),
    ...(address !== null && { 'receiving-ip': address }),
    'failed-session-count': sessions,
    ...(reason !== null && { 'failure-reason-code': reason }),
  }
}
