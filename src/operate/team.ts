/** The people of a company, and invitations to join it. */
import { randomUUIDv7 } from 'node:crypto'
import type { Company } from '../accounts/account.ts'
import { LinkTokens } from '../email/mailed-links.ts'
import {
  INVITATION_RENEWABLE_MS,
  type Invitation,
  type Person,
  personName,
  ROLES,
  type Role,
} from '../people/person.ts'
import { hashSecret } from '../people/secret.ts'
import { StoreConflict } from '../store/store.ts'
import { OperateError } from './error.ts'
import { findWholeCompany } from './find.ts'
import { INVITATION_MS, noSuchPerson, personAddress } from './people.ts'
import { type Operation, verb } from './verb.ts'

/** The most people of a company, including those with an open invitation. */
const MAX_PEOPLE = 1_000

/**
 * The part of a person that other people of the company see: neither other memberships nor the date of registration.
 */
export interface TeamMember {
  id: string
  address: string | null
  name: string
  role: Role
}

export interface Team {
  company: Company
  members: TeamMember[]
  /** Invitations without an answer yet, also those that expired in the last 30 days. */
  invitations: Invitation[]
}

export const showTeam = verb('see', async (op, input: { company: string }): Promise<Team> => {
  const company = findWholeCompany(op, input.company)
  const [people, invitations] = await Promise.all([
    op.store.people(company.id),
    op.store.invitations(company.id, op.now() - INVITATION_RENEWABLE_MS),
  ])
  return { company, members: people.map((person) => memberOf(person, company)), invitations }
})

export interface CreatedInvitation {
  company: Company
  invitation: Invitation
  /** The token of the link, which works once; shown only here. */
  token: string
}

/**
 * Invites a person to a company. The person joins by using the link, which the inviter has to pass on. So nobody
 * becomes a member without knowing of the company, and the result does not reveal whether the address has an account.
 * Another invitation of the same address replaces the earlier one.
 */
export const invite = verb(
  'own',
  async (op, input: { company: string; address: string; role: Role }): Promise<CreatedInvitation> => {
    const company = findWholeCompany(op, input.company)
    const [address, role] = [personAddress(input.address), checkedRole(input.role)]
    const now = op.now()
    const people = await op.store.people(company.id)
    if (people.some((person) => person.address === address)) {
      throw new OperateError('already_exists', `${address} already belongs to ${company.name}`)
    }
    const asked = (await op.store.invitations(company.id, now)).filter((each) => each.address !== address)
    if (people.length + asked.length >= MAX_PEOPLE) {
      throw new OperateError('over_limit', `a company can have at most ${MAX_PEOPLE} people`)
    }
    const id = randomUUIDv7()
    const token = new LinkTokens(await op.seal()).ofInvitation(id)
    const expiresAt = now + INVITATION_MS
    const inviter = op.caller.kind === 'member' ? null : op.caller.person
    const invitation = {
      id,
      companyId: company.id,
      address,
      role,
      createdAt: now,
      expiresAt,
      inviterId: inviter?.id ?? null,
      inviterName: inviter?.name ?? null,
    }
    await unlessNoInviter(op.store.addInvitation(invitation, hashSecret(token)))
    return { company, invitation, token }
  },
  {
    action: 'invite',
    note: ({ address, role }, made) => ({
      target: made?.invitation.address ?? address,
      detail: { role },
      ...(made && { companyId: made.company.id }),
    }),
  },
)

/** The inviter may have lost the right since the request was authorised. */
async function unlessNoInviter(added: Promise<void>): Promise<void> {
  try {
    await added
  } catch (error) {
    if (!(error instanceof StoreConflict)) throw error
    throw new OperateError('not_allowed', error.message, null, { cause: error })
  }
}

/** The link of the invitation stops working. */
export const withdrawInvitation = verb(
  'own',
  async (op, input: { company: string; id: string }): Promise<Invitation> => {
    const company = findWholeCompany(op, input.company)
    const known = await op.store.invitations(company.id, op.now() - INVITATION_RENEWABLE_MS)
    const invitation = known.find(({ id }) => id === input.id)
    if (invitation !== undefined && (await op.store.removeInvitation(company.id, invitation.id))) {
      return invitation
    }
    throw new OperateError('not_found', `there is no invitation with the id "${input.id}"`)
  },
  {
    action: 'withdrawInvitation',
    note: ({ id }, gone) =>
      gone === null ? { target: id } : { target: gone.address, companyId: gone.companyId },
  },
)

/** A person in a company. */
export interface OneMember {
  /** Name or id. */
  company: string
  /** Id or address. */
  person: string
}

/** The new role counts from the person's next request on. Only an operator may take the last owner from a company. */
export const setRole = verb(
  'own',
  async (op, input: OneMember & { role: Role }): Promise<OwnedMember> => {
    const { company, member } = await findMember(op, input)
    const role = checkedRole(input.role)
    if (member.role === role) {
      throw new OperateError('nothing_to_do', `${personName(member)} is already ${role} of ${company.name}`)
    }
    if (!(await op.store.setMembership(member.id, company.id, role, keeping(op))))
      throw noSuchPerson(input.person)
    return { company, member: { ...member, role } }
  },
  {
    action: 'setRole',
    note: (input, changed) => ({ ...memberNote(input, changed), detail: { role: input.role } }),
  },
)

/** Ends a membership from the person's next request on; other memberships stay. */
export const removeMember = verb(
  'own',
  async (op, input: OneMember): Promise<OwnedMember> => {
    const { company, member } = await findMember(op, input)
    if (!(await op.store.setMembership(member.id, company.id, null, keeping(op))))
      throw noSuchPerson(input.person)
    return { company, member }
  },
  { action: 'removeMember', note: memberNote },
)

export interface OwnedMember {
  company: Company
  member: TeamMember
}

/** Throws `not_found` for a person who does not belong to the company. */
async function findMember(op: Operation, input: OneMember): Promise<OwnedMember> {
  const company = findWholeCompany(op, input.company)
  const { person: text } = input
  const by = text.includes('@') ? personAddress(text) : text
  const members = (await op.store.people(company.id)).map((person) => memberOf(person, company))
  const member = members.find(({ id, address }) => id === by || address === by)
  if (member === undefined) throw noSuchPerson(text)
  return { company, member }
}

/**
 * The store checks for other owners within the write: two owners who leave at the same moment would otherwise each
 * count on the other.
 */
function keeping({ caller }: Operation): { keepOwner: boolean } {
  return { keepOwner: caller.kind !== 'operator' }
}

function memberOf({ id, address, name, memberships }: Person, company: Company): TeamMember {
  const role = memberships.find(({ companyId }) => companyId === company.id)?.role ?? 'viewer'
  return { id, address, name, role }
}

function memberNote({ person }: OneMember, owned: OwnedMember | null) {
  if (owned === null) return { target: person }
  return { target: personName(owned.member), companyId: owned.company.id }
}

/** Throws `invalid`. */
export function checkedRole(text: string): Role {
  const role = ROLES.find((each) => each === text)
  if (role !== undefined) return role
  throw new OperateError('invalid', `"${text}" is not a role; the roles are ${ROLES.join(', ')}`)
}
