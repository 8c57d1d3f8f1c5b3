import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type {
  LINK_CONTENT,
  ME,
  SECOND_STEP,
  SIGN_IN_WAYS,
} from '../../../src/http/console/contract/session.ts'
import { get, post, remove } from './client.ts'
import { queries } from './queries.ts'

export type Me = Static<typeof ME>
export type LinkContent = Static<typeof LINK_CONTENT>

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => get<Me>('/session', {}, signal),
  staleTime: 60_000,
})

export const waysQuery = queryOptions({
  queryKey: ['ways'],
  queryFn: ({ signal }) => get<Static<typeof SIGN_IN_WAYS>>('/session/ways', {}, signal),
  staleTime: Number.POSITIVE_INFINITY,
})

/** The signed-in person. Only for components within the frame, whose route loads the session. */
export function useMe(): Me {
  return useSuspenseQuery(sessionQuery).data
}

/** Clears the cache first, so that a person who signs in sees no data of the previous session. */
export function begun(me: Me): Me {
  queries.clear()
  queries.setQueryData(sessionQuery.queryKey, me)
  return me
}

/** The same person, with another session or another name. */
export function changed(me: Me): Me {
  queries.setQueryData(sessionQuery.queryKey, me)
  return me
}

/** Reads where a link leads, without using it or signing anybody in. */
export function readLink(token: string): Promise<LinkContent> {
  return post('/session/link/read', { token })
}

/** `instead`: ends the session of another person in this browser. */
export async function takeLink(token: string, instead = false): Promise<Me> {
  return begun(await post<Me>('/session/link', { token, instead }))
}

export function declineInvitation(token: string): Promise<object> {
  return post('/session/link/decline', { token })
}

/** Answers with a ticket if a second factor is still required. */
export async function signInWithPassword(
  address: string,
  password: string,
): Promise<Me | Static<typeof SECOND_STEP>> {
  const answer = await post<Me | Static<typeof SECOND_STEP>>('/session/password', { address, password })
  return 'ticket' in answer ? answer : begun(answer)
}

export async function signInWithCode(ticket: string, code: string): Promise<Me> {
  return begun(await post<Me>('/session/second-factor', { ticket, code }))
}

/** Leaves the page. The provider sends the browser back. */
export async function goToProvider(): Promise<void> {
  const { url } = await post<{ url: string }>('/session/oidc')
  window.location.assign(url)
}

export async function returnFromProvider(query: string): Promise<Me> {
  return begun(await post<Me>('/session/oidc/return', { query }))
}

export async function signOut(): Promise<void> {
  await remove('/session')
  queries.clear()
}
