/** Accounts at an OpenID Connect provider that sign a person in: connecting and disconnecting them. */
import { hash } from 'node:crypto'
import type { Identity, Person } from '../people/person.ts'
import { OperateError } from './error.ts'
import type { OpenIdProvider } from './openid-provider.ts'
import { beginOpenId, identify, type OpenIdAnswer } from './openid-sign-in.ts'
import { changeSelf, type OwnAccount, requireFresh } from './own-account.ts'
import type { SignInOrigin, SignInParts } from './sign-in.ts'

const MAX_IDENTITIES = 10

/** An id that is safe in URL paths: a provider's subject may contain any characters. */
export function identityId({ issuer, subject }: Identity): string {
  return hash('sha256', JSON.stringify([issuer, subject]), 'base64url')
}

/**
 * Returns the URL to send the browser to, and the ticket that the browser brings back. The ticket carries the proof of
 * identity that was checked here.
 */
export async function beginIdentity(
  parts: SignInParts,
  self: OwnAccount,
  provider: OpenIdProvider,
  redirectUri: string,
): Promise<{ url: string; ticket: string }> {
  requireFresh(self, parts.clock.now())
  return await beginOpenId(parts, provider, redirectUri, self.person.id)
}

/** From now on the account signs the person in, even if its address changes. */
export async function connectIdentity(
  parts: SignInParts,
  self: OwnAccount,
  provider: OpenIdProvider,
  answer: OpenIdAnswer,
  origin: Pick<SignInOrigin, 'address'>,
): Promise<Person> {
  const { issuer, subject, address } = await identify(parts, provider, answer, self.person.id, origin)
  const made = { issuer, subject, address, createdAt: parts.clock.now() }
  return await changeSelf(
    parts,
    self,
    'connectIdentity',
    ({ credentials }) => {
      const { identities } = credentials
      if (identities.some((each) => identityId(each) === identityId(made))) {
        throw new OperateError('already_exists', 'this account is already connected with yours')
      }
      if (identities.length >= MAX_IDENTITIES) {
        throw new OperateError(
          'over_limit',
          `you have ${MAX_IDENTITIES} connected accounts, which is the maximum: disconnect one first`,
        )
      }
      return { credentials: { ...credentials, identities: [...identities, made] } }
    },
    detailOf(made),
  )
}

/** Refuses to remove the person's last way to sign in. */
export async function removeIdentity(parts: SignInParts, self: OwnAccount, id: string): Promise<Person> {
  requireFresh(self, parts.clock.now())
  const found = identityOf(self.person, id)
  return await changeSelf(
    parts,
    self,
    'removeIdentity',
    (person) => {
      const removed = identityOf(person, id)
      const { credentials } = person
      const identities = credentials.identities.filter((each) => each !== removed)
      if (identities.length === 0 && credentials.password === null && credentials.passkeys.length === 0) {
        throw new OperateError('conflict', 'without it you could not sign in: set a password first')
      }
      return { credentials: { ...credentials, identities } }
    },
    detailOf(found),
  )
}

function identityOf({ credentials }: Person, id: string): Identity {
  const found = credentials.identities.find((each) => identityId(each) === id)
  if (found !== undefined) return found
  throw new OperateError('not_found', 'no such account is connected with yours')
}

function detailOf({ issuer, address }: Identity): Record<string, unknown> {
  return { provider: new URL(issuer).host, account: address ?? null }
}
