/** The log of API requests. */
import { keepPreviousData } from '@tanstack/react-query'
import type { JsonAnswer, QueryOf } from './client.ts'
import { daysOf } from './days.ts'
import { read } from './queries.ts'

const LIST = 'GET /companies/:company/requests'

export type RequestEntry = JsonAnswer<typeof LIST>['data'][number]
/** `from` and `to` are days such as `2026-01-31` in the viewer's time zone, both included. */
export type RequestSearch = QueryOf<typeof LIST>

/** A request is kept as it is. */
export const requestQuery = (company: string, id: string) => ({
  ...read('GET /companies/:company/requests/:id', { company, id }),
  staleTime: Number.POSITIVE_INFINITY,
})

export const requestsQuery = (company: string, wanted: RequestSearch) => ({
  ...read(LIST, { company, query: { ...wanted, ...daysOf(wanted) } }),
  placeholderData: keepPreviousData,
  refetchInterval: 5_000,
})
