/**
 * New passwords, one of a person at a time: each costs a hash, and after the first one the others find their link used,
 * or their session ended, and cost nothing.
 */
import { CompanyPlaces } from '../common/company-places.ts'
import { PasswordsBusy } from '../people/password.ts'
import { busyRefusal, type SignInOrigin, type SignInParts } from './sign-in.ts'

/** Nobody has two of them, so nobody takes another's. */
const PLACES = { size: 1_000, kept: 0, timesFree: 0 }
/** New passwords of one person that may wait for another one. */
const MAX_WAITING = 4

/** A place for each person whose password is being changed. */
export function newPasswordPlaces(): CompanyPlaces {
  return new CompanyPlaces(PLACES)
}

/** Runs the whole change while no other one of the person runs. Rejects with SignInRefusal when too many wait. */
export async function inPasswordTurn<Result>(
  { newPasswords }: Pick<SignInParts, 'newPasswords'>,
  personId: string,
  change: () => Promise<Result>,
): Promise<Result> {
  if (newPasswords.waiting(personId) >= MAX_WAITING) throw busyRefusal()
  const leave = await newPasswords.take(personId)
  try {
    return await change()
  } finally {
    leave()
  }
}

/** To be called in turn. Rejects with SignInRefusal when too many passwords are being checked. */
export async function hashInTurn(
  { passwords }: Pick<SignInParts, 'passwords'>,
  password: string,
  { group }: Pick<SignInOrigin, 'group'>,
): Promise<string> {
  try {
    return await passwords.hash(password, { origin: group, known: true })
  } catch (error) {
    if (error instanceof PasswordsBusy) throw busyRefusal()
    throw error
  }
}
