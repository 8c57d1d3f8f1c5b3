/** Signing in, and what comes of it. Whoever does it is nobody yet, so none of these is a verb. */
import { randomUUIDv7 } from 'node:crypto'
import type { Person, Session, SignInWay } from '../people/person.ts'
import { hashSecret, newSecret } from '../people/secret.ts'
import type { PeopleStore } from '../store/store.ts'
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
  await store.addSession(session, hash)
  return { token, session, person }
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
  return await beginSession(store, person, 'link', from)
}
