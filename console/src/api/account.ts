/** The account of the signed-in person. */
import { queryOptions } from '@tanstack/react-query'
import { call, type JsonAnswer } from './client.ts'
import { invalidate } from './queries.ts'
import { changed, type Me } from './session.ts'

export type Account = JsonAnswer<'GET /account'>
export type Passkey = Account['passkeys'][number]
export type Identity = Account['identities'][number]
export type Membership = Account['memberships'][number]
export type OwnSession = JsonAnswer<'GET /account/sessions'>['sessions'][number]
export type TotpSetup = JsonAnswer<'POST /account/totp'>

export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: ({ signal }) => call('GET /account', { signal }),
})

export const sessionsQuery = queryOptions({
  queryKey: ['account', 'sessions'],
  queryFn: async ({ signal }) => (await call('GET /account/sessions', { signal })).sessions,
})

/** Waits for a change, then reloads everything that is shown of the account. */
async function renewed<Result>(change: Promise<Result>): Promise<Result> {
  const result = await change
  await invalidate('account', 'session')
  return result
}

export async function changeProfile(profile: { name?: string; address?: string }): Promise<Me> {
  return changed(await call('PATCH /account', { body: profile }))
}

export async function confirmPassword(password: string): Promise<Me> {
  return changed(await renewed(call('POST /account/proof', { body: { password } })))
}

export async function changePassword(password: string): Promise<Me> {
  return changed(await renewed(call('PUT /account/password', { body: { password } })))
}

export const beginTotp = () => call('POST /account/totp')

export const turnOnTotp = async (ticket: string, code: string) =>
  (await renewed(call('PUT /account/totp', { body: { ticket, code } }))).codes

export const turnOffTotp = () => renewed(call('DELETE /account/totp'))

export const renewRecoveryCodes = async () => (await renewed(call('POST /account/recovery-codes'))).codes

export const renamePasskey = (id: string, name: string) =>
  renewed(call('PATCH /account/passkeys/:id', { id, body: { name } }))

export const removePasskey = (id: string) => renewed(call('DELETE /account/passkeys/:id', { id }))

/** Leaves the page. The provider sends the browser back. */
export async function goToConnect(): Promise<void> {
  const { url } = await call('POST /account/identities/begin')
  window.location.assign(url)
}

export async function connectIdentity(query: string): Promise<Me> {
  return changed(await call('POST /account/identities', { body: { query } }))
}

export const removeIdentity = (id: string) => renewed(call('DELETE /account/identities/:id', { id }))

export const confirmMembership = (company: string) =>
  renewed(call('POST /account/memberships/:id', { id: company }))

export const leaveCompany = (company: string) =>
  renewed(call('DELETE /account/memberships/:id', { id: company }))

export const endSession = (id: string) => renewed(call('DELETE /account/sessions/:id', { id }))

export const endOtherSessions = () => renewed(call('DELETE /account/sessions'))
