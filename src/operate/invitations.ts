/** How an invitation is accepted. Whoever does it may be nobody yet, so it is no verb. */
import { type Invitation, newPerson, type Person, type Session } from '../people/person.ts'
import { hashSecret } from '../people/secret.ts'
import { type PeopleStore, StoreConflict } from '../store/store.ts'
import { OperateError } from './error.ts'
import { type BegunSession, type SigningIn, signedIn } from './sessions.ts'

export type InvitationStore = Pick<
  PeopleStore,
  | 'addAudit'
  | 'addInvitation'
  | 'addPerson'
  | 'addSession'
  | 'endSessions'
  | 'findInvitation'
  | 'findPerson'
  | 'setMembership'
  | 'settleAudit'
  | 'takeInvitation'
>

/**
 * Null: this token is of no invitation. Whoever is new here gets an account under the address that was invited. Whose
 * account it is already has to be signed in: the link went through other hands, and must not open what else is his.
 */
export async function acceptInvitation(
  store: InvitationStore,
  token: string,
  known: { session: Session; person: Person } | null,
  from: SigningIn,
): Promise<BegunSession | null> {
  const hash = hashSecret(token)
  const invitation = await store.findInvitation(hash, from.now)
  if (invitation === null) return null
  const owner = await store.findPerson({ address: invitation.address })
  if (owner !== null && owner.id !== known?.person.id) {
    throw hasAccount(invitation)
  }
  if ((await store.takeInvitation(hash, from.now)) === null) return null
  let person: Person
  try {
    person = await joined(store, invitation, owner, from)
  } catch (error) {
    if (!(error instanceof StoreConflict)) throw error
    // An account was made under this address meanwhile, by another invitation. This one is still to be used.
    await store.addInvitation(invitation, hash)
    throw hasAccount(invitation)
  }
  if (known !== null) await store.endSessions(known.person.id, { id: known.session.id })
  return await signedIn(store, person, 'link', from)
}

function hasAccount({ address }: Invitation): OperateError {
  const message = `${address} has an account here: sign in with it, then open this link once more`
  return new OperateError('conflict', message)
}

async function joined(
  store: InvitationStore,
  { companyId, address, role }: Invitation,
  owner: Person | null,
  { now }: SigningIn,
): Promise<Person> {
  const memberships = [{ companyId, role }]
  const person = owner ?? newPerson(now, { address, memberships })
  const change = { companyId, target: address, detail: { role } }
  const actor = { kind: 'person', id: person.id, name: address } as const
  const entry = await store.addAudit({
    at: now,
    actor,
    topic: 'change',
    action: 'acceptInvitation',
    ...change,
  })
  try {
    if (owner === null) await store.addPerson(person)
    else await store.setMembership(owner.id, companyId, role)
  } catch (error) {
    if (error instanceof StoreConflict) await store.settleAudit(entry, null)
    throw error
  }
  await store.settleAudit(entry, change)
  return (await store.findPerson({ id: person.id })) ?? person
}
