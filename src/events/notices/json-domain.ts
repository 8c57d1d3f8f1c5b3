/** A sending domain in the words of the JSON dialect, in its answers and its webhooks. */
import type { CompanyEvent } from '../../email/company-event.ts'
import type { DomainState, RecordSnapshot } from '../../email/domain-state.ts'

/** The service has no regions. Clients know a closed list, and need one of its values. */
export const REGION = 'us-east-1'

type JsonDomainStatus = 'not_started' | 'pending' | 'verified' | 'failed'

/** An operator may have activated the domain without a DNS check: clients see a domain that may send as verified. */
export function jsonDomainStatus({
  status,
  sending,
  dkim,
}: Pick<DomainState, 'status' | 'sending' | 'dkim'>): JsonDomainStatus {
  if (status === 'verified' || sending === 'active') return 'verified'
  if (dkim === null) return 'not_started'
  return dkim === 'different' ? 'failed' : 'pending'
}

const RECORD_STATUS = {
  right: 'verified',
  missing: 'pending',
  different: 'failed',
  unknown: 'temporary_failure',
} as const

/** Clients do not know any other kinds. */
const KINDS: Readonly<Record<string, 'DKIM' | 'SPF'>> = {
  dkim: 'DKIM',
  spf: 'SPF',
  return_path_mx: 'SPF',
  return_path_spf: 'SPF',
  return_path_owner: 'SPF',
}

export function jsonRecords(records: readonly RecordSnapshot[]) {
  return records.flatMap(({ kind, name, type, value, preference, seen }) => {
    const record = KINDS[kind]
    if (record === undefined) return []
    const status = seen === null ? ('not_started' as const) : RECORD_STATUS[seen]
    const shown = { record, name, type, ttl: 'Auto' as const, status, value }
    return [preference === null ? shown : { ...shown, priority: preference }]
  })
}

/** The data of a webhook about an event of a domain. */
export function changedDomain({ detail }: CompanyEvent): Record<string, unknown> {
  const { domain, domainId, domainState, message } = detail
  return {
    id: domainId ?? null,
    name: domain,
    ...(domainState !== undefined && {
      status: jsonDomainStatus(domainState),
      created_at: new Date(domainState.createdAt).toISOString(),
      region: REGION,
      records: jsonRecords(domainState.records),
    }),
    // An addition to the original API.
    message,
  }
}
