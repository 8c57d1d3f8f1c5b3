/** Signing in, and what comes of it. Whoever does it is nobody yet, so none of these is a verb. */
import { randomUUIDv7 } from 'node:crypto'
import {
  type NewAuditEntry,
  type Person,
  personName,
  type Session,
  type SignInWay,
} from '../people/person.ts'
import { hashSecret, newSecret } from '../people/secret.ts'
import type { PeopleStore } from '../store/store.ts'
import { shown } from './audited.ts'
import { OperateError } from './error.ts'

const HOUR = 3_600_000
/** Ms after which a session ends that is not used. */
export const SESSION_LASTS = 14 * 24 * HOUR
/** Ms between two notes that a session is in use. */
const SEEN_EVERY = 5 * 60_000
/** Ms for which a link signs somebody in. */
export const LINK_LASTS = HOUR

/** Where somebody signs in from. */
export interface SigningIn {
  address: string
  userAgent: string
  now: number
}

export interface BegunSession {
  /** For the cookie; seen here only. */
  token: string
  session: Session
  person: Person
}

export async function beginSession(
  store: Pick<PeopleStore, 'addSession'>,
  person: Person,
  way: SignInWay,
  { address, userAgent, now }: SigningIn,
  noted: readonly NewAuditEntry[] = [],
): Promise<BegunSession> {
  const { token, hash } = newSecret()
  const session: Session = {
    id: randomUUIDv7(),
    personId: person.id,
    way,
    address,
    userAgent: userAgent.slice(0, 300),
    createdAt: now,
    seenAt: now,
    expiresAt: now + SESSION_LASTS,
  }
  await store.addSession(session, hash, noted)
  return { token, session, person }
}

/** What was asked for beside a password. */
export type SecondFactor = 'app' | 'recovery code'

/** Somebody has proved who he is: a session begins, and the audit list has it. */
export function signedIn(
  store: Pick<PeopleStore, 'addSession'>,
  person: Person,
  way: SignInWay,
  from: SigningIn,
  secondFactor?: SecondFactor,
): Promise<BegunSession> {
  const detail = { way, ...(secondFactor && { secondFactor }) }
  return beginSession(store, person, way, from, sessionNotes(person, 'signIn', from, from.now, detail))
}

export async function signOut(
  store: Pick<PeopleStore, 'endSessions'>,
  { person, session }: { person: Person; session: Session },
  now: number,
): Promise<void> {
  await store.endSessions(person.id, { id: session.id }, sessionNotes(person, 'signOut', session, now))
}

/**
 * For each company that he belongs to an entry of its own, so that none learns of another; for the installation of who
 * is one of its operators, or belongs to no company. `from`: where it was begun.
 */
export function sessionNotes(
  person: Person,
  action: 'signIn' | 'signOut' | 'endSession' | 'endSessions',
  from: Pick<Session, 'address' | 'userAgent'>,
  at: number,
  detail: Record<string, unknown> = {},
): NewAuditEntry[] {
  const { id, operator, memberships } = person
  const actor = { kind: 'person', id, name: personName(person) } as const
  const given = { ...detail, browser: shown(from.userAgent) }
  const entry = { at, actor, topic: 'session', action, target: from.address, detail: given } as const
  const companies = memberships.map(({ companyId }) => companyId)
  const concerned = operator || companies.length === 0 ? [null, ...companies] : companies
  return concerned.map((companyId) => ({ ...entry, companyId }))
}

/** Who has this token. Null: nobody, or the session has ended. */
export async function knownSession(
  store: Pick<PeopleStore, 'findSession' | 'touchSession'>,
  token: string,
  now: number,
): Promise<{ session: Session; person: Person } | null> {
  const found = await store.findSession(hashSecret(token), now)
  if (found === null) return null
  const { session } = found
  if (now - session.seenAt >= SEEN_EVERY) await store.touchSession(session.id, now, now + SESSION_LASTS)
  return found
}

/** A link signs one person in, once. Gives its token. */
export async function makeLink(
  store: Pick<PeopleStore, 'addLink'>,
  personId: string,
  now: number,
  lasts = LINK_LASTS,
): Promise<string> {
  const { token, hash } = newSecret()
  await store.addLink({ personId, createdAt: now, expiresAt: now + lasts }, hash)
  return token
}

/** Throws `not_found` for a link that was used, has ended, or never was one. */
export async function signInByLink(
  store: Pick<PeopleStore, 'takeLink' | 'findPerson' | 'addSession'>,
  token: string,
  from: SigningIn,
): Promise<BegunSession> {
  const id = await store.takeLink(hashSecret(token), from.now)
  const person = id === null ? null : await store.findPerson({ id })
  if (person === null) {
    throw new OperateError('not_found', 'this link was used before or has ended: ask for another one')
  }
  return await signedIn(store, person, 'link', from)
}
