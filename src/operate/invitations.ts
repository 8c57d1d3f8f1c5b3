/** Answers to an invitation. The person who answers may have no account yet, so none of these functions is a verb. */
import { givesWay, type Invitation, newPerson, type Person } from '../people/person.ts'
import { hashSecret } from '../people/secret.ts'
import { type Invitee, type PeopleStore, StoreConflict } from '../store/store.ts'
import { OperateError } from './error.ts'
import {
  type LinkUse,
  type NewSession,
  noLink,
  type SignInClient,
  signedIn,
  signedInAsAnother,
} from './sessions.ts'

/** The effect of a link. Reading it does not use the link. */
export type LinkContent = { kind: 'invitation'; invitation: Invitation } | { kind: 'sign-in'; person: Person }

/** Throws `not_found` for a token that is not, or no longer, that of a link. */
export async function readLink(
  store: Pick<PeopleStore, 'findInvitation' | 'findLink' | 'findPerson'>,
  token: string,
  now: number,
): Promise<LinkContent> {
  const hash = hashSecret(token)
  const invitation = await store.findInvitation(hash, now)
  if (invitation !== null) return { kind: 'invitation', invitation }
  const id = await store.findLink(hash, now)
  const person = id === null ? null : await store.findPerson({ id })
  if (person === null) throw noLink()
  return { kind: 'sign-in', person }
}

export type InvitationStore = Pick<
  PeopleStore,
  'acceptInvitation' | 'addAudit' | 'addSession' | 'findInvitation' | 'findPerson' | 'settleAudit'
>

/** A person who was signed in already, whose session goes on; or a session that has begun. */
export type AcceptedInvitation = { person: Person } | { begun: NewSession }

/**
 * Null: the token is not that of an invitation. A new person gets an account under the invited address. If there is an
 * account under that address, its holder has to be signed in: the link has passed through other hands, and must not
 * open whatever else the account opens. An account that opens nothing, under an address that nobody has proved to hold,
 * is replaced (people/person.ts).
 */
export async function acceptInvitation(
  store: InvitationStore,
  { token, known, instead }: LinkUse,
  from: SignInClient,
): Promise<AcceptedInvitation | null> {
  const invitation = await store.findInvitation(hashSecret(token), from.now)
  if (invitation === null) return null
  const { address } = invitation
  const holder = await store.findPerson({ address })
  if (known !== null && known.person.id === holder?.id) {
    return { person: await joined(store, token, invitation, { personId: holder.id }, from) }
  }
  if (holder !== null && !givesWay(holder)) throw hasAccount(address)
  if (known !== null && !instead) throw signedInAsAnother(known)
  const added = { newPerson: newPerson(from.now, { address }) }
  const person = await joined(store, token, invitation, added, from)
  return { begun: await signedIn(store, person, 'link', from) }
}

/**
 * Returns false if the token is not that of an invitation. The link stops working, and the company's audit list records
 * the refusal.
 */
export async function declineInvitation(
  store: Pick<PeopleStore, 'addAudit' | 'settleAudit' | 'takeInvitation'>,
  token: string,
  now: number,
): Promise<boolean> {
  const declined = await store.takeInvitation(hashSecret(token), now)
  if (declined === null) return false
  const { companyId, address, role } = declined
  const change = { companyId, target: address, detail: { role } }
  const actor = { kind: 'person', id: null, name: address } as const
  const entry = { at: now, actor, topic: 'change', action: 'declineInvitation', ...change } as const
  await store.settleAudit(await store.addAudit(entry), change)
  return true
}

function hasAccount(address: string): OperateError {
  return new OperateError('conflict', `${address} already has an account: sign in with it, then accept`)
}

async function joined(
  store: InvitationStore,
  token: string,
  { companyId, address, role }: Invitation,
  accepter: Invitee,
  { now }: SignInClient,
): Promise<Person> {
  const id = 'newPerson' in accepter ? accepter.newPerson.id : accepter.personId
  const change = { companyId, target: address, detail: { role } }
  const actor = { kind: 'person', id, name: address } as const
  const entry = await store.addAudit({
    at: now,
    actor,
    topic: 'change',
    action: 'acceptInvitation',
    ...change,
  })
  const taken = await unlessTaken(store.acceptInvitation(hashSecret(token), now, accepter))
  const person = taken === null || taken === 'taken' ? null : await store.findPerson({ id })
  await store.settleAudit(entry, person === null ? null : change)
  if (taken === 'taken') throw hasAccount(address)
  if (person === null) throw noLink()
  return person
}

/**
 * 'taken': meanwhile another invitation has created an account under the address. This invitation can still be used.
 */
async function unlessTaken<Result>(accepted: Promise<Result>): Promise<Result | 'taken'> {
  try {
    return await accepted
  } catch (error) {
    if (error instanceof StoreConflict) return 'taken'
    throw error
  }
}
