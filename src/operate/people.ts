/** People of the whole installation, for its operators: who they are, who is one of them, and links that sign in. */
import { givesWay, newPerson, type Person, personName } from '../people/person.ts'
import { type PeopleStore, StoreConflict } from '../store/store.ts'
import type { AuditNote } from './audited.ts'
import { OperateError } from './error.ts'
import { addressIn } from './find.ts'
import { LINK_LASTS, makeLink } from './sessions.ts'
import { type Operation, verb } from './verb.ts'

const DAY = 86_400_000
/** Ms for which one may think about an invitation. */
export const INVITATION_LASTS = 7 * DAY

/** Whoever has it is signed in as that person, once. */
export interface PersonWithLink {
  person: Person
  token: string
  /** Unix ms. */
  expiresAt: number
}

/** The oldest first, with what they belong to. */
export const listPeople = verb(
  'operate',
  async (op, _input: object): Promise<Person[]> => await op.store.people(null),
  null,
)

/**
 * A new person, who is an operator, and a link for him. Somebody who is known is not made one by his address: he may
 * have been invited under it by a company, and be another than the operator believes.
 */
export const inviteOperator = verb(
  'operate',
  async (op, input: { address: string }): Promise<PersonWithLink> => {
    const address = personAddress(input.address)
    const holder = await op.store.findPerson({ address })
    if (holder !== null && !givesWay(holder)) {
      throw new OperateError('already_exists', `${address} has an account here already`, {
        verb: 'setOperator',
        person: address,
      })
    }
    const person = newPerson(op.now(), { address, operator: true })
    await op.store.addPerson(person)
    return await withLink(op, person, INVITATION_LASTS)
  },
  {
    action: 'inviteOperator',
    note: ({ address }, made) => ({ target: made?.person.address ?? address, companyId: null }),
  },
)

/** Whether somebody sees and changes everything. The last operator stays one. */
export const setOperator = verb(
  'operate',
  async (op, input: { person: string; operator: boolean }): Promise<Person> => {
    const person = await findPerson(op, input.person)
    const { operator } = input
    if (person.operator === operator) {
      const message = `${personName(person)} is ${operator ? 'an operator already' : 'no operator'}`
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

/** With his sessions, from one request to the next. The last operator stays. */
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
 * A link for somebody who cannot get in. For operators alone: it opens all that he belongs to. Without a name for the
 * first operator.
 */
export const makeSignInLink = verb(
  'operate',
  async (op, input: { person?: string | undefined }): Promise<PersonWithLink> => {
    const person = input.person === undefined ? await firstOperator(op) : await findPerson(op, input.person)
    return await withLink(op, person, LINK_LASTS)
  },
  {
    action: 'makeSignInLink',
    note: ({ person = '' }, made) => personNote(person, made?.person ?? null),
  },
)

/** As people sign in with it. Throws `invalid` for what is no address. */
export function personAddress(text: string): string {
  return addressIn(text.trim()).toLowerCase()
}

/** By id, else by address. */
export async function findPerson(
  { store }: { store: Pick<PeopleStore, 'findPerson'> },
  text: string,
): Promise<Person> {
  const by = text.includes('@') ? { address: personAddress(text) } : { id: text }
  // What is no text to a database is no id either.
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

/** The store looks for other operators as it writes: two who go at the same moment are none for each other. */
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
