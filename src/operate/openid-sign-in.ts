/**
 * Signing in with an OpenID Connect provider. The provider identifies the person; Postroad decides who has an account.
 */

import { givesWay, isProved, NO_CREDENTIALS, type Person } from '../people/person.ts'
import { OperateError } from './error.ts'
import type { OpenIdIdentity, OpenIdProvider } from './openid-provider.ts'
import { changeSelf } from './own-account.ts'
import { personAddress } from './people.ts'
import { type NewSession, signedIn } from './sessions.ts'
import { type SignInOrigin, type SignInParts, SignInRefusal } from './sign-in.ts'

/** Ms for signing in at the provider. */
export const OPENID_TICKET_MS = 15 * 60_000

/** Returns the URL to send the browser to, and the ticket that the browser brings back. Rejects with SignInRefusal. */
export async function beginOpenId(
  { tickets, clock, log }: SignInParts,
  provider: OpenIdProvider,
  redirectUri: string,
  personId: string | null = null,
): Promise<{ url: string; ticket: string }> {
  try {
    const { url, checks } = await provider.begin(redirectUri)
    return { url, ticket: tickets.issue('oidc', { ...checks, personId }, OPENID_TICKET_MS, clock.now()) }
  } catch (err) {
    log.warn({ err, provider: provider.host }, 'could not use the OpenID Connect provider')
    throw new SignInRefusal('provider_failed', `${provider.host} did not answer correctly: try again later`)
  }
}

/** The ticket and the query that the browser brings back. */
export interface OpenIdAnswer {
  ticket: string | null
  query: string
}

/**
 * Verifies the provider's answer to a request that was begun for `personId`, or to sign in (null). Rejects with
 * SignInRefusal.
 */
export async function identify(
  { tickets, clock, log }: SignInParts,
  provider: OpenIdProvider,
  { ticket, query }: OpenIdAnswer,
  personId: string | null,
  { address }: Pick<SignInOrigin, 'address'>,
): Promise<OpenIdIdentity> {
  const held = ticket === null ? null : tickets.readTicket('oidc', ticket, clock.now())
  if (held === null || held.personId !== personId)
    throw new SignInRefusal('ended', 'this took too long, or was started in another browser: try again')
  try {
    return await provider.identify(query, held)
  } catch (err) {
    log.warn({ err, address }, 'an answer of the OpenID Connect provider was refused')
    throw new SignInRefusal('wrong', `${provider.host} did not confirm your identity: try again`)
  }
}

/** Rejects with SignInRefusal. */
export async function signInByOpenId(
  parts: SignInParts,
  provider: OpenIdProvider,
  answer: OpenIdAnswer,
  origin: SignInOrigin,
): Promise<NewSession> {
  const identity = await identify(parts, provider, answer, null, origin)
  const { issuer, subject } = identity
  const known = await parts.store.findPersonByIdentity(issuer, subject)
  const person = known ?? (await findPersonOf(parts, identity))
  if (person === null) {
    const who = identity.address ?? 'the account that you signed in with'
    throw new SignInRefusal('no_account', `${who} has no access to this service: ask for an invitation`)
  }
  return await signedIn(parts.store, person, 'oidc', { ...origin, now: parts.clock.now() })
}

/**
 * Finds the person by the invited address. From then on the account at the provider signs in here, even if its address
 * changes. Nobody has verified the address before: a password, a passkey or an accepted invitation under it may be
 * somebody else's. So existing credentials and sessions stop working, and no company is told when the person signs in
 * (`unconfirmed`) until the person confirms the membership.
 */
async function findPersonOf(parts: SignInParts, identity: OpenIdIdentity): Promise<Person | null> {
  const { issuer, subject, address } = identity
  const invited = address === null ? null : await parts.store.findPerson({ address: addressOf(address) })
  if (invited === null) return null
  const joined = await changeSelf(
    parts,
    { person: invited },
    'joinIdentity',
    (person) => {
      const { credentials } = person
      // The address belonged to another account at the provider, which was connected earlier. An account that gives way
      // does not keep the new holder out.
      const isAnothers = credentials.identities.some(
        (each) => each.issuer === issuer && each.subject !== subject,
      )
      if (isAnothers && !givesWay(person)) {
        throw new SignInRefusal(
          'no_account',
          `${address} is connected with another account at the provider: ask an operator`,
        )
      }
      const identities = [{ ...identity, createdAt: parts.clock.now() }]
      const unproved = isProved(person) ? {} : { doubtMemberships: true as const }
      return { credentials: { ...NO_CREDENTIALS, identities }, ...unproved }
    },
    { issuer },
  )
  await parts.store.endSessions(invited.id, { except: null })
  return (await parts.store.findPerson({ id: invited.id })) ?? joined
}

function addressOf(text: string): string {
  try {
    return personAddress(text)
  } catch (error) {
    if (error instanceof OperateError) return ''
    throw error
  }
}
