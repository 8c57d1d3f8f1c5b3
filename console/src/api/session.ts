import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { ME } from '../../../src/http/console/contract/session.ts'
import { get, post, remove } from './client.ts'
import { queries } from './queries.ts'

export type Me = Static<typeof ME>

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => get<Me>('/session', {}, signal),
  staleTime: 60_000,
})

/** Who has signed in. Within the shell only: it asks for that. */
export function useMe(): Me {
  return useSuspenseQuery(sessionQuery).data
}

export async function signInWithLink(token: string): Promise<Me> {
  const me = await post<Me>('/session/link', { token })
  queries.clear()
  queries.setQueryData(sessionQuery.queryKey, me)
  return me
}

export async function signOut(): Promise<void> {
  await remove('/session')
  queries.clear()
}
