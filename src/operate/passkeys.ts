/** Passkeys: signing in with one, and managing those of one's own account. */
import {
  AttestationError,
  personOfResponse,
  type RelyingParty,
  readRegistration,
  readSignIn,
  registrationOptions,
  signInOptions,
} from '../people/passkeys.ts'
import { type Person, personName } from '../people/person.ts'
import { OperateError } from './error.ts'
import { oneLine } from './find.ts'
import { changeSelf, type OwnAccount, requireFresh } from './own-account.ts'
import type { NewSession } from './sessions.ts'
import { beginProvedSession, type SignInOrigin, type SignInParts, SignInRefusal } from './sign-in.ts'

/** Ms in which the browser has to answer a challenge. */
export const CHALLENGE_MS = 10 * 60_000
const MAX_PASSKEYS = 20
const LONGEST_NAME = 60

/** The options for the browser, and the ticket to send back with its answer. */
export interface PasskeyChallenge {
  options: object
  ticket: string
}

export async function beginPasskeySignIn(parts: SignInParts, party: RelyingParty): Promise<PasskeyChallenge> {
  const options = await signInOptions(party)
  return { options, ticket: ticketOf(parts, options.challenge, null) }
}

/** Rejects with SignInRefusal. */
export async function signInByPasskey(
  parts: SignInParts,
  party: RelyingParty,
  { ticket, response }: { ticket: string | null; response: unknown },
  origin: SignInOrigin,
): Promise<NewSession> {
  const held = ticket === null ? null : parts.tickets.readTicket('passkey', ticket, parts.clock.now())
  if (held === null || held.personId !== null)
    throw new SignInRefusal('ended', 'this took too long: try again')
  const id = personOfResponse(response)
  const person = id === null ? null : await parts.store.findPerson({ id })
  const used = person?.credentials.passkeys.find((each) => each.id === (response as { id: string }).id)
  // A challenge issued before the passkey's last use is refused, so that an intercepted answer cannot be replayed.
  const isLate = used !== undefined && used.usedAt !== null && held.issuedAt <= used.usedAt
  const counter =
    used === undefined || isLate ? null : await readSignIn(party, held.challenge, response, used)
  if (!person || !used || counter === null) {
    parts.log.warn({ address: origin.address, personId: id }, 'a passkey was refused')
    throw new SignInRefusal('wrong', 'this passkey belongs to no account here: it may have been removed')
  }
  const now = parts.clock.now()
  const credentials = {
    ...person.credentials,
    passkeys: person.credentials.passkeys.map((each) =>
      each === used ? { ...each, counter, usedAt: now } : each,
    ),
  }
  if (!(await parts.store.updatePerson(person.id, person.version, { credentials }))) {
    throw new SignInRefusal('ended', 'your account was changed at the same moment: try again')
  }
  const known = { ...person, version: person.version + 1, credentials }
  return await beginProvedSession(parts, known, 'passkey', origin)
}

export async function beginPasskey(
  parts: SignInParts,
  self: OwnAccount,
  party: RelyingParty,
): Promise<PasskeyChallenge> {
  requireFresh(self, parts.clock.now())
  const { id, name, credentials } = self.person
  const address = personName(self.person)
  const options = await registrationOptions(party, { id, name: name || address, address, ...credentials })
  return { options, ticket: ticketOf(parts, options.challenge, id) }
}

export async function addPasskey(
  parts: SignInParts,
  self: OwnAccount,
  party: RelyingParty,
  { ticket, response, name }: { ticket: string | null; response: unknown; name: string },
): Promise<Person> {
  const now = parts.clock.now()
  requireFresh(self, now)
  const held = ticket === null ? null : parts.tickets.readTicket('passkey', ticket, now)
  if (held === null || held.personId !== self.person.id) {
    throw new OperateError('conflict', 'this took too long: start again')
  }
  const made = await readRegistration(party, held.challenge, response).catch((error: unknown) => {
    if (!(error instanceof AttestationError)) throw error
    throw new OperateError(
      'invalid',
      'this passkey includes an attestation that was not requested: create it again, and do not let your browser share the make of your device',
    )
  })
  if (made === null) {
    throw new OperateError(
      'invalid',
      `this passkey was not created for ${party.origin}, or it does not require a fingerprint, face or PIN`,
    )
  }
  const called = passkeyName(name)
  return await changeSelf(
    parts,
    self,
    'addPasskey',
    ({ credentials }) => {
      const { passkeys } = credentials
      if (passkeys.some(({ id }) => id === made.id)) {
        throw new OperateError('already_exists', 'you already have this passkey')
      }
      if (passkeys.length >= MAX_PASSKEYS) {
        throw new OperateError(
          'over_limit',
          `you have ${MAX_PASSKEYS} passkeys, which is the maximum: remove one first`,
        )
      }
      const passkey = { ...made, name: called, createdAt: now, usedAt: null }
      return { credentials: { ...credentials, passkeys: [...passkeys, passkey] } }
    },
    { passkey: called },
  )
}

export async function renamePasskey(
  parts: SignInParts,
  self: OwnAccount,
  { id, name }: { id: string; name: string },
): Promise<void> {
  const called = passkeyName(name)
  await changeSelf(
    parts,
    self,
    'renamePasskey',
    ({ credentials }) => {
      const renamed = passkeyOf(credentials, id)
      const passkeys = credentials.passkeys.map((each) =>
        each === renamed ? { ...each, name: called } : each,
      )
      return { credentials: { ...credentials, passkeys } }
    },
    { passkey: called },
  )
}

/** Refuses to remove the person's last way to sign in. */
export async function removePasskey(parts: SignInParts, self: OwnAccount, id: string): Promise<void> {
  requireFresh(self, parts.clock.now())
  const { name } = passkeyOf(self.person.credentials, id)
  await changeSelf(
    parts,
    self,
    'removePasskey',
    ({ credentials }) => {
      const removed = passkeyOf(credentials, id)
      const passkeys = credentials.passkeys.filter((each) => each !== removed)
      const { password, identities } = credentials
      if (passkeys.length === 0 && password === null && identities.length === 0) {
        throw new OperateError('conflict', 'without it you could not sign in: set a password first')
      }
      return { credentials: { ...credentials, passkeys } }
    },
    { passkey: name },
  )
}

function ticketOf({ tickets, clock }: SignInParts, challenge: string, personId: string | null): string {
  const issuedAt = clock.now()
  return tickets.issue('passkey', { challenge, personId, issuedAt }, CHALLENGE_MS, issuedAt)
}

function passkeyOf({ passkeys }: Person['credentials'], id: string) {
  const found = passkeys.find((each) => each.id === id)
  if (found !== undefined) return found
  throw new OperateError('not_found', 'there is no such passkey')
}

function passkeyName(text: string): string {
  const name = oneLine(text) || 'Passkey'
  if (name.length <= LONGEST_NAME) return name
  throw new OperateError('invalid', `a name can have at most ${LONGEST_NAME} characters`)
}
