import { keepPreviousData } from '@tanstack/react-query'
import { allRows } from './all-rows.ts'
import { type Body, call, type JsonAnswer, type QueryOf, urlOf } from './client.ts'
import { change, invalidate, read } from './queries.ts'

const SUPPRESSED = 'GET /companies/:company/suppressions'
const COUNT = 'GET /companies/:company/suppressions/count'
const ALLOWED = 'GET /companies/:company/allowed'

export type SuppressionItem = JsonAnswer<typeof SUPPRESSED>['data'][number]
export type SuppressionType = SuppressionItem['type']
export type AllowListItem = JsonAnswer<typeof ALLOWED>['data'][number]
export type ImportPiece = Body<'POST /companies/:company/suppressions/import'>

export const suppressionsQuery = (company: string, query: QueryOf<typeof SUPPRESSED>) => ({
  ...read(SUPPRESSED, { company, query }),
  placeholderData: keepPreviousData,
})

export const suppressionCountQuery = (company: string, query: QueryOf<typeof COUNT>) => ({
  ...read(COUNT, { company, query }),
  placeholderData: keepPreviousData,
})

export const allowListQuery = (company: string, query: QueryOf<typeof ALLOWED>) => ({
  ...read(ALLOWED, { company, query }),
  placeholderData: keepPreviousData,
})

export const addSuppression = (company: string, body: Body<'POST /companies/:company/suppressions'>) =>
  change('POST /companies/:company/suppressions', { company, body }, SUPPRESSED, COUNT)

export const removeSuppression = ({ company, id }: SuppressionItem) =>
  change('DELETE /companies/:company/suppressions/:id', { company, id }, SUPPRESSED, COUNT)

/** Removes up to 100 entries. */
export const removeSuppressions = (company: string, ids: string[]) =>
  call('POST /companies/:company/suppressions/remove', { company, body: { ids } })

export type SuppressionFilter = Pick<QueryOf<typeof SUPPRESSED>, 'term' | 'type' | 'domain'>

/** The entries that a filter finds, at most MAX_CHOSEN. `onPage`: called after each page with the number of entries so far. */
export function matchingSuppressions(
  company: string,
  filter: SuppressionFilter,
  onPage: (count: number) => void,
): Promise<SuppressionItem[]> {
  return allRows(async (after, limit) => {
    const { data, next } = await call(SUPPRESSED, { company, query: { ...filter, after, limit } })
    return { rows: data, next }
  }, onPage)
}

export const addAllowed = (company: string, body: Body<'POST /companies/:company/allowed'>) =>
  change('POST /companies/:company/allowed', { company, body }, ALLOWED)

export const removeAllowed = (company: string, { value, list }: AllowListItem) =>
  change('DELETE /companies/:company/allowed/:value', { company, value, query: { list } }, ALLOWED)

export const importPiece = (company: string, body: ImportPiece) =>
  call('POST /companies/:company/suppressions/import', { company, body })

export const reloadSuppressions = () => invalidate(SUPPRESSED, COUNT, ALLOWED)

/** The URL from which the browser downloads the list. The session cookie authorizes the request. */
export const exportAddress = (company: string, filter: Pick<SuppressionFilter, 'type' | 'domain'>) =>
  urlOf('GET /companies/:company/suppressions/export', { company, query: filter })
