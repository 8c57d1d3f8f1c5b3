/** The audit list: changes of settings, and sign-ins. */
import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query'
import { call, type JsonAnswer, type QueryOf, urlOf } from './client.ts'
import { daysOf } from './days.ts'
import { read } from './queries.ts'

const LIST = 'GET /companies/:company/audit'
const EXPORT = 'GET /companies/:company/audit/export'

export type AuditEntry = JsonAnswer<typeof LIST>['entries'][number]

/** `from` and `to` are days such as `2026-01-31` in the viewer's time zone, both included. */
export type AuditSearch = QueryOf<typeof EXPORT>

const EVERY = 5_000

/** Loads page after page. The first page is polled for new entries until the viewer loads a second one. */
export const auditQuery = (company: string, wanted: AuditSearch) =>
  infiniteQueryOptions({
    queryKey: [LIST, { company, wanted }],
    queryFn: ({ pageParam, signal }) =>
      call(LIST, { company, query: { ...auditParams(wanted), before: pageParam ?? undefined }, signal }),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => (data !== undefined && data.pages.length > 1 ? false : EVERY),
  })

/** The entries newer than the entry `after`. */
export const newerQuery = (company: string, wanted: AuditSearch, after: number) => ({
  ...read(LIST, { company, query: { ...auditParams(wanted), after, limit: 100 } }),
  refetchInterval: EVERY,
})

/** The address at which the browser downloads the whole list. The session cookie authorizes it. */
export function exportAddress(company: string, wanted: AuditSearch): string {
  return urlOf(EXPORT, { company, query: auditParams(wanted) })
}

function auditParams({ from, to, ...wanted }: AuditSearch) {
  return { ...wanted, ...daysOf({ from, to }) }
}
