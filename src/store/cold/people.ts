/** People of the console, and their memberships in companies. */
import {
  type AlertKind,
  type Credentials,
  givesWay,
  NO_CREDENTIALS,
  type Person,
  type Role,
} from '../../people/person.ts'
import { listOf, mapOf } from '../json-columns.ts'
import type { PersonChange } from '../people-store.ts'
import { StoreConflict } from '../store.ts'
import { auditNotes } from './audit.ts'
import { companyNumber } from './companies.ts'
import type { Operations, Port, PortSteps, PortTransaction, ReadPort } from './port.ts'
import { dynamicStatement, statement } from './statement.ts'
import { insertUnique, unlessDuplicate } from './unique.ts'

/** Columns of `people p`. */
export const PERSON_COLUMNS = `p.id, p.address, p.name, p.operator, p.created_at AS "createdAt", p.version, p.credentials, p.alerts,
  (SELECT string_agg(c.id || ' ' || m.role || CASE WHEN m.confirmed THEN '' ELSE ' unconfirmed' END, ',' ORDER BY c.id)
   FROM memberships m JOIN companies c ON c.num = m.company WHERE m.person = p.id) AS memberships`

/** `memberships`: for each a company's id, a role, and a word if it is not confirmed; NULL for none. */
export interface PersonRow extends Omit<Person, 'alerts' | 'operator' | 'credentials' | 'memberships'> {
  operator: number | boolean
  credentials: string
  alerts: string
  memberships: string | null
}

const PERSON = `SELECT ${PERSON_COLUMNS} FROM people p`
const OLDEST_FIRST = 'ORDER BY p.created_at, p.id'

const BY_ID = statement<PersonRow>(`${PERSON} WHERE p.id = $1`)
const BY_ADDRESS = statement<PersonRow>(`${PERSON} WHERE p.address = $1`)
const BY_IDENTITY = statement<PersonRow>(
  `${PERSON} WHERE p.id = (SELECT person FROM identities WHERE issuer = $1 AND subject = $2)`,
)
const EVERYBODY = statement<PersonRow>(`${PERSON} ${OLDEST_FIRST}`)
const OF_COMPANY = statement<PersonRow>(`SELECT ${PERSON_COLUMNS}
  FROM memberships o JOIN people p ON p.id = o.person
  WHERE o.company = (SELECT num FROM companies WHERE id = $1) ${OLDEST_FIRST}`)

const HOLDER = statement('SELECT id FROM people WHERE address = $1 FOR UPDATE')
const ADD =
  statement(`INSERT INTO people (id, address, name, operator, created_at, version, credentials, alerts)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`)
/** Rows that refer to the person are removed with it. */
const REMOVE = statement('DELETE FROM people WHERE id = $1')
const ADD_IDENTITY = statement(
  'INSERT INTO identities (issuer, subject, person) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
)
const REMOVE_IDENTITIES = statement('DELETE FROM identities WHERE person = $1')
const RAISE_VERSION = statement('UPDATE people SET version = version + 1 WHERE id = $1')
const RAISE_MEMBER_VERSION = statement(`UPDATE people SET version = version + 1
  WHERE id = $1 AND EXISTS (SELECT 1 FROM memberships WHERE person = $1 AND company = $2)`)

const SET_MEMBERSHIP = statement(`INSERT INTO memberships (person, company, role) VALUES ($1, $2, $3)
  ON CONFLICT (person, company) DO UPDATE SET role = excluded.role`)
