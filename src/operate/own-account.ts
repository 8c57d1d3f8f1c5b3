/**
 * Changes that people make to their own account. A change needs a fresh proof of identity: a recent sign-in, or the
 * password again, which begins another session.
 */
import { passwordProblem } from '../people/password-rule.ts'
import {
  ALERT_KINDS,
  type AlertKind,
  type ConsoleSession,
  confirmedCompanies,
  type NewAuditEntry,
  type Person,
  personName,
} from '../people/person.ts'
import { type PeopleStore, type PersonChange, StoreConflict } from '../store/store.ts'
import { OperateError } from './error.ts'
import { oneLine } from './find.ts'
import { hashInTurn, inPasswordTurn } from './new-passwords.ts'
import { personAddress } from './people.ts'
import { beginSession, type NewSession, sessionNotes } from './sessions.ts'
import {
  beginProvedSession,
  checkPassword,
  type SignInOrigin,
  type SignInParts,
  SignInRefusal,
  sessionEndedError,
} from './sign-in.ts'

/** Ms for which the proof that began a session counts as fresh. */
const FRESH = 15 * 60_000
/** Changes of a second factor or a passkey: how well the account is protected concerns the person's companies, too. */
const OF_PROTECTION: ReadonlySet<string> = new Set([
  'turnOnTwoStepVerification',
  'turnOffTwoStepVerification',
  'renewRecoveryCodes',
  'addPasskey',
  'removePasskey',
])
/** Attempts to write a change while others change the same account. */
const TRIES = 5
const LONGEST_NAME = 100

/** The signed-in person who changes their own account. */
export interface OwnAccount {
  person: Person
  session: ConsoleSession
}

export function isFresh({ session }: Pick<OwnAccount, 'session'>, now: number): boolean {
  return now - session.createdAt < FRESH
}

/** Throws SignInRefusal if the session is not fresh. */
export function requireFresh(self: OwnAccount, now: number): void {
  if (isFresh(self, now)) return
  throw new SignInRefusal('proof_needed', 'this requires a confirmation that it is you: confirm it first')
}

/** Checks the password again, and begins another session with its own token in place of this one. */
export async function confirmPassword(
  parts: SignInParts,
  { person, session }: OwnAccount,
  password: string,
  origin: SignInOrigin,
): Promise<NewSession> {
  await checkPassword(parts, person, person.id, password, origin)
  const newSession = await beginProvedSession(parts, person, session.way, origin, (...of) =>
    beginSession(...of),
  )
  // Another device may have ended the old session meanwhile: then the new one ends too.
  if ((await parts.store.endSessions(person.id, { id: session.id })) > 0) return newSession
  await parts.store.endSessions(person.id, { id: newSession.session.id })
  throw sessionEndedError()
}

/** Changes only the given fields. */
export async function changeProfile(
  parts: SignInParts,
  self: OwnAccount,
  { name, address, alerts }: { name?: string; address?: string; alerts?: readonly AlertKind[] },
): Promise<Person> {
  const change: PersonChange = {}
  if (name !== undefined) change.name = checkedName(name)
  if (alerts !== undefined) change.alerts = ALERT_KINDS.filter((kind) => alerts.includes(kind))
  if (address !== undefined) {
    requireFresh(self, parts.clock.now())
    change.address = checkedAddress(self.person, address)
  }
  const { alerts: kinds, ...rest } = change
  const detail = kinds === undefined ? rest : { ...rest, alerts: kinds.join(', ') || 'none' }
  return await changeSelf(parts, self, 'changeProfile', () => change, detail)
}

/** Ends all other sessions of the person, and links that would sign in. Returns the session that replaces this one. */
export async function changePassword(
  parts: SignInParts,
  self: OwnAccount,
  password: string,
  origin: SignInOrigin,
): Promise<NewSession> {
  requireFresh(self, parts.clock.now())
  const { address, name } = self.person
  const problem = passwordProblem(password, [address ?? '', name])
  if (problem !== null) throw new OperateError('invalid', problem)
  return await inPasswordTurn(parts, self.person.id, () => changeInTurn(parts, self, password, origin))
}

