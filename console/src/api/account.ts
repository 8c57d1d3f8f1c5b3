/** The account of the signed-in person. */
import { type Body, call, type JsonAnswer } from './client.ts'
import { change, read } from './queries.ts'
import { updateSession } from './session.ts'

export type Account = JsonAnswer<'GET /account'>
export type Passkey = Account['passkeys'][number]
export type Identity = Account['identities'][number]
export type Membership = Account['memberships'][number]
export type OwnSession = JsonAnswer<'GET /account/sessions'>['sessions'][number]
export type TotpSetup = JsonAnswer<'POST /account/totp'>

export const accountQuery = read('GET /account')

export const sessionsQuery = read('GET /account/sessions')

/** The answers from which pages show the account. */
export const ACCOUNT = ['GET /account', 'GET /account/sessions', 'GET /session'] as const

export const changeProfile = async (body: Body<'PATCH /account'>) =>
  updateSession(await call('PATCH /account', { body }))

export const confirmPassword = async (password: string) =>
  updateSession(await change('POST /account/proof', { body: { password } }, ...ACCOUNT))

export const changePassword = async (password: string) =>
  updateSession(await change('PUT /account/password', { body: { password } }, ...ACCOUNT))

export const beginTotp = () => call('POST /account/totp')

export const turnOnTotp = (ticket: string, code: string) =>
  change('PUT /account/totp', { body: { ticket, code } }, ...ACCOUNT)

export const turnOffTotp = () => change('DELETE /account/totp', {}, ...ACCOUNT)

export const renewRecoveryCodes = () => change('POST /account/recovery-codes', {}, ...ACCOUNT)

export const renamePasskey = (id: string, name: string) =>
  change('PATCH /account/passkeys/:id', { id, body: { name } }, ...ACCOUNT)

export const removePasskey = (id: string) => change('DELETE /account/passkeys/:id', { id }, ...ACCOUNT)

/** Leaves the page. The provider sends the browser back. */
export async function goToConnect(): Promise<void> {
  const { url } = await call('POST /account/identities/begin')
  window.location.assign(url)
}

export const connectIdentity = async (query: string) =>
  updateSession(await call('POST /account/identities', { body: { query } }))

export const removeIdentity = (id: string) => change('DELETE /account/identities/:id', { id }, ...ACCOUNT)

export const confirmMembership = (company: string) =>
  change('POST /account/memberships/:id', { id: company }, ...ACCOUNT)

export const leaveCompany = (company: string) =>
  change('DELETE /account/memberships/:id', { id: company }, ...ACCOUNT)

export const endSession = (id: string) => change('DELETE /account/sessions/:id', { id }, ...ACCOUNT)

export const endOtherSessions = () => change('DELETE /account/sessions', {}, ...ACCOUNT)
