import type { DatabaseSync } from 'node:sqlite'
import type { Invitation } from '../../../people/person.ts'
import { NO_INVITER, noPerson } from '../../people-rows.ts'
import * as sql from '../../people-statements.ts'
import { StoreConflict } from '../../store.ts'
import type { Direct } from '../protocol.ts'
import { numbered, one } from '../rows.ts'
import type { Parts } from './parts.ts'
import { PersonRows } from './person-row.ts'

type InvitationWrites = 'addInvitation' | 'takeInvitation' | 'acceptInvitation' | 'removeInvitation'

/** Invitations to companies. */
export function invitations(db: DatabaseSync, { companies }: Parts): Direct<InvitationWrites> {
  const prepare = (text: string) => db.prepare(numbered(text))
  const add = prepare(sql.ADD_INVITATION)
  const take = prepare(sql.TAKE_INVITATION)
  const remove = prepare(sql.REMOVE_INVITATION)
  const mayInvite = prepare(sql.MAY_INVITE)
  const raiseVersion = prepare(sql.RAISE_VERSION)
  const setMembership = prepare(sql.SET_MEMBERSHIP)
  const confirmMembership = prepare(sql.CONFIRM_MEMBERSHIP)
  const rows = new PersonRows(db)
  return {
    addInvitation({ id, companyId, address, role, inviterId, inviterName, createdAt, expiresAt }, tokenHash) {
      const company = companies.number(companyId)
      if (inviterId !== null && one(mayInvite, inviterId, company) === undefined) {
        throw new StoreConflict(NO_INVITER)
      }
      add.run(id, tokenHash, company, address, role, inviterId, inviterName, createdAt, expiresAt)
    },

    takeInvitation: (tokenHash, now) => one<Invitation>(take, now, tokenHash) ?? null,

    acceptInvitation(tokenHash, now, accepter) {
      const taken = one<Invitation>(take, now, tokenHash)
      if (taken === undefined) return null
      if ('newPerson' in accepter) rows.insert(accepter.newPerson)
      const id = 'newPerson' in accepter ? accepter.newPerson.id : accepter.personId
      if ('personId' in accepter && one(raiseVersion, id) === undefined) throw noPerson(id)
      const company = companies.number(taken.companyId)
      setMembership.run(id, company, taken.role)
      confirmMembership.run(id, company)
      return taken
    },

    removeInvitation: (companyId, id) => one(remove, companyId, id) !== undefined,
  }
}
