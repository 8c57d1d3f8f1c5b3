import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { KEY, KEYS, MADE_KEY, NEW_KEY } from '../../../src/http/console/contract/keys.ts'
import { get, patch, pathOf, post, remove } from './client.ts'
import { invalidate } from './queries.ts'

export type ApiKey = Static<typeof KEY>
export type MadeKey = Static<typeof MADE_KEY>
export type NewKey = Static<typeof NEW_KEY>

const all = (company: string) => `/companies${pathOf(company)}/keys`

export interface KeySearch {
  search?: string | undefined
  /** Lists revoked and expired keys instead. */
  ended?: boolean | undefined
}

export const keysQuery = (company: string, search: KeySearch) =>
  queryOptions({
    queryKey: ['keys', company, search],
    queryFn: ({ signal }) => get<Static<typeof KEYS>>(all(company), { ...search }, signal),
    placeholderData: keepPreviousData,
  })

const listAgain = () => invalidate('keys')

export async function createKey(company: string, key: NewKey): Promise<MadeKey> {
  const made = await post<MadeKey>(all(company), key)
  void listAgain()
  return made
}

export async function renameKey(company: string, id: string, name: string): Promise<void> {
  await patch(`${all(company)}${pathOf(id)}`, { name })
  await listAgain()
}

export async function revokeKey(company: string, id: string): Promise<void> {
  await remove(`${all(company)}${pathOf(id)}`)
  await listAgain()
}
