/** Passkeys, between the browser and the service. */
import {
  browserSupportsWebAuthn,
  browserSupportsWebAuthnAutofill,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
  WebAuthnError,
} from '@simplewebauthn/browser'
import { post } from './client.ts'
import { invalidate } from './queries.ts'
import { begun, changed, type Me } from './session.ts'

/** Browsers bind passkeys to a host name, never to an address. */
export const onHostName = !/^(\d+\.){3}\d+$|^\[/.test(window.location.hostname)
export const passkeysWork = onHostName && browserSupportsWebAuthn()

/** @param autofill offered in the field of the address, and waits there */
export async function signInWithPasskey(autofill = false): Promise<Me> {
  const { options } = await post<{ options: PublicKeyCredentialRequestOptionsJSON }>(
    '/session/passkey/options',
  )
  const response = await startAuthentication({ optionsJSON: options, useBrowserAutofill: autofill })
  return begun(await post<Me>('/session/passkey', { response }))
}

export async function autofillWorks(): Promise<boolean> {
  return passkeysWork && (await browserSupportsWebAuthnAutofill())
}

export async function addPasskey(name: string): Promise<Me> {
  const { options } = await post<{ options: PublicKeyCredentialCreationOptionsJSON }>(
    '/account/passkeys/options',
  )
  const response = await startRegistration({ optionsJSON: options })
  const me = changed(await post<Me>('/account/passkeys', { name, response }))
  await invalidate('account')
  return me
}

/** Its person has thought better of it, or something else was begun: there is nothing to tell. */
export function wasGivenUp(error: unknown): boolean {
  return (
    (error instanceof WebAuthnError && error.code === 'ERROR_CEREMONY_ABORTED') ||
    (error instanceof Error && (error.name === 'NotAllowedError' || error.name === 'AbortError'))
  )
}