const CONFIRM_MEMBERSHIP = statement(
  'UPDATE memberships SET confirmed = true WHERE person = $1 AND company = $2',
)
const DOUBT_MEMBERSHIPS = statement('UPDATE memberships SET confirmed = false WHERE person = $1')
const END_MEMBERSHIP = statement('DELETE FROM memberships WHERE person = $1 AND company = $2')
/** Locks the rows, and so waits for a transaction that is removing an owner or operator, who then no longer counts. */
const OWNERS = statement<{ person: string }>(
  "SELECT person FROM memberships WHERE company = $1 AND role = 'owner' ORDER BY person FOR UPDATE",
)
const OPERATORS = statement<{ person: string }>(
  'SELECT id AS person FROM people WHERE operator ORDER BY id FOR UPDATE',
)
/** Runs in the commit that takes the right away: a right that comes back later does not bring the invitations back. */
const END_INVITATIONS = statement(`DELETE FROM invitations WHERE inviter = $1
  AND NOT EXISTS (SELECT 1 FROM people p WHERE p.id = inviter AND p.operator)
  AND NOT EXISTS (SELECT 1 FROM memberships m
    WHERE m.person = inviter AND m.company = invitations.company AND m.role = 'owner')`)

const TAKEN_IDENTITY = 'This account of the provider is connected with another person'
const LAST_OPERATOR = 'this is the last operator: make another person an operator first'
const LAST_OWNER = 'a company needs an owner: make another person an owner first'

export const peopleReads = {
  *findPerson(port, by) {
    const row = 'id' in by ? yield* port.read.one(BY_ID, by.id) : yield* port.read.one(BY_ADDRESS, by.address)
    return row === undefined ? null : personOf(row)
  },

  *findPersonByIdentity(port, issuer, subject) {
    const row = yield* port.read.one(BY_IDENTITY, issuer, subject)
    return row === undefined ? null : personOf(row)
  },

  *people(port, companyId) {
    const rows =
      companyId === null ? yield* port.read.all(EVERYBODY) : yield* port.read.all(OF_COMPANY, companyId)
    return rows.map(personOf)
  },
} satisfies Operations<ReadPort>

export const peopleWrites = {
  *addPerson(port, person) {
    const roles: [company: number, role: Role][] = []
    for (const { companyId, role } of person.memberships) {
      roles.push([yield* companyNumber(port, companyId), role])
    }
    yield* port.transaction(function* (db) {
      yield* insertPerson(db, person)
      for (const [company, role] of roles) yield* db.run(SET_MEMBERSHIP, person.id, company, role)
    })
  },

  *updatePerson(port, id, version, change, noted = []) {
    const note = yield* auditNotes(port, noted)
    const columns = changedColumns(change)
    const set = columns.map(([column], index) => `, ${column} = $${index + 3}`).join('')
    const update = dynamicStatement(
      `UPDATE people SET version = version + 1${set} WHERE id = $1 AND version = $2`,
    )
    const values = columns.map(([, value]) => value)
    return yield* port.transaction(function* (db) {
      if (change.operator === false) refuseLast(yield* db.all(OPERATORS), id, LAST_OPERATOR)
      if (change.address !== undefined) yield* makeRoom(db, change.address, id)
      const changed = yield* unlessDuplicate(db, takenAddress(change.address), () =>
        db.run(update, id, version, ...values),
      )
      if (changed === 0) return false
      if (change.credentials !== undefined) yield* setIdentities(db, id, change.credentials)
      if (change.doubtMemberships === true) yield* db.run(DOUBT_MEMBERSHIPS, id)
      if (change.operator === false) yield* db.run(END_INVITATIONS, id)
      yield* note(db)
      return true
    })
  },

  *removePerson(port, id) {
    return yield* port.transaction(function* (db) {
      refuseLast(yield* db.all(OPERATORS), id, LAST_OPERATOR)
      return (yield* db.run(REMOVE, id)) > 0
    })
  },

  *setMembership(port, id, companyId, role, { keepOwner } = { keepOwner: false }) {
    const company = yield* port.findCompany(companyId)
    if (company === undefined) return false
    return yield* port.transaction(function* (db) {
      if ((yield* db.run(RAISE_VERSION, id)) === 0) return false
      if (keepOwner && role !== 'owner') refuseLast(yield* db.all(OWNERS, company), id, LAST_OWNER)
      if (role === null) yield* db.run(END_MEMBERSHIP, id, company)
      else yield* db.run(SET_MEMBERSHIP, id, company, role)
      if (role !== 'owner') yield* db.run(END_INVITATIONS, id)
      return true
    })
  },

  *confirmMembership(port, id, companyId) {
    const company = yield* port.findCompany(companyId)
    if (company === undefined) return false
    return yield* port.transaction(function* (db) {
      if ((yield* db.run(RAISE_MEMBER_VERSION, id, company)) === 0) return false
      return (yield* db.run(CONFIRM_MEMBERSHIP, id, company)) > 0
    })
  },
} satisfies Operations<Port>

