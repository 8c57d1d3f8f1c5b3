/** The WebAuthn ceremonies between the browser and the server. */
import {
  browserSupportsWebAuthn,
  browserSupportsWebAuthnAutofill,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
  WebAuthnError,
} from '@simplewebauthn/browser'
import { ACCOUNT } from './account.ts'
import { call } from './client.ts'
import { change } from './queries.ts'
import { enterSession, type Me, updateSession } from './session.ts'

/** Browsers bind passkeys to a host name and refuse IP addresses. */
export const onHostName = !/^(\d+\.){3}\d+$|^\[/.test(window.location.hostname)
export const supportsPasskeys = onHostName && browserSupportsWebAuthn()

/** @param autofill offers passkeys in the address field, and waits until the person picks one */
export async function signInWithPasskey(autofill = false): Promise<Me> {
  const { options } = await call('POST /session/passkey/options')
  const response = await startAuthentication({
    optionsJSON: options as unknown as PublicKeyCredentialRequestOptionsJSON,
    useBrowserAutofill: autofill,
  })
  return enterSession(await call('POST /session/passkey', { body: { response } }))
}

export async function supportsAutofill(): Promise<boolean> {
  return supportsPasskeys && (await browserSupportsWebAuthnAutofill())
}

export async function addPasskey(name: string): Promise<Me> {
  const { options } = await call('POST /account/passkeys/options')
  const response = await startRegistration({
    optionsJSON: options as unknown as PublicKeyCredentialCreationOptionsJSON,
  })
  return updateSession(await change('POST /account/passkeys', { body: { name, response } }, ...ACCOUNT))
}

/** The person canceled the ceremony, or another one replaced it: there is no error to show. */
export function wasCanceled(error: unknown): boolean {
  return (
    (error instanceof WebAuthnError && error.code === 'ERROR_CEREMONY_ABORTED') ||
    (error instanceof Error && (error.name === 'NotAllowedError' || error.name === 'AbortError'))
  )
}
