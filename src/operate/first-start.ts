import type { Company } from '../accounts/account.ts'
import type { Settings } from '../config/settings.ts'
import { newPerson, type Person } from '../people/person.ts'
import { type PeopleStore, type Store, StoreConflict } from '../store/store.ts'
import { SERVICE } from './authority.ts'
import { createCompany } from './companies.ts'
import { activateDomain, addDomain } from './domains.ts'
import { OperateError } from './error.ts'
import { createKey } from './keys.ts'
import { operationOn } from './open.ts'
import { makeLink } from './sessions.ts'

/**
 * The accounts that a first start creates, so that a user can send the first message by pasting one command. The token
 * is shown only here.
 */
export interface FirstStart {
  company: string
  domain: string
  token: string
}

/**
 * Creates a company, an active sending domain and a key in an empty database, provided that mail cannot leave and that
 * this node accepts mail. Null otherwise, and when another node that started at the same moment was first.
 */
export async function firstStart(
  settings: Settings,
  store: Store,
  companies: readonly Company[],
): Promise<FirstStart | null> {
  const apart = settings.delivery.kind === 'capture' && settings.roles.includes('api')
  if (!apart || companies.length > 0) return null
  const next = async () => operationOn(settings, store, SERVICE, await store.accounts())
  try {
    const company = await createCompany(await next(), { name: 'Acme' })
    const { domain } = await addDomain(await next(), { company: company.id, name: 'acme.test' })
    const op = await next()
    await activateDomain(op, { domain: domain.id })
    const { token } = await createKey(op, { company: company.id, name: 'first key' })
    return { company: company.name, domain: domain.name, token }
  } catch (error) {
    if (error instanceof OperateError && error.code === 'already_exists') return null
    throw error
  }
}

/** The fixed id of the first operator, so that only one of several nodes that start at once can create the person. */
const FIRST_OPERATOR = '00000000-0000-7000-8000-000000000001'
/** How long a sign-in link printed at start works, in ms. */
const FIRST_LINK_LASTS = 24 * 3_600_000

/**
 * The token of a link that signs the first operator in, as long as no operator has credentials. A session alone ends
 * with its browser, and leaves no other way in. Null otherwise.
 */
export async function firstSignIn(
  store: Pick<PeopleStore, 'people' | 'addPerson' | 'addLink'>,
  now: number,
): Promise<string | null> {
  const people = await store.people(null)
  const operators = people.filter(({ operator }) => operator)
  if (people.length > 0 && operators.length === 0) return null
  if (operators.some(canGetIn)) return null
  const first = operators[0] ?? newPerson(now, { id: FIRST_OPERATOR, operator: true })
  try {
    if (operators.length === 0) await store.addPerson(first)
    return await makeLink(store, first.id, now, FIRST_LINK_LASTS)
  } catch (error) {
    if (error instanceof StoreConflict) return null
    throw error
  }
}

function canGetIn({ credentials: { password, passkeys, identities } }: Person): boolean {
  return password !== null || passkeys.length > 0 || identities.length > 0
}