/** Inserts one person, with the unique values: address and identities. */
export function* insertPerson(db: PortTransaction, person: Person): PortSteps<void> {
  const { id, address, name, operator, createdAt, version, credentials, alerts } = person
  yield* makeRoom(db, address, id)
  const values = [
    id,
    address,
    name,
    operator,
    createdAt,
    version,
    JSON.stringify(credentials),
    JSON.stringify(alerts),
  ]
  yield* insertUnique(db, takenAddress(address), ADD, ...values)
  yield* setIdentities(db, id, credentials)
}

/** Makes the holder of an account a member, with a confirmed membership. */
export function* addMember(db: PortTransaction, id: string, company: number, role: Role): PortSteps<void> {
  yield* db.run(SET_MEMBERSHIP, id, company, role)
  yield* db.run(CONFIRM_MEMBERSHIP, id, company)
}

/** Throws StoreConflict when there is no such person. */
export function* raiseVersion(db: PortTransaction, id: string): PortSteps<void> {
  if ((yield* db.run(RAISE_VERSION, id)) === 0) throw noPerson(id)
}

export function noPerson(id: string): StoreConflict {
  return new StoreConflict(`There is no person with the id ${id}`)
}

export function personOf(row: PersonRow): Person {
  return {
    ...row,
    operator: Boolean(row.operator),
    credentials: { ...NO_CREDENTIALS, ...mapOf(row.credentials) },
    alerts: listOf<AlertKind>(row.alerts),
    memberships: (row.memberships?.split(',') ?? []).map((membership) => {
      const [companyId, role, unconfirmed] = membership.split(' ')
      return { companyId: companyId!, role: role as Role, ...(unconfirmed && { unconfirmed: true as const }) }
    }),
  }
}

/** Removes the account with this address, if it is not `id` and gives way. */
function* makeRoom(db: PortTransaction, address: string | null, id: string): PortSteps<void> {
  if (address === null) return
  // Locked before it is read: an account that has gained a membership meanwhile does not give way.
  yield* db.one(HOLDER, address)
  const row = yield* db.one(BY_ADDRESS, address)
  if (row !== undefined && row.id !== id && givesWay(personOf(row))) yield* db.run(REMOVE, row.id)
}

function* setIdentities(db: PortTransaction, id: string, { identities }: Credentials): PortSteps<void> {
  yield* db.run(REMOVE_IDENTITIES, id)
  for (const { issuer, subject } of identities) {
    yield* insertUnique(db, TAKEN_IDENTITY, ADD_IDENTITY, issuer, subject, id)
  }
}

/** The columns of a change, with their new values. */
function changedColumns({ address, alerts, name, operator, credentials }: PersonChange) {
  const given: [column: string, value: string | boolean | null | undefined][] = [
    ['address', address],
    ['alerts', alerts && JSON.stringify(alerts)],
    ['name', name],
    ['operator', operator],
    ['credentials', credentials && JSON.stringify(credentials)],
  ]
  return given.filter((pair): pair is [string, string | boolean | null] => pair[1] !== undefined)
}

/** The reason why a person cannot be added, or take this address. */
function takenAddress(address: string | null | undefined): string {
  return `There is already a person with the address ${address}`
}

/** Throws StoreConflict when `person` is the only one of `those`, which must not become empty. */
function refuseLast(those: readonly { person: string }[], person: string, why: string): void {
  if (those.length === 1 && those[0]!.person === person) throw new StoreConflict(why)
}
