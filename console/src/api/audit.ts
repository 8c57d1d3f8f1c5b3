/** Who changed what, and when, and who signed in. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { AUDIT, AUDIT_ENTRY } from '../../../src/http/console/contract/audit.ts'
import type { AuditTopic } from '../../../src/people/person.ts'
import { get, pathOf, queryText } from './client.ts'

export type AuditEntry = Static<typeof AUDIT_ENTRY>
type AuditPage = Static<typeof AUDIT>

/** Days as `2026-01-31`, both of them whole, where the reader is. */
export interface AuditWanted {
  by?: string
  action?: string
  topic?: AuditTopic
  from?: string
  to?: string
}

const EVERY = 5_000
const path = (company: string) => `/companies${pathOf(company)}/audit`

/** Page after page; what is new comes to the first one while nobody looks further back. */
export const auditQuery = (company: string, wanted: AuditWanted) =>
  infiniteQueryOptions({
    queryKey: ['audit', company, wanted],
    queryFn: ({ pageParam, signal }) =>
      get<AuditPage>(
        path(company),
        { ...asked(wanted), ...(pageParam !== null && { before: pageParam }) },
        signal,
      ),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => (data !== undefined && data.pages.length > 1 ? false : EVERY),
  })

/** Those that came behind an entry. */
export const newerQuery = (company: string, wanted: AuditWanted, after: number) =>
  queryOptions({
    queryKey: ['audit-newer', company, wanted, after],
    queryFn: ({ signal }) => get<AuditPage>(path(company), { ...asked(wanted), after, limit: 100 }, signal),
    refetchInterval: EVERY,
  })

/** Where a browser finds them all as a file; the session's cookie is enough. */
export function exportAddress(company: string, wanted: AuditWanted): string {
  return `/console/api${path(company)}/export${queryText(asked(wanted))}`
}

function asked({ from, to, ...wanted }: AuditWanted) {
  return { ...wanted, from: dayStart(from, 0), to: dayStart(to, 1) }
}

/** As it begins where the reader is, or one some days behind it. */
function dayStart(day: string | undefined, later: number): string | undefined {
  const [year, month, date] =
    /^(\d{4})-(\d\d)-(\d\d)$/
      .exec(day ?? '')
      ?.slice(1)
      .map(Number) ?? []
  if (year === undefined) return undefined
  return new Date(year, month! - 1, date! + later).toISOString()
}
