import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type Body, call, type JsonAnswer, type QueryOf } from './client.ts'
import { invalidate } from './queries.ts'

export type ApiKey = JsonAnswer<'GET /companies/:company/keys'>['keys'][number]
export type MadeKey = JsonAnswer<'POST /companies/:company/keys'>
export type NewKey = Body<'POST /companies/:company/keys'>
export type KeySearch = QueryOf<'GET /companies/:company/keys'>

export const keysQuery = (company: string, query: KeySearch) =>
  queryOptions({
    queryKey: ['keys', company, query],
    queryFn: ({ signal }) => call('GET /companies/:company/keys', { company, query, signal }),
    placeholderData: keepPreviousData,
  })

const listAgain = () => invalidate('keys')

export async function createKey(company: string, body: NewKey): Promise<MadeKey> {
  const made = await call('POST /companies/:company/keys', { company, body })
  void listAgain()
  return made
}

export async function renameKey(company: string, key: string, name: string): Promise<void> {
  await call('PATCH /companies/:company/keys/:key', { company, key, body: { name } })
  await listAgain()
}

export async function revokeKey(company: string, key: string): Promise<void> {
  await call('DELETE /companies/:company/keys/:key', { company, key })
  await listAgain()
}
