/**
 * What people change of themselves. It takes a fresh proof of who they are: a session that has just begun, or the
 * password again, which begins another one.
 */
import { passwordProblem } from '../people/password-rule.ts'
import { type Person, personName, type Session } from '../people/person.ts'
import { type PeopleStore, type PersonChange, StoreConflict } from '../store/store.ts'
import { OperateError } from './error.ts'
import { personAddress } from './people.ts'
import { type BegunSession, beginSession, sessionNotes } from './sessions.ts'
import { beginProved, checkPassword, ended, type Origin, type SignInParts, SignInRefused } from './sign-in.ts'

/** Ms for which the proof that a session began with is fresh. */
const FRESH = 15 * 60_000
/** Of those who change the same account at one moment, each has so many tries. */
const TRIES = 5
const LONGEST_NAME = 100

/** Who changes himself. */
export interface Self {
  person: Person
  session: Session
}

export function isFresh({ session }: Pick<Self, 'session'>, now: number): boolean {
  return now - session.createdAt < FRESH
}

/** Throws SignInRefused where the session began too long ago. */
export function requireFresh(self: Self, now: number): void {
  if (isFresh(self, now)) return
  throw new SignInRefused('proof_needed', 'this takes a proof that it is you: confirm it first')
}

/** The password once more: another session begins in place of this one, with a token of its own. */
export async function confirmPassword(
  parts: SignInParts,
  { person, session }: Self,
  password: string,
  origin: Origin,
): Promise<BegunSession> {
  await checkPassword(parts, person, person.id, password, origin)
  const begun = await beginProved(parts, person, session.way, origin, (...of) => beginSession(...of))
  // It may have been ended meanwhile, from another device: then none goes on in its place.
  if ((await parts.store.endSessions(person.id, { id: session.id })) > 0) return begun
  await parts.store.endSessions(person.id, { id: begun.session.id })
  throw ended()
}

/** What is absent stays. */
export async function changeProfile(
  parts: SignInParts,
  self: Self,
  { name, address }: { name?: string; address?: string },
): Promise<Person> {
  const change: PersonChange = {}
  if (name !== undefined) change.name = checkedName(name)
  if (address !== undefined) {
    requireFresh(self, parts.clock.now())
    change.address = checkedAddress(self.person, address)
  }
  return await changeSelf(parts, self, 'changeProfile', () => change, { ...change })
}

/**
 * Others who have signed in as him, or have a link that would, are no longer. Gives the session that goes on in place
 * of this one.
 */
export async function changePassword(
  parts: SignInParts,
  self: Self,
  password: string,
  origin: Origin,
): Promise<BegunSession> {
  requireFresh(self, parts.clock.now())
  const { address, name } = self.person
  const problem = passwordProblem(password, [address ?? '', name])
  if (problem !== null) throw new OperateError('invalid', problem)
  const stored = await parts.passwords.hash(password, { origin: origin.group, known: true })
  // That takes a while, in which somebody may have been signed out who had no right to be here.
  const going = await ownSessions(parts, self)
  if (going.every(({ id }) => id !== self.session.id)) throw ended()
  const person = await changeSelf(parts, self, 'changePassword', ({ credentials }) => ({
    credentials: { ...credentials, password: stored },
  }))
  const begun = await beginSession(parts.store, person, self.session.way, {
    ...origin,
    now: parts.clock.now(),
  })
  await endOthers(parts, { person, session: self.session }, begun.session.id)
  return begun
}

/** Those that have not ended, used last first. */
export function ownSessions({ store, clock }: SignInParts, { person }: Self): Promise<Session[]> {
  return store.sessions(person.id, clock.now())
}

/** One of his, or all but this one. */
export async function endOwnSessions(parts: SignInParts, self: Self, id: string | null): Promise<void> {
  const { person, session } = self
  if (id === null) return await endOthers(parts, self, session.id)
  const now = parts.clock.now()
  const one = (await parts.store.sessions(person.id, now)).find((each) => each.id === id)
  const noted = one === undefined ? [] : sessionNotes(person, 'endSession', one, now)
  if (one === undefined || (await parts.store.endSessions(person.id, { id }, noted)) === 0) {
    throw new OperateError('not_found', 'there is no such session: it may have ended')
  }
}

/** All but those of `self` and of `except`, which is its successor, are told of. */
async function endOthers({ store, clock }: SignInParts, self: Self, except: string): Promise<void> {
  const { person, session } = self
  const now = clock.now()
  const others = (await store.sessions(person.id, now)).filter(({ id }) => id !== except && id !== session.id)
  const noted = sessionNotes(person, 'endSessions', session, now, {
    count: others.length,
    addresses: [...new Set(others.map(({ address }) => address))].slice(0, 20),
  })
  await store.endSessions(person.id, { except }, others.length === 0 ? [] : noted)
}

/**
 * `change` is asked again where he was changed at the same moment. It is in the audit list as `action`; `detail`: what
 * may stand there.
 */
export async function changeSelf(
  { store, clock }: Pick<SignInParts, 'store' | 'clock'>,
  { person }: Pick<Self, 'person'>,
  action: string,
  change: (person: Person) => PersonChange,
  detail: Record<string, unknown> = {},
): Promise<Person> {
  const { id } = person
  const target = personName(person)
  const noted = { companyId: null, target, detail }
  const number = await store.addAudit({
    ...noted,
    at: clock.now(),
    actor: { kind: 'person', id, name: target },
    topic: 'change',
    action,
  })
  try {
    const changed = await changeOf(store, id, change)
    await store.settleAudit(number, noted)
    return changed
  } catch (error) {
    if (error instanceof OperateError || error instanceof SignInRefused) await store.settleAudit(number, null)
    throw error
  }
}

async function changeOf(
  store: Pick<PeopleStore, 'findPerson' | 'updatePerson'>,
  id: string,
  change: (person: Person) => PersonChange,
): Promise<Person> {
  for (let tries = 0; tries < TRIES; tries++) {
    const person = await store.findPerson({ id })
    if (person === null) throw new OperateError('not_found', 'this account is there no longer')
    const changed = change(person)
    try {
      if (await store.updatePerson(id, person.version, changed)) {
        return { ...person, ...changed, version: person.version + 1 }
      }
    } catch (error) {
      if (!(error instanceof StoreConflict)) throw error
      throw new OperateError('already_exists', error.message, null, { cause: error })
    }
  }
  throw new OperateError('conflict', 'your account was changed several times at this moment: try again')
}

function checkedName(text: string): string {
  const name = text.trim().replace(/[\p{Cc}\s]+/gu, ' ')
  if (name.length > LONGEST_NAME)
    throw new OperateError('invalid', `a name has at most ${LONGEST_NAME} characters`)
  return name
}

/** By their address people are invited, so nobody takes one for himself that is not his. */
function checkedAddress(person: Person, text: string): string {
  const address = personAddress(text)
  if (address !== person.address && person.address !== null && !person.operator) {
    throw new OperateError(
      'not_allowed',
      'by this address others invite you: ask an operator of the installation to change it',
    )
  }
  return address
}
