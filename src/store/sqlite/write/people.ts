import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { Credentials } from '../../../people/person.ts'
import {
  changedColumns,
  LAST_OPERATOR,
  LAST_OWNER,
  noPerson,
  personValues,
  refuseLast,
  sessionValues,
  TAKEN_IDENTITY,
  takenAddress,
} from '../../people-rows.ts'
import * as sql from '../../people-statements.ts'
import type { Direct } from '../protocol.ts'
import { all, numbered, one } from '../rows.ts'
import { auditWriter } from './audit.ts'
import type { Parts } from './parts.ts'
import { unlessTaken } from './unless-taken.ts'

type PeopleWrites =
  | 'addPerson'
  | 'updatePerson'
  | 'removePerson'
  | 'setMembership'
  | 'addSession'
  | 'touchSession'
  | 'endSessions'
  | 'addLink'
  | 'takeLink'
  | 'forgetExpired'

/** People of the console, and what signs them in. */
export function people(db: DatabaseSync, parts: Parts): Direct<PeopleWrites> {
  const { companies } = parts
  const note = auditWriter(db, parts)
  const prepare = (text: string) => db.prepare(numbered(text))
  const insert = prepare(sql.ADD_PERSON)
  const addIdentity = prepare(sql.ADD_IDENTITY)
  const removeIdentities = prepare(sql.REMOVE_IDENTITIES)
  const raiseVersion = prepare(sql.RAISE_VERSION)
  const remove = prepare(sql.REMOVE_PERSON)
  const setMembership = prepare(sql.SET_MEMBERSHIP)
  const owners = prepare(sql.owners())
  const operators = prepare(sql.operators())
  const endMembership = prepare(sql.END_MEMBERSHIP)
  const addSession = prepare(sql.ADD_SESSION)
  const touchSession = prepare(sql.TOUCH_SESSION)
  const endSession = prepare(sql.END_SESSION)
  const endOthers = prepare(sql.END_OTHER_SESSIONS)
  const endLinks = prepare(sql.END_LINKS)
  const addLink = prepare(sql.ADD_LINK)
  const takeLink = prepare(sql.TAKE_LINK)
  const forgets = sql.forgetExpired().map(prepare)

  function setIdentities(person: string, { identities }: Credentials): void {
    removeIdentities.run(person)
    unlessTaken(TAKEN_IDENTITY, () => {
      for (const { issuer, subject } of identities) addIdentity.run(issuer, subject, person)
    })
  }

  return {
    addPerson(person) {
      unlessTaken(takenAddress(person.address), () => insert.run(...personValues(person).map(bound)))
      setIdentities(person.id, person.credentials)
      for (const { companyId, role } of person.memberships) {
        setMembership.run(person.id, companies.number(companyId), role)
      }
    },

    updatePerson(id, version, change) {
      const columns = changedColumns(change)
      const set = columns.map(([column]) => `, ${column} = ?`).join('')
      const update = db.prepare(`UPDATE people SET version = version + 1${set} WHERE id = ? AND version = ?`)
      if (change.operator === false) refuseLast(all(operators), id, LAST_OPERATOR)
      let changed = false
      unlessTaken(takenAddress(change.address), () => {
        changed = update.run(...columns.map(([, value]) => bound(value)), id, version).changes > 0
      })
      if (changed && change.credentials !== undefined) setIdentities(id, change.credentials)
      return changed
    },

    removePerson(id) {
      refuseLast(all(operators), id, LAST_OPERATOR)
      return one(remove, id) !== undefined
    },

    setMembership(id, companyId, role, { keepOwner } = { keepOwner: false }) {
      const company = companies.find(companyId)
      if (company === undefined || one(raiseVersion, id) === undefined) return false
      if (keepOwner && role !== 'owner') refuseLast(all(owners, company), id, LAST_OWNER)
      if (role === null) endMembership.run(id, company)
      else setMembership.run(id, company, role)
      return true
    },

    addSession(session, tokenHash, noted = []) {
      const added = addSession.run(...sessionValues(session, tokenHash)).changes > 0
      if (!added) throw noPerson(session.personId)
      for (const entry of noted) note(entry, true)
    },

    touchSession: (id, seenAt, expiresAt) => void touchSession.run(id, seenAt, expiresAt),

    endSessions(personId, which, noted = []) {
      if ('except' in which) endLinks.run(personId)
      const { length } =
        'id' in which ? all(endSession, personId, which.id) : all(endOthers, personId, which.except ?? '')
      if (length > 0) for (const entry of noted) note(entry, true)
      return length
    },

    addLink({ personId, createdAt, expiresAt }, tokenHash) {
      const added = addLink.run(tokenHash, createdAt, expiresAt, personId).changes > 0
      if (!added) throw noPerson(personId)
    },

    takeLink(tokenHash, now) {
      const link = one<{ person: string; expiresAt: number }>(takeLink, tokenHash)
      return link !== undefined && link.expiresAt > now ? link.person : null
    },

    forgetExpired: (now, limit) =>
      forgets.reduce((sum, forget) => sum + all(forget, Math.round(now), limit).length, 0),
  }
}

/** SQLite has no booleans. */
function bound(value: string | number | boolean | null): SQLInputValue {
  return typeof value === 'boolean' ? Number(value) : value
}
