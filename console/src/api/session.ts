import { useSuspenseQuery } from '@tanstack/react-query'
import { type Body, call, type JsonAnswer } from './client.ts'
import { queries, read } from './queries.ts'

export type Me = JsonAnswer<'GET /session'>
export type PasswordLink = JsonAnswer<'POST /session/new-password/read'>
export type LinkPreview = JsonAnswer<'POST /session/link/read'>

export const sessionQuery = { ...read('GET /session'), staleTime: 60_000 }

export const waysQuery = { ...read('GET /session/ways'), staleTime: Number.POSITIVE_INFINITY }

/** The signed-in person. Only for components within the frame, whose route loads the session. */
export function useMe(): Me {
  return useSuspenseQuery(sessionQuery).data
}

/** Whether mail is stored here instead of being sent. */
export function useIsCapture(): boolean {
  return useMe().installation.delivery === 'capture'
}

/** Clears the cache first, so that a person who signs in sees no data of the previous session. */
export function enterSession(me: Me): Me {
  queries.clear()
  queries.setQueryData(sessionQuery.queryKey, me)
  return me
}

/** The same person, with another session or another name. */
export function updateSession(me: Me): Me {
  queries.setQueryData(sessionQuery.queryKey, me)
  return me
}

/** Reads where a link leads, without using it or signing anybody in. */
export function readLink(token: string): Promise<LinkPreview> {
  return call('POST /session/link/read', { body: { token } })
}

/** `instead`: ends the session of another person in this browser. */
export async function takeLink(token: string, instead = false): Promise<Me> {
  return enterSession(await call('POST /session/link', { body: { token, instead } }))
}

export function declineInvitation(token: string): Promise<object> {
  return call('POST /session/link/decline', { body: { token } })
}

/** Answers with a ticket if a second factor is still required. */
export async function signInWithPassword(
  address: string,
  password: string,
): Promise<JsonAnswer<'POST /session/password'>> {
  const answer = await call('POST /session/password', { body: { address, password } })
  return 'ticket' in answer ? answer : enterSession(answer)
}

export async function signInWithCode(ticket: string, code: string): Promise<Me> {
  return enterSession(await call('POST /session/second-factor', { body: { ticket, code } }))
}

/** Mails a link for a new password, if the address has an account. */
export function mailPasswordLink(address: string): Promise<object> {
  return call('POST /session/forgotten', { body: { address } })
}

/** Reads whose password the link sets, without using it. */
export function readPasswordLink(token: string): Promise<PasswordLink> {
  return call('POST /session/new-password/read', { body: { token } })
}

export async function choosePassword(body: Body<'POST /session/new-password'>): Promise<Me> {
  return enterSession(await call('POST /session/new-password', { body }))
}

/** Leaves the page. The provider sends the browser back. */
export async function goToProvider(): Promise<void> {
  const { url } = await call('POST /session/oidc')
  window.location.assign(url)
}

export async function returnFromProvider(query: string): Promise<Me> {
  return enterSession(await call('POST /session/oidc/return', { body: { query } }))
}

export async function signOut(): Promise<void> {
  await call('DELETE /session')
  queries.clear()
}
