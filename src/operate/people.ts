/**
 * All people of the installation, for its operators: listing them, making them operators, and links that sign them in.
 */
import { DAY_MS } from '../common/utc-day.ts'
import { givesWay, newPerson, type Person, personName } from '../people/person.ts'
import { type PeopleStore, StoreConflict } from '../store/store.ts'
import type { AuditNote } from './audit-trail.ts'
import { OperateError } from './error.ts'
import { addressIn } from './find.ts'
import { makeLink, SIGN_IN_LINK_MS } from './sessions.ts'
import { type Operation, verb } from './verb.ts'

/** Ms for which an invitation is valid. */
export const INVITATION_MS = 7 * DAY_MS

/** A person and the token of a link. The link signs its bearer in as that person, once. */
export interface PersonWithLink {
  person: Person
  token: string
  /** Unix ms. */
  expiresAt: number
}

/** Oldest first, with their memberships. */
export const listPeople = verb(
  'operate',
  async (op, _input: object): Promise<Person[]> => await op.store.people(null),
  null,
)

/**
 * Adds a new person who is an operator, and makes a link for them. A person who is known is not made an operator by
 * address: a company may have invited somebody under that address who is not the person the operator means.
 */
export const inviteOperator = verb(
  'operate',
  async (op, input: { address: string }): Promise<PersonWithLink> => {
    const address = personAddress(input.address)
    const holder = await op.store.findPerson({ address })
    if (holder !== null && !givesWay(holder)) {
      throw new OperateError('already_exists', `${address} already has an account`, {
        verb: 'setOperator',
        person: address,
      })
    }
    const person = newPerson(op.now(), { address, operator: true })
    await op.store.addPerson(person)
    return await withLink(op, person, INVITATION_MS)
  },
  {
    action: 'inviteOperator',
    note: ({ address }, made) => ({ target: made?.person.address ?? address, companyId: null }),
  },
)

/** Grants or withdraws the operator's rights. The last operator keeps them. */
export const setOperator = verb(
  'operate',
  async (op, input: { person: string; operator: boolean }): Promise<Person> => {
    const person = await findPerson(op, input.person)
    const { operator } = input
    if (person.operator === operator) {
      const message = `${personName(person)} is ${operator ? 'already an operator' : 'not an operator'}`
      throw new OperateError('nothing_to_do', message)
    }
    const change = op.store.updatePerson(person.id, person.version, { operator })
    if (await unlessLast(change)) return { ...person, operator }
    throw new OperateError('conflict', `${personName(person)} was changed at the same moment; try again`)
  },
  {
    action: 'setOperator',
    note: ({ person, operator }, changed) => ({ ...personNote(person, changed), detail: { operator } }),
  },
)

/** Removes a person and ends their sessions with the next request. The last operator cannot be removed. */
export const removePerson = verb(
  'operate',
  async (op, input: { person: string }): Promise<Person> => {
    const person = await findPerson(op, input.person)
    if (await unlessLast(op.store.removePerson(person.id))) return person
    throw noSuchPerson(input.person)
  },
  { action: 'removePerson', note: ({ person }, removed) => personNote(person, removed) },
)

/**
 * Makes a link for a person who cannot sign in. For operators only: the link opens everything that the person belongs
 * to. Without a person, the link is for the first operator.
 */
export const makeSignInLink = verb(
  'operate',
  async (op, input: { person?: string | undefined }): Promise<PersonWithLink> => {
    const person = input.person === undefined ? await firstOperator(op) : await findPerson(op, input.person)
    return await withLink(op, person, SIGN_IN_LINK_MS)
  },
  {
    action: 'makeSignInLink',
    note: ({ person = '' }, made) => personNote(person, made?.person ?? null),
  },
)

/** The address in the form used to sign in. Throws `invalid` for text that is not an address. */
export function personAddress(text: string): string {
  return addressIn(text.trim()).toLowerCase()
}

/** Finds a person by id or by address. */
export async function findPerson(
  { store }: { store: Pick<PeopleStore, 'findPerson'> },
  text: string,
): Promise<Person> {
  const by = text.includes('@') ? { address: personAddress(text) } : { id: text }
  // PostgreSQL refuses text with NUL, so such text cannot be an id.
  const found = text.includes('\0') ? null : await store.findPerson(by)
  if (found !== null) return found
  throw noSuchPerson(text)
}

export function noSuchPerson(text: string): OperateError {
  const what = text.includes('@') ? 'address' : 'id'
  return new OperateError('not_found', `there is no person with the ${what} "${text}"`, {
    verb: 'listPeople',
  })
}

async function firstOperator({ store }: Operation): Promise<Person> {
  const operator = (await store.people(null)).find((person) => person.operator)
  if (operator !== undefined) return operator
  throw new OperateError('not_found', 'there is no operator yet', { verb: 'inviteOperator' })
}

async function withLink({ store, now }: Operation, person: Person, lasts: number): Promise<PersonWithLink> {
  const at = now()
  const token = await makeLink(store, person.id, at, lasts)
  return { person, token, expiresAt: at + lasts }
}

/**
 * The store checks for other operators within the write: two who leave at the same moment would otherwise each count on
 * the other.
 */
async function unlessLast<Result>(write: Promise<Result>): Promise<Result> {
  try {
    return await write
  } catch (error) {
    if (!(error instanceof StoreConflict)) throw error
    throw new OperateError('conflict', error.message, { verb: 'inviteOperator' }, { cause: error })
  }
}

function personNote(text: string, person: Person | null): AuditNote {
  return { target: person === null ? text : personName(person), companyId: null }
}