async function changeInTurn(
  parts: SignInParts,
  self: OwnAccount,
  password: string,
  origin: SignInOrigin,
): Promise<NewSession> {
  await requireSession(parts, self)
  const stored = await hashInTurn(parts, password, origin)
  // Hashing takes a while, in which the session of an intruder may have been ended.
  await requireSession(parts, self)
  const person = await changeSelf(parts, self, 'changePassword', ({ credentials }) => ({
    credentials: { ...credentials, password: stored },
  }))
  const newSession = await beginSession(parts.store, person, self.session.way, {
    ...origin,
    now: parts.clock.now(),
  })
  await endOthers(parts, { person, session: self.session }, newSession.session.id)
  return newSession
}

async function requireSession(parts: SignInParts, self: OwnAccount): Promise<void> {
  const going = await ownSessions(parts, self)
  if (going.every(({ id }) => id !== self.session.id)) throw sessionEndedError()
}

/** The sessions that have not ended, most recently used first. */
export function ownSessions(
  { store, clock }: SignInParts,
  { person }: OwnAccount,
): Promise<ConsoleSession[]> {
  return store.sessions(person.id, clock.now())
}

/** Ends one of the person's sessions, or, with null, all but this one. */
export async function endOwnSessions(parts: SignInParts, self: OwnAccount, id: string | null): Promise<void> {
  const { person, session } = self
  if (id === null) return await endOthers(parts, self, session.id)
  const now = parts.clock.now()
  const one = (await parts.store.sessions(person.id, now)).find((each) => each.id === id)
  const noted = one === undefined ? [] : sessionNotes(person, 'endSession', one, now)
  if (one === undefined || (await parts.store.endSessions(person.id, { id }, noted)) === 0) {
    throw new OperateError('not_found', 'this session does not exist: it may have ended')
  }
}

/**
 * Ends all sessions but `except`, which is the session of `self` or its successor. The audit entry does not count the
 * session of `self`.
 */
async function endOthers({ store, clock }: SignInParts, self: OwnAccount, except: string): Promise<void> {
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
 * Calls `change` again when somebody else changed the account at the same moment. The audit list records it as
 * `action`, with `detail`, which must hold no secrets.
 */
export async function changeSelf(
  { store, clock }: Pick<SignInParts, 'store' | 'clock'>,
  { person }: Pick<OwnAccount, 'person'>,
  action: string,
  change: (person: Person) => PersonChange,
  detail: Record<string, unknown> = {},
): Promise<Person> {
  const { id } = person
  const target = personName(person)
  const noted = { companyId: null, target, detail }
  const entry = { at: clock.now(), actor: { kind: 'person', id, name: target }, action } as const
  const number = await store.addAudit({ ...entry, ...noted, topic: 'change' })
  // Owners see these entries among the sign-ins, without the detail: names of passkeys concern the person alone.
  const forCompany = (companyId: string) =>
    ({ ...entry, companyId, target, detail: {}, topic: 'session' }) as const
  const notes = (now: Person) => (OF_PROTECTION.has(action) ? confirmedCompanies(now).map(forCompany) : [])
  try {
    const changed = await changeOf(store, id, change, notes)
    await store.settleAudit(number, noted)
    return changed
  } catch (error) {
    if (error instanceof OperateError || error instanceof SignInRefusal) await store.settleAudit(number, null)
    throw error
  }
}

async function changeOf(
  store: Pick<PeopleStore, 'findPerson' | 'updatePerson'>,
  id: string,
  change: (person: Person) => PersonChange,
  notes: (person: Person) => NewAuditEntry[],
): Promise<Person> {
  for (let tries = 0; tries < TRIES; tries++) {
    const person = await store.findPerson({ id })
    if (person === null) throw new OperateError('not_found', 'this account no longer exists')
    const changed = change(person)
    try {
      if (await store.updatePerson(id, person.version, changed, notes(person))) {
        return { ...person, ...changed, version: person.version + 1 }
      }
    } catch (error) {
      if (!(error instanceof StoreConflict)) throw error
      throw new OperateError('already_exists', error.message, null, { cause: error })
    }
  }
  throw new OperateError('conflict', 'your account was changed several times at the same moment: try again')
}

function checkedName(text: string): string {
  const name = oneLine(text)
  if (name.length > LONGEST_NAME)
    throw new OperateError('invalid', `a name can have at most ${LONGEST_NAME} characters`)
  return name
}

/** Companies invite people by address, so that nobody but an operator may take another address. */
function checkedAddress(person: Person, text: string): string {
  const address = personAddress(text)
  if (address !== person.address && person.address !== null && !person.operator) {
    throw new OperateError(
      'not_allowed',
      'members of other companies may invite you by this address: ask an operator of the installation to change it',
    )
  }
  return address
}
