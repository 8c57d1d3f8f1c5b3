/** The account of the signed-in person. */
import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type {
  ACCOUNT,
  RECOVERY_CODES,
  SESSIONS,
  TOTP_SETUP,
} from '../../../src/http/console/contract/account.ts'
import { get, patch, pathOf, post, put, remove } from './client.ts'
import { invalidate } from './queries.ts'
import { changed, type Me } from './session.ts'

export type Account = Static<typeof ACCOUNT>
export type Passkey = Account['passkeys'][number]
export type Identity = Account['identities'][number]
export type Membership = Account['memberships'][number]
export type OwnSession = Static<typeof SESSIONS>['sessions'][number]
export type TotpSetup = Static<typeof TOTP_SETUP>

export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: ({ signal }) => get<Account>('/account', {}, signal),
})

export const sessionsQuery = queryOptions({
  queryKey: ['account', 'sessions'],
  queryFn: async ({ signal }) =>
    (await get<Static<typeof SESSIONS>>('/account/sessions', {}, signal)).sessions,
})

/** Waits for a change, then reloads everything that is shown of the account. */
async function renewed<Result>(change: Promise<Result>): Promise<Result> {
  const result = await change
  await invalidate('account', 'session')
  return result
}

export async function changeProfile(profile: { name?: string; address?: string }): Promise<Me> {
  return changed(await patch<Me>('/account', profile))
}

export async function confirmPassword(password: string): Promise<Me> {
  return changed(await renewed(post<Me>('/account/proof', { password })))
}

export async function changePassword(password: string): Promise<Me> {
  return changed(await renewed(put<Me>('/account/password', { password })))
}

export const beginTotp = () => post<TotpSetup>('/account/totp')

export const turnOnTotp = async (ticket: string, code: string) =>
  (await renewed(put<Static<typeof RECOVERY_CODES>>('/account/totp', { ticket, code }))).codes

export const turnOffTotp = () => renewed(remove('/account/totp'))

export const renewRecoveryCodes = async () =>
  (await renewed(post<Static<typeof RECOVERY_CODES>>('/account/recovery-codes'))).codes

export const renamePasskey = (id: string, name: string) =>
  renewed(patch(`/account/passkeys${pathOf(id)}`, { name }))

export const removePasskey = (id: string) => renewed(remove(`/account/passkeys${pathOf(id)}`))

/** Leaves the page. The provider sends the browser back. */
export async function goToConnect(): Promise<void> {
  const { url } = await post<{ url: string }>('/account/identities/begin')
  window.location.assign(url)
}

export async function connectIdentity(query: string): Promise<Me> {
  return changed(await post<Me>('/account/identities', { query }))
}

export const removeIdentity = (id: string) => renewed(remove(`/account/identities${pathOf(id)}`))

export const confirmMembership = (company: string) => renewed(post(`/account/memberships${pathOf(company)}`))

export const leaveCompany = (company: string) => renewed(remove(`/account/memberships${pathOf(company)}`))

export const endSession = (id: string) => renewed(remove(`/account/sessions${pathOf(id)}`))

export const endOtherSessions = () => renewed(remove('/account/sessions'))
