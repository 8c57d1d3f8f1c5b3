/**
 * Sign-in links and sessions. The person who signs in has not been identified yet, so none of these functions is a
 * verb.
 */
import { randomUUIDv7 } from 'node:crypto'
import {
  type ConsoleSession,
  confirmedCompanies,
  type NewAuditEntry,
  type Person,
  personName,
  type SignInWay,
} from '../people/person.ts'
import { hashSecret, newSecret } from '../people/secret.ts'
import type { PeopleStore } from '../store/store.ts'
import { auditText } from './audit-trail.ts'
import { OperateError } from './error.ts'

const HOUR = 3_600_000
/** Ms after which an unused session ends; POSTROAD_SESSION_LIFETIME may end it earlier. */
export const SESSION_MS = 14 * 24 * HOUR
/** Ms between two updates of the time a session was last used. */
const SEEN_EVERY = 5 * 60_000
/** Ms for which a sign-in link works. */
export const SIGN_IN_LINK_MS = HOUR

/** The client that signs in, and the time. */
export interface SignInClient {
  address: string
  userAgent: string
  now: number
  /** The longest a session may last in ms, however often it is used. */
  lifetime: number
}

export interface NewSession {
  /** For the cookie; shown only here. */
  token: string
  session: ConsoleSession
  person: Person
}

export async function beginSession(
  store: Pick<PeopleStore, 'addSession'>,
  person: Person,
  way: SignInWay,
  { address, userAgent, now, lifetime }: SignInClient,
  noted: readonly NewAuditEntry[] = [],
): Promise<NewSession> {
  const { token, hash } = newSecret()
  const session: ConsoleSession = {
    id: randomUUIDv7(),
    personId: person.id,
    way,
    address,
    userAgent: userAgent.slice(0, 300),
    createdAt: now,
    seenAt: now,
    expiresAt: now + Math.min(SESSION_MS, lifetime),
  }
  await store.addSession(session, hash, noted)
  return { token, session, person }
}

/** The second step after a password. */
export type SecondFactor = 'app' | 'recovery code'

/** Begins the session of a person who has been identified, and records the sign-in in the audit list. */
export function signedIn(
  store: Pick<PeopleStore, 'addSession'>,
  person: Person,
  way: SignInWay,
  from: SignInClient,
  secondFactor?: SecondFactor,
): Promise<NewSession> {
  const detail = { way, ...(secondFactor && { secondFactor }) }
  return beginSession(store, person, way, from, sessionNotes(person, 'signIn', from, from.now, detail))
}

export async function signOut(
  store: Pick<PeopleStore, 'endSessions'>,
  { person, session }: { person: Person; session: ConsoleSession },
  now: number,
): Promise<void> {
  await store.endSessions(person.id, { id: session.id }, sessionNotes(person, 'signOut', session, now))
}

/**
 * One audit entry for each company whose membership the person has confirmed, so that no company learns of another, or
 * of a person who never agreed to belong to it. Operators get one more for the installation, as do people without such
 * a company. `from`: the client that began the session.
 */
export function sessionNotes(
  person: Person,
  action: 'signIn' | 'signOut' | 'endSession' | 'endSessions',
  from: Pick<ConsoleSession, 'address' | 'userAgent'>,
  at: number,
  detail: Record<string, unknown> = {},
): NewAuditEntry[] {
  const { id, operator } = person
  const actor = { kind: 'person', id, name: personName(person) } as const
  const given = { ...detail, browser: auditText(from.userAgent) }
  const entry = { at, actor, topic: 'session', action, target: from.address, detail: given } as const
  const companies = confirmedCompanies(person)
  const concerned = operator || companies.length === 0 ? [null, ...companies] : companies
  return concerned.map((companyId) => ({ ...entry, companyId }))
}

export interface AuthenticatedSession {
  session: ConsoleSession
  person: Person
}

/** The time now, and the longest a session may last. */
export type SessionTime = Pick<SignInClient, 'now' | 'lifetime'>

/** The session with this token. Null: there is none, or it has ended. */
export async function findSession(
  store: Pick<PeopleStore, 'findSession'>,
  token: string,
  { now, lifetime }: SessionTime,
): Promise<AuthenticatedSession | null> {
  const found = await store.findSession(hashSecret(token), now)
  return found !== null && now < found.session.createdAt + lifetime ? found : null
}

/** Like `findSession`, but counts as use: it postpones the session's end, though never beyond its lifetime. */
export async function authenticateSession(
  store: Pick<PeopleStore, 'findSession' | 'touchSession'>,
  token: string,
  time: SessionTime,
): Promise<AuthenticatedSession | null> {
  const found = await findSession(store, token, time)
  if (found === null) return null
  const { id, seenAt, createdAt } = found.session
  const { now, lifetime } = time
  if (now - seenAt >= SEEN_EVERY) {
    await store.touchSession(id, now, Math.min(now + SESSION_MS, createdAt + lifetime))
  }
  return found
}

/** Makes a link that signs one person in, once. Returns its token. */
export async function makeLink(
  store: Pick<PeopleStore, 'addLink'>,
  personId: string,
  now: number,
  lasts = SIGN_IN_LINK_MS,
): Promise<string> {
  const { token, hash } = newSecret()
  await store.addLink({ personId, createdAt: now, expiresAt: now + lasts }, hash)
  return token
}

/** The use of a link, in a browser where a person may be signed in already. */
export interface LinkUse {
  token: string
  known: AuthenticatedSession | null
  /** The person has agreed to end another person's session in this browser. */
  instead: boolean
}

/** Throws `not_found` for a link that is unknown, used or expired, and `conflict` where another person is signed in. */
export async function signInByLink(
  store: Pick<PeopleStore, 'findLink' | 'takeLink' | 'findPerson' | 'addSession'>,
  { token, known, instead }: LinkUse,
  from: SignInClient,
): Promise<NewSession> {
  const hash = hashSecret(token)
  const owner = await store.findLink(hash, from.now)
  if (owner !== null && known !== null && known.person.id !== owner && !instead) {
    throw signedInAsAnother(known)
  }
  const id = await store.takeLink(hash, from.now)
  const person = id === null ? null : await store.findPerson({ id })
  if (person === null) {
    throw noLink()
  }
  return await signedIn(store, person, 'link', from)
}

export function noLink(): OperateError {
  return new OperateError('not_found', 'this link was already used or has expired: ask for a new one')
}

/** Without this error, an attacker's link would sign people in to an account they do not know (login CSRF). */
export function signedInAsAnother({ person }: AuthenticatedSession): OperateError {
  const name = personName(person)
  return new OperateError('conflict', `you are signed in as ${name}: confirm to end that session first`)
}
