/** Statements about people, for both databases. Values are numbered as in PostgreSQL: `$1`. */
import { AUDIT_COLUMNS, BESIDE_PERSON, PERSON_COLUMNS, SESSION_COLUMNS } from './people-rows.ts'
import type { AuditFilter } from './people-store.ts'

const PERSON = `SELECT ${PERSON_COLUMNS} FROM people p`
const OLDEST_FIRST = 'ORDER BY p.created_at, p.id'

export const PERSON_BY_ID = `${PERSON} WHERE p.id = $1`
export const PERSON_BY_ADDRESS = `${PERSON} WHERE p.address = $1`
export const HOLDER = 'SELECT id FROM people WHERE address = $1'
export const PERSON_BY_IDENTITY = `${PERSON} WHERE p.id = (SELECT person FROM identities WHERE issuer = $1 AND subject = $2)`
export const PEOPLE = `${PERSON} ${OLDEST_FIRST}`
export const PEOPLE_OF_COMPANY = `SELECT ${PERSON_COLUMNS} FROM memberships o JOIN people p ON p.id = o.person
  WHERE o.company = (SELECT num FROM companies WHERE id = $1) ${OLDEST_FIRST}`

export const ADD_PERSON = `INSERT INTO people (id, address, name, operator, created_at, version, credentials)
  VALUES ($1, $2, $3, $4, $5, $6, $7)`
export const ADD_IDENTITY = 'INSERT INTO identities (issuer, subject, person) VALUES ($1, $2, $3)'
export const REMOVE_IDENTITIES = 'DELETE FROM identities WHERE person = $1'
export const RAISE_VERSION = 'UPDATE people SET version = version + 1 WHERE id = $1 RETURNING id'
/** Rows that refer to the person are removed with it. */
export const REMOVE_PERSON = 'DELETE FROM people WHERE id = $1 RETURNING id'
export const SET_MEMBERSHIP = `INSERT INTO memberships (person, company, role) VALUES ($1, $2, $3)
  ON CONFLICT (person, company) DO UPDATE SET role = excluded.role`
export const CONFIRM_MEMBERSHIP = `UPDATE memberships SET confirmed = true WHERE person = $1 AND company = $2
  RETURNING person`
export const DOUBT_MEMBERSHIPS = 'UPDATE memberships SET confirmed = false WHERE person = $1'
/** @param lock the locking clause against other nodes, where there are several */
export const owners = (lock = '') =>
  `SELECT person FROM memberships WHERE company = $1 AND role = 'owner' ORDER BY person ${lock}`
export const operators = (lock = '') => `SELECT id AS person FROM people WHERE operator ORDER BY id ${lock}`
export const END_MEMBERSHIP = 'DELETE FROM memberships WHERE person = $1 AND company = $2'

/** The person must exist: no session is added for somebody who has just been removed. */
export const ADD_SESSION = `INSERT INTO sessions
    (id, token_hash, way, address, user_agent, created_at, seen_at, expires_at, person)
  SELECT $1, $2, $3, $4, $5, $6, $7, $8, id FROM people WHERE id = $9`
export const SIGNED_IN = `SELECT ${PERSON_COLUMNS}, ${BESIDE_PERSON} FROM sessions s JOIN people p ON p.id = s.person
  WHERE s.token_hash = $1 AND s.expires_at > $2`
export const TOUCH_SESSION = `UPDATE sessions SET seen_at = CASE WHEN seen_at < $2 THEN $2 ELSE seen_at END,
    expires_at = CASE WHEN expires_at < $3 THEN $3 ELSE expires_at END
  WHERE id = $1`
export const SESSIONS = `SELECT ${SESSION_COLUMNS} FROM sessions s WHERE s.person = $1 AND s.expires_at > $2
  ORDER BY s.seen_at DESC, s.id DESC`
export const END_SESSION = 'DELETE FROM sessions WHERE person = $1 AND id = $2 RETURNING id'
export const END_OTHER_SESSIONS = 'DELETE FROM sessions WHERE person = $1 AND id <> $2 RETURNING id'
export const END_LINKS = 'DELETE FROM sign_in_links WHERE person = $1'

export const ADD_LINK = `INSERT INTO sign_in_links (token_hash, created_at, expires_at, person)
  SELECT $1, $2, $3, id FROM people WHERE id = $4`
export const FIND_LINK = 'SELECT person FROM sign_in_links WHERE token_hash = $1 AND expires_at > $2'
export const TAKE_LINK = `DELETE FROM sign_in_links WHERE token_hash = $1
  RETURNING person, expires_at AS "expiresAt"`

const INVITATION_COLUMNS = `id, (SELECT c.id FROM companies c WHERE c.num = company) AS "companyId", address, role,
  inviter AS "inviterId", inviter_name AS "inviterName", created_at AS "createdAt", expires_at AS "expiresAt"`
export const ADD_INVITATION = `INSERT INTO invitations
    (id, token_hash, company, address, role, inviter, inviter_name, created_at, expires_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  ON CONFLICT (company, address) DO UPDATE SET id = excluded.id, token_hash = excluded.token_hash,
    role = excluded.role, inviter = excluded.inviter, inviter_name = excluded.inviter_name,
    created_at = excluded.created_at, expires_at = excluded.expires_at`
/** Parameters: a person and a company. */
export const MAY_INVITE = `SELECT p.id FROM people p WHERE p.id = $1 AND (p.operator
  OR EXISTS (SELECT 1 FROM memberships m WHERE m.person = p.id AND m.company = $2 AND m.role = 'owner'))`
