/** Who changed what, and when. */
import { infiniteQueryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { AUDIT, AUDIT_ENTRY } from '../../../src/http/console/contract/audit.ts'
import { get, pathOf } from './client.ts'

export type AuditEntry = Static<typeof AUDIT_ENTRY>

/** Page after page; what is new comes to the first one while somebody looks. */
export const auditQuery = (company: string) =>
  infiniteQueryOptions({
    queryKey: ['audit', company],
    queryFn: ({ pageParam, signal }) =>
      get<Static<typeof AUDIT>>(
        `/companies${pathOf(company)}/audit`,
        pageParam === null ? {} : { before: pageParam },
        signal,
      ),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
    refetchInterval: 10_000,
  })
