import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type {
  AllowedPage,
  AllowedShown,
  ImportedShown,
  ImportPiece,
  NewAllowed,
  NewSuppression,
  SuppressionPage,
  SuppressionShown,
} from '../../../src/http/console/contract/suppressions.ts'
import { get, pathOf, post, queryText, remove } from './client.ts'
import { invalidate } from './queries.ts'

export type { AllowedShown, ImportedShown, ImportPiece, NewAllowed, NewSuppression, SuppressionShown }
export type SuppressionType = SuppressionShown['type']

export interface PageWanted {
  term?: string | undefined
  type?: SuppressionType | undefined
  after?: string | undefined
  before?: string | undefined
}

const of = (company: string) => `/companies${pathOf(company)}`

export const suppressionsQuery = (company: string, wanted: PageWanted) =>
  queryOptions({
    queryKey: ['suppressions', company, wanted],
    queryFn: ({ signal }) => get<SuppressionPage>(`${of(company)}/suppressions`, { ...wanted }, signal),
    placeholderData: keepPreviousData,
  })

export const allowedQuery = (company: string, { type: _type, ...wanted }: PageWanted) =>
  queryOptions({
    queryKey: ['allowed', company, wanted],
    queryFn: ({ signal }) => get<AllowedPage>(`${of(company)}/allowed`, wanted, signal),
    placeholderData: keepPreviousData,
  })

export async function addSuppression(company: string, entry: NewSuppression): Promise<void> {
  await post(`${of(company)}/suppressions`, entry)
  await renew('suppressions')
}

export async function removeSuppression({ company, id }: SuppressionShown): Promise<void> {
  await remove(`${of(company)}/suppressions${pathOf(id)}`)
  await renew('suppressions')
}

export async function addAllowed(company: string, entry: NewAllowed): Promise<void> {
  await post(`${of(company)}/allowed`, entry)
  await renew('allowed')
}

export async function removeAllowed(company: string, value: string): Promise<void> {
  await remove(`${of(company)}/allowed${pathOf(value)}`)
  await renew('allowed')
}

export function importPiece(company: string, piece: ImportPiece): Promise<ImportedShown> {
  return post(`${of(company)}/suppressions/import`, piece)
}

/** The address at which the browser downloads the file. The session cookie authorizes it. */
export function exportAddress(company: string, type: SuppressionType | undefined): string {
  return `/console/api${of(company)}/suppressions/export${queryText({ type })}`
}

export function renew(list: 'suppressions' | 'allowed'): Promise<void> {
  return invalidate(list)
}