/** Runs in the commit that takes the right away: a right that comes back later does not bring the invitations back. */
export const END_INVITATIONS = `DELETE FROM invitations WHERE inviter = $1
  AND NOT EXISTS (SELECT 1 FROM people p WHERE p.id = inviter AND p.operator)
  AND NOT EXISTS (SELECT 1 FROM memberships m
    WHERE m.person = inviter AND m.company = invitations.company AND m.role = 'owner')`
const INVITATIONS = `SELECT ${INVITATION_COLUMNS} FROM invitations WHERE expires_at > $1`
export const ALL_INVITATIONS = `${INVITATIONS} ORDER BY created_at, id`
export const INVITATIONS_OF_COMPANY = `${INVITATIONS} AND company = (SELECT num FROM companies WHERE id = $2)
  ORDER BY created_at, id`
export const FIND_INVITATION = `${INVITATIONS} AND token_hash = $2`
export const TAKE_INVITATION = `DELETE FROM invitations WHERE expires_at > $1 AND token_hash = $2
  RETURNING ${INVITATION_COLUMNS}`
export const REMOVE_INVITATION = `DELETE FROM invitations
  WHERE company = (SELECT num FROM companies WHERE id = $1) AND id = $2 RETURNING id`

export const lanes = (count: number) =>
  `SELECT lane, paid_at AS "paidAt" FROM sign_in_attempts
   WHERE lane IN (${Array.from({ length: count }, (_, at) => `$${at + 1}`).join(', ')})`
/** Values: now, and for each lane its name and the time at which an attempt that begins now is paid for. */
export const payLanes = (count: number) => `INSERT INTO sign_in_attempts (lane, paid_at)
  VALUES ${Array.from({ length: count }, (_, at) => `($${2 * at + 2}, $${2 * at + 3})`).join(', ')}
  ON CONFLICT (lane) DO UPDATE SET paid_at = excluded.paid_at +
    CASE WHEN sign_in_attempts.paid_at > $1 THEN sign_in_attempts.paid_at - $1 ELSE 0 END
  RETURNING lane, paid_at AS "paidAt"`
export const REFUND_LANE = 'UPDATE sign_in_attempts SET paid_at = paid_at - $2 WHERE lane = $1'

/** @param lock the locking clause against other nodes, where there are several */
export function forgetExpired(lock = ''): string[] {
  return [
    `DELETE FROM sessions WHERE id IN
       (SELECT id FROM sessions WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2 ${lock}) RETURNING 1`,
    `DELETE FROM sign_in_links WHERE token_hash IN
       (SELECT token_hash FROM sign_in_links WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2 ${lock}) RETURNING 1`,
    `DELETE FROM invitations WHERE id IN
       (SELECT id FROM invitations WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2 ${lock}) RETURNING 1`,
    `DELETE FROM sign_in_attempts WHERE lane IN
       (SELECT lane FROM sign_in_attempts WHERE paid_at <= $1 ORDER BY paid_at LIMIT $2 ${lock}) RETURNING 1`,
  ]
}

/**
 * Entries kept of each topic for each company, and for the installation: the newest. No company fills the list for
 * others, and no amount of sign-ins hides a change.
 */
export const AUDIT_KEPT = 10_000
/** Excess entries removed with each new entry. */
export const AUDIT_STEP = 100

export const AUDIT_VALUES = 'company, at, actor_kind, actor_id, actor_name, topic, action, target, detail'
export const SETTLE_AUDIT =
  'UPDATE audit SET target = $2, detail = $3, company = $4, done = $5 WHERE number = $1'
export const UNDO_AUDIT = 'DELETE FROM audit WHERE number = $1'

export const TRIM_AUDIT = `DELETE FROM audit WHERE number IN (SELECT number FROM audit
  WHERE company = $1 AND topic = $2 ORDER BY number DESC LIMIT ${AUDIT_STEP} OFFSET ${AUDIT_KEPT})`

/** Milliseconds by which the clocks of nodes may differ: an entry gets its time before its number. */
const SKEW = 600_000

/** Numbers rise with time, so the bounds of a page are found by number, whatever else is filtered. */
export function auditPage(filter: AuditFilter): { text: string; values: (string | number)[] } {
  const { companyId, before, after, actor, action, topic, from, to, limit } = filter
  const values: (string | number)[] = []
  const conditions: string[] = []
  const where = (value: string | number | null | undefined, condition: (place: string) => string) => {
    if (value !== undefined && value !== null) conditions.push(condition(`$${values.push(value)}`))
  }
  where(companyId, (id) => `a.company = (SELECT num FROM companies WHERE id = ${id})`)
  where(before, (number) => `a.number < ${number}`)
  where(after, (number) => `a.number > ${number}`)
  where(actor, (name) => `a.actor_name = ${name}`)
  where(action, (name) => `a.action = ${name}`)
  where(topic, (name) => `a.topic = ${name}`)
  where(from, (at) => `a.at >= ${at}`)
  where(
    from && from - SKEW,
    (at) => `a.number > COALESCE((SELECT number FROM audit WHERE at < ${at}
    ORDER BY at DESC LIMIT 1), ${Number.MIN_SAFE_INTEGER})`,
  )
  where(to, (at) => `a.at < ${at}`)
  where(
    to && to + SKEW,
    (at) => `a.number < COALESCE((SELECT number FROM audit WHERE at >= ${at}
    ORDER BY at LIMIT 1), ${Number.MAX_SAFE_INTEGER})`,
  )
  const all = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
  // Company 0 is the installation.
  const text = `SELECT ${AUDIT_COLUMNS} FROM audit a LEFT JOIN companies c ON c.num = a.company ${all}
    ORDER BY a.number DESC LIMIT $${values.push(limit)}`
  return { text, values }
}
