import type { Invitation } from '../../people/person.ts'
import { NO_INVITER, noPerson } from '../people-rows.ts'
import * as sql from '../people-statements.ts'
import type { PeopleStore } from '../people-store.ts'
import { StoreConflict } from '../store.ts'
import type { Parts } from './parts.ts'
import { insertPerson } from './person-row.ts'

type Invitations =
  | 'addInvitation'
  | 'invitations'
  | 'findInvitation'
  | 'takeInvitation'
  | 'acceptInvitation'
  | 'removeInvitation'

/** Invitations to companies. */
export function invitations({ database, companies }: Parts): Pick<PeopleStore, Invitations> {
  return {
    async addInvitation(
      { id, companyId, address, role, inviterId, inviterName, createdAt, expiresAt },
      tokenHash,
    ) {
      const company = await companies.number(companyId)
      const values = [id, tokenHash, company, address, role, inviterId, inviterName, createdAt, expiresAt]
      await database.transaction(async (session) => {
        if (inviterId !== null) {
          // Locked before the right is read: a transaction that takes the right away at this moment ends the
          // invitation, or is waited for.
          await session.run('SELECT id FROM people WHERE id = $1 FOR SHARE', [inviterId])
          const may = await session.run(sql.MAY_INVITE, [inviterId, company])
          if (may.length === 0) throw new StoreConflict(NO_INVITER)
        }
        await session.run(sql.ADD_INVITATION, values)
      })
    },

    invitations: (companyId, now) =>
      companyId === null
        ? database.read<Invitation>(sql.ALL_INVITATIONS, [now])
        : database.read<Invitation>(sql.INVITATIONS_OF_COMPANY, [now, companyId]),

    async findInvitation(tokenHash, now) {
      const [found] = await database.read<Invitation>(sql.FIND_INVITATION, [now, tokenHash])
      return found ?? null
    },

    async takeInvitation(tokenHash, now) {
      const [taken] = await database.write<Invitation>(sql.TAKE_INVITATION, [now, tokenHash])
      return taken ?? null
    },

    acceptInvitation: (tokenHash, now, accepter) =>
      database.transaction(async (session) => {
        const [taken] = await session.run<Invitation>(sql.TAKE_INVITATION, [now, tokenHash])
        if (taken === undefined) return null
        if ('newPerson' in accepter) await insertPerson(session, accepter.newPerson)
        const id = 'newPerson' in accepter ? accepter.newPerson.id : accepter.personId
        if ('personId' in accepter && (await session.run(sql.RAISE_VERSION, [id])).length === 0) {
          throw noPerson(id)
        }
        const company = await companies.number(taken.companyId)
        await session.run(sql.SET_MEMBERSHIP, [id, company, taken.role])
        await session.run(sql.CONFIRM_MEMBERSHIP, [id, company])
        return taken
      }),

    async removeInvitation(companyId, id) {
      return (await database.write(sql.REMOVE_INVITATION, [companyId, id])).length > 0
    },
  }
}
