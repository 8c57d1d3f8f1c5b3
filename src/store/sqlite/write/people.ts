import type { DatabaseSync } from 'node:sqlite'
import {
  changedColumns,
  LAST_OPERATOR,
  LAST_OWNER,
  noPerson,
  refuseLast,
  sessionValues,
  takenAddress,
} from '../../people-rows.ts'
import * as sql from '../../people-statements.ts'
import type { Direct } from '../protocol.ts'
import { all, numbered, one } from '../rows.ts'
import { auditWriter } from './audit.ts'
import type { Parts } from './parts.ts'
import { bound, PersonRows } from './person-row.ts'
import { unlessTaken } from './unless-taken.ts'

type PeopleWrites =
  | 'addPerson'
  | 'updatePerson'
  | 'removePerson'
  | 'setMembership'
  | 'confirmMembership'
  | 'addSession'
  | 'touchSession'
  | 'endSessions'
  | 'addLink'
  | 'takeLink'
  | 'forgetExpired'

/** People of the console, and their ways to sign in. */
export function people(db: DatabaseSync, parts: Parts): Direct<PeopleWrites> {
  const { companies } = parts
  const note = auditWriter(db, parts)
  const prepare = (text: string) => db.prepare(numbered(text))
  const rows = new PersonRows(db)
  const confirmMembership = prepare(sql.CONFIRM_MEMBERSHIP)
  const doubtMemberships = prepare(sql.DOUBT_MEMBERSHIPS)
  const endInvitations = prepare(sql.END_INVITATIONS)
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

  return {
    addPerson(person) {
      rows.insert(person)
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
        if (change.address !== undefined) rows.makeRoom(change.address, id)
        changed = update.run(...columns.map(([, value]) => bound(value)), id, version).changes > 0
      })
      if (!changed) return false
      if (change.credentials !== undefined) rows.setIdentities(id, change.credentials)
      if (change.doubtMemberships === true) doubtMemberships.run(id)
      if (change.operator === false) endInvitations.run(id)
      return true
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
      if (role !== 'owner') endInvitations.run(id)
      return true
    },

    confirmMembership(id, companyId) {
      const company = companies.find(companyId)
      if (company === undefined || one(raiseVersion, id) === undefined) return false
      return one(confirmMembership, id, company) !== undefined
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
