import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type Body, call, type JsonAnswer, type QueryOf, urlOf } from './client.ts'
import { invalidate } from './queries.ts'

export type SuppressionItem = JsonAnswer<'GET /companies/:company/suppressions'>['data'][number]
export type SuppressionType = SuppressionItem['type']
export type AllowedItem = JsonAnswer<'GET /companies/:company/allowed'>['data'][number]
export type NewSuppression = Body<'POST /companies/:company/suppressions'>
export type NewAllowed = Body<'POST /companies/:company/allowed'>
export type ImportPiece = Body<'POST /companies/:company/suppressions/import'>
export type ImportAnswer = JsonAnswer<'POST /companies/:company/suppressions/import'>
export type SuppressionPageQuery = Omit<QueryOf<'GET /companies/:company/suppressions'>, 'limit'>

export const suppressionsQuery = (company: string, request: SuppressionPageQuery) =>
  queryOptions({
    queryKey: ['suppressions', company, request],
    queryFn: ({ signal }) =>
      call('GET /companies/:company/suppressions', { company, query: request, signal }),
    placeholderData: keepPreviousData,
  })

export const allowedQuery = (company: string, { type: _type, ...wanted }: SuppressionPageQuery) =>
  queryOptions({
    queryKey: ['allowed', company, wanted],
    queryFn: ({ signal }) => call('GET /companies/:company/allowed', { company, query: wanted, signal }),
    placeholderData: keepPreviousData,
  })

export async function addSuppression(company: string, entry: NewSuppression): Promise<void> {
  await call('POST /companies/:company/suppressions', { company, body: entry })
  await renew('suppressions')
}

export async function removeSuppression({ company, id }: SuppressionItem): Promise<void> {
  await call('DELETE /companies/:company/suppressions/:id', { company, id })
  await renew('suppressions')
}

export async function addAllowed(company: string, entry: NewAllowed): Promise<void> {
  await call('POST /companies/:company/allowed', { company, body: entry })
  await renew('allowed')
}

export async function removeAllowed(company: string, value: string): Promise<void> {
  await call('DELETE /companies/:company/allowed/:value', { company, value })
  await renew('allowed')
}

export function importPiece(company: string, piece: ImportPiece): Promise<ImportAnswer> {
  return call('POST /companies/:company/suppressions/import', { company, body: piece })
}

/** The address at which the browser downloads the file. The session cookie authorizes it. */
export function exportAddress(company: string, type: SuppressionType | undefined): string {
  return urlOf('GET /companies/:company/suppressions/export', { company, query: { type } })
}

export function renew(list: 'suppressions' | 'allowed'): Promise<void> {
  return invalidate(list)
}
