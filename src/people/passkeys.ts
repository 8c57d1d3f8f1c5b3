/**
 * Passkeys (W3C WebAuthn 3). Each identifies a person by itself: it is found without a name, and requires a finger, a
 * face or a PIN (user verification), so it is two factors in one.
 */
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import type { Passkey } from './person.ts'

/** The site that a passkey is bound to. */
export interface RelyingParty {
  /** The host name, e.g. `mail.example.com` (WebAuthn 4, RP ID). */
  id: string
  /** E.g. `https://mail.example.com`. */
  origin: string
}

/** Milliseconds that the browser allows for the ceremony. */
const TIMEOUT = 5 * 60_000

/** Loaded when it is first needed: most requests never use it. */
const library = () => import('@simplewebauthn/server')

/** `url`: the console's URL. */
export function relyingParty(url: string): RelyingParty {
  const { hostname, origin } = new URL(url)
  return { id: hostname, origin }
}

export async function registrationOptions(
  party: RelyingParty,
  {
    id,
    name,
    address,
    passkeys,
  }: { id: string; name: string; address: string; passkeys: readonly Passkey[] },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await library()
  return await generateRegistrationOptions({
    rpName: 'Postroad',
    rpID: party.id,
    timeout: TIMEOUT,
    attestationType: 'none',
    userName: address,
    userDisplayName: name,
    userID: new Uint8Array(Buffer.from(id)),
    excludeCredentials: passkeys.map(({ id, transports }) => ({ id, transports })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
}

/** Characters of an answer's parts, at most: those of a passkey without attestation have some hundreds. */
const LONGEST_PART = 16 * 1024

/** The passkey sent an attestation, which was not requested. */
export class AttestationError extends Error {
  override name = 'AttestationError'
}

/**
 * Only the format `none` (WebAuthn 3, 8.7) is verified: for others the library reads certificates, and fetches the
 * revocation lists that these name, bypassing the guarded client.
 */
async function refuseAttestation(response: unknown): Promise<void> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers')
  const { attestationObject } = (response as RegistrationResponseJSON).response
  const octets = new Uint8Array(Buffer.from(attestationObject, 'base64url'))
  const format = await orNull(async () => decodeAttestationObject(octets).get('fmt'))
  if (format !== null && format !== 'none') throw new AttestationError()
}

/** True when the library may read it: its parts are texts, of a length that a passkey has. */
function isReadable(response: unknown): boolean {
  const { response: parts } = response as { response?: Record<string, unknown> }
  const { clientDataJSON, attestationObject = '', authenticatorData = '', signature = '' } = parts ?? {}
  return [clientDataJSON, attestationObject, authenticatorData, signature].every(
    (part) => typeof part === 'string' && part.length <= LONGEST_PART,
  )
}

/** Null: the answer does not prove the challenge. Rejects with AttestationError. */
export async function readRegistration(
  party: RelyingParty,
  challenge: string,
  response: unknown,
): Promise<Pick<Passkey, 'id' | 'publicKey' | 'counter' | 'transports'> | null> {
  if (!isReadable(response)) return null
  await refuseAttestation(response)
  const { verifyRegistrationResponse } = await library()
  const verified = await orNull(() =>
    verifyRegistrationResponse({
      response: response as RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
    }),
  )
  if (!verified?.verified) return null
  const { id, publicKey, counter, transports = [] } = verified.registrationInfo.credential
  const known = transports.filter((each) => typeof each === 'string' && each.length < 30).slice(0, 10)
  return { id, publicKey: Buffer.from(publicKey).toString('base64url'), counter, transports: known }
}

export async function signInOptions(party: RelyingParty): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await library()
  return await generateAuthenticationOptions({
    rpID: party.id,
    timeout: TIMEOUT,
    userVerification: 'required',
  })
}

/** The id of the person that the passkey names; null when it names none. */
export function personOfResponse(response: unknown): string | null {
  const { userHandle } = (response as Partial<AuthenticationResponseJSON>).response ?? {}
  if (typeof userHandle !== 'string' || userHandle.length > 200) return null
  const id = Buffer.from(userHandle, 'base64url').toString()
  return /^[\w-]{1,64}$/.test(id) ? id : null
}

/** The passkey's new counter; null: the answer does not prove the challenge. */
export async function readSignIn(
  party: RelyingParty,
  challenge: string,
  response: unknown,
  { id, publicKey, counter }: Passkey,
): Promise<number | null> {
  if (!isReadable(response)) return null
  const { verifyAuthenticationResponse } = await library()
  const verified = await orNull(() =>
    verifyAuthenticationResponse({
      response: response as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      credential: { id, counter, publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')) },
      requireUserVerification: true,
    }),
  )
  return verified?.verified ? verified.authenticationInfo.newCounter : null
}

/** The library throws for any fault in what a browser sent. */
async function orNull<Result>(verify: () => Promise<Result>): Promise<Result | null> {
  try {
    return await verify()
  } catch {
    return null
  }
}
