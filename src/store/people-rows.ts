/** People of the console, their sessions, and the audit list, as rows of both databases. */
import {
  type AuditEntry,
  type NewAuditEntry,
  NO_CREDENTIALS,
  type Person,
  type Role,
  type Session,
} from '../people/person.ts'
import { mapOf, mapText } from './json-columns.ts'
import type { PersonChange } from './people-store.ts'
import { StoreConflict } from './store.ts'

/** Columns of `people p`. */
export const PERSON_COLUMNS = `p.id, p.address, p.name, p.operator, p.created_at AS "createdAt", p.version, p.credentials,
  (SELECT string_agg(c.id || ' ' || m.role || CASE WHEN m.confirmed THEN '' ELSE ' unconfirmed' END, ',' ORDER BY c.id)
   FROM memberships m JOIN companies c ON c.num = m.company WHERE m.person = p.id) AS memberships`

/** `memberships`: for each a company's id, a role, and a word if it is not confirmed; NULL for none. */
export interface PersonRow extends Omit<Person, 'operator' | 'credentials' | 'memberships'> {
  operator: number | boolean
  credentials: string
  memberships: string | null
}

export function personOf(row: PersonRow): Person {
  return {
    ...row,
    operator: Boolean(row.operator),
    credentials: { ...NO_CREDENTIALS, ...mapOf(row.credentials) },
    memberships: (row.memberships?.split(',') ?? []).map((membership) => {
      const [companyId, role, unconfirmed] = membership.split(' ')
      return { companyId: companyId!, role: role as Role, ...(unconfirmed && { unconfirmed: true as const }) }
    }),
  }
}

/** In the order of the columns that ADD_PERSON names. */
export function personValues(person: Person): (string | number | boolean | null)[] {
  const { id, address, name, operator, createdAt, version, credentials } = person
  return [id, address, name, operator, createdAt, version, JSON.stringify(credentials)]
}

/** The columns of a change, with their new values. */
export function changedColumns({ address, name, operator, credentials }: PersonChange) {
  const given: [column: string, value: string | boolean | null | undefined][] = [
    ['address', address],
    ['name', name],
    ['operator', operator],
    ['credentials', credentials && JSON.stringify(credentials)],
  ]
  return given.filter((pair): pair is [string, string | boolean | null] => pair[1] !== undefined)
}

/** The reason why a person cannot be added, or take this address. */
export function takenAddress(address: string | null | undefined): string {
  return `There is already a person with the address ${address}`
}

export const TAKEN_IDENTITY = 'This account of the provider is connected with another person'

/** The reason why an invitation is refused: the inviter has lost the right since the request was checked. */
export const NO_INVITER = 'only an owner of the company or an operator can invite people to it'

export const LAST_OPERATOR = 'this is the last operator: make another person an operator first'
export const LAST_OWNER = 'a company needs an owner: make another person an owner first'

/** Throws StoreConflict when `person` is the only one of `those`, which must not become empty. */
export function refuseLast(those: readonly { person: string }[], person: string, why: string): void {
  if (those.length === 1 && those[0]!.person === person) throw new StoreConflict(why)
}

export function noPerson(id: string): StoreConflict {
  return new StoreConflict(`There is no person with the id ${id}`)
}

/** Columns of `sessions s`. */
export const SESSION_COLUMNS = `s.id, s.person AS "personId", s.way, s.address, s.user_agent AS "userAgent",
  s.created_at AS "createdAt", s.seen_at AS "seenAt", s.expires_at AS "expiresAt"`

/** Columns of a session, beside those of its person. */
export const BESIDE_PERSON = `s.id AS "sessionId", s.way, s.address AS "from", s.user_agent AS "userAgent",
  s.created_at AS "begunAt", s.seen_at AS "seenAt", s.expires_at AS "expiresAt"`

export interface SignedInRow extends PersonRow, Pick<Session, 'way' | 'userAgent' | 'seenAt' | 'expiresAt'> {
  sessionId: string
  from: string
  begunAt: number
}

export function signedInOf(row: SignedInRow): { session: Session; person: Person } {
  const { sessionId, way, from, userAgent, begunAt, seenAt, expiresAt, ...person } = row
  const session = { id: sessionId, personId: person.id, way, address: from, userAgent }
  return { session: { ...session, createdAt: begunAt, seenAt, expiresAt }, person: personOf(person) }
}

/** In the order of the columns that ADD_SESSION names; the person's id comes last. */
export function sessionValues(session: Session, tokenHash: Uint8Array): (string | number | Uint8Array)[] {
  const { id, personId, way, address, userAgent, createdAt, seenAt, expiresAt } = session
  return [id, tokenHash, way, address, userAgent, createdAt, seenAt, expiresAt, personId]
}

/** Columns of `audit a`, whose company is `c`. */
export const AUDIT_COLUMNS = `a.number, a.at, c.id AS "companyId", a.actor_kind AS kind, a.actor_id AS id,
  a.actor_name AS name, a.topic, a.action, a.target, a.detail, a.done`

export type AuditRow = Omit<AuditEntry, 'actor' | 'detail' | 'done'> &
  AuditEntry['actor'] & { detail: string | null; done: number | boolean }

export function auditOf({ kind, id, name, detail, done, ...row }: AuditRow): AuditEntry {
  return { ...row, actor: { kind, id, name }, detail: mapOf(detail), done: Boolean(done) }
}

/** In the order of the columns that ADD_AUDIT names; the company's number comes first. */
export function auditValues(
  { at, actor: { kind, id, name }, topic, action, target, detail }: NewAuditEntry,
  company: number,
): (string | number | null)[] {
  return [company, at, kind, id, name, topic, action, target, mapText(detail)]
}
