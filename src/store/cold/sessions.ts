/** Sessions of people in the console, and links to sign in. */
import { type ConsoleSession, INVITATION_RENEWABLE_MS, type Person } from '../../people/person.ts'
import { auditNotes } from './audit.ts'
import { forgetBefore } from './forgetting.ts'
import { noPerson, PERSON_COLUMNS, type PersonRow, personOf } from './people.ts'
import type { Operations, Port, ReadPort } from './port.ts'
import { statement } from './statement.ts'

/** A session, beside the columns of its person. */
interface SignedInRow extends PersonRow, Pick<ConsoleSession, 'way' | 'userAgent' | 'seenAt' | 'expiresAt'> {
  sessionId: string
  from: string
  begunAt: number
}

/**
 * The person must exist. Waits for a transaction that is just removing the person, and then finds the person gone.
 */
const ADD_SESSION = statement(`INSERT INTO sessions
    (id, token_hash, way, address, user_agent, created_at, seen_at, expires_at, person)
  SELECT $1, $2, $3, $4, $5, $6, $7, $8, id FROM people WHERE id = $9 FOR KEY SHARE`)
/** Runs with each request of the console. */
const SIGNED_IN = statement<SignedInRow>(
  `SELECT ${PERSON_COLUMNS}, s.id AS "sessionId", s.way, s.address AS "from", s.user_agent AS "userAgent",
    s.created_at AS "begunAt", s.seen_at AS "seenAt", s.expires_at AS "expiresAt"
  FROM sessions s JOIN people p ON p.id = s.person WHERE s.token_hash = $1 AND s.expires_at > $2`,
  'signed-in',
)
const TOUCH_SESSION =
  statement(`UPDATE sessions SET seen_at = CASE WHEN seen_at < $2 THEN $2 ELSE seen_at END,
    expires_at = CASE WHEN expires_at < $3 THEN $3 ELSE expires_at END
  WHERE id = $1`)
const SESSIONS =
  statement<ConsoleSession>(`SELECT s.id, s.person AS "personId", s.way, s.address, s.user_agent AS "userAgent",
    s.created_at AS "createdAt", s.seen_at AS "seenAt", s.expires_at AS "expiresAt"
  FROM sessions s WHERE s.person = $1 AND s.expires_at > $2 ORDER BY s.seen_at DESC, s.id DESC`)
const END_SESSION = statement('DELETE FROM sessions WHERE person = $1 AND id = $2')
const END_OTHER_SESSIONS = statement('DELETE FROM sessions WHERE person = $1 AND id <> $2')

/** Locks the person's row for the same reason as ADD_SESSION. */
const ADD_LINK = statement(`INSERT INTO sign_in_links (token_hash, created_at, expires_at, person)
  SELECT $1, $2, $3, id FROM people WHERE id = $4 FOR KEY SHARE`)
const FIND_LINK = statement<{ person: string }>(
  'SELECT person FROM sign_in_links WHERE token_hash = $1 AND expires_at > $2',
)
const TAKE_LINK = statement<{ person: string; expiresAt: number }>(
  'DELETE FROM sign_in_links WHERE token_hash = $1 RETURNING person, expires_at AS "expiresAt"',
)
const END_LINKS = statement('DELETE FROM sign_in_links WHERE person = $1')

const FORGET_EXPIRED = (
  [
    ['sessions', 'id', 'expires_at', 0],
    ['sign_in_links', 'token_hash', 'expires_at', 0],
    ['invitations', 'id', 'expires_at', INVITATION_RENEWABLE_MS],
    ['mta_sts_policies', 'domain', 'expires_at', 0],
    ['sign_in_attempts', 'lane', 'paid_at', 0],
  ] as const
).map(([table, id, end, kept]) => ({
  kept,
  forget: forgetBefore(table, id, end),
}))

export const sessionReads = {
  *findSession(port, tokenHash, now) {
    const row = yield* port.look.one(SIGNED_IN, tokenHash, now)
    return row === undefined ? null : signedInOf(row)
  },

  *sessions(port, personId, now) {
    return yield* port.read.all(SESSIONS, personId, now)
  },

  *findLink(port, tokenHash, now) {
    return (yield* port.read.one(FIND_LINK, tokenHash, now))?.person ?? null
  },
} satisfies Operations<ReadPort>

export const sessionWrites = {
  *addSession(port, session, tokenHash, noted = []) {
    const { id, personId, way, address, userAgent, createdAt, seenAt, expiresAt } = session
    const values = [id, tokenHash, way, address, userAgent, createdAt, seenAt, expiresAt, personId]
    const note = yield* auditNotes(port, noted)
    yield* port.transaction(function* (db) {
      if ((yield* db.run(ADD_SESSION, ...values)) === 0) throw noPerson(personId)
      yield* note(db)
    })
  },

  *touchSession(port, id, seenAt, expiresAt) {
    yield* port.write.run(TOUCH_SESSION, id, seenAt, expiresAt)
  },

  *endSessions(port, personId, which, noted = []) {
    const note = yield* auditNotes(port, noted)
    return yield* port.transaction(function* (db) {
      if ('except' in which) yield* db.run(END_LINKS, personId)
      const ended =
        'id' in which
          ? yield* db.run(END_SESSION, personId, which.id)
          : yield* db.run(END_OTHER_SESSIONS, personId, which.except ?? '')
      if (ended > 0) yield* note(db)
      return ended
    })
  },

  *addLink(port, { personId, createdAt, expiresAt }, tokenHash) {
    const added = yield* port.write.run(ADD_LINK, tokenHash, createdAt, expiresAt, personId)
    if (added === 0) throw noPerson(personId)
  },

  *takeLink(port, tokenHash, now) {
    const link = yield* port.write.one(TAKE_LINK, tokenHash)
    return link !== undefined && link.expiresAt > now ? link.person : null
  },

  *forgetExpired(port, now, limit) {
    let gone = 0
    for (const { forget, kept } of FORGET_EXPIRED) {
      gone += yield* port.write.run(forget, Math.round(now) - kept + 1, limit)
    }
    return gone
  },
} satisfies Operations<Port>

function signedInOf(row: SignedInRow): { session: ConsoleSession; person: Person } {
  const { sessionId, way, from, userAgent, begunAt, seenAt, expiresAt, ...person } = row
  const session = { id: sessionId, personId: person.id, way, address: from, userAgent }
  return { session: { ...session, createdAt: begunAt, seenAt, expiresAt }, person: personOf(person) }
}
