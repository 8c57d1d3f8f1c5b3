import type { Invitation } from '../../people/person.ts'
import * as sql from '../people-statements.ts'
import type { PeopleStore } from '../people-store.ts'
import type { Parts } from './parts.ts'

type Invitations = 'addInvitation' | 'invitations' | 'findInvitation' | 'takeInvitation' | 'removeInvitation'

/** Who is asked to belong to a company. */
export function invitations({ database, companies }: Parts): Pick<PeopleStore, Invitations> {
  return {
    async addInvitation({ id, companyId, address, role, createdAt, expiresAt }, tokenHash) {
      const company = await companies.number(companyId)
      const values = [id, tokenHash, company, address, role, createdAt, expiresAt]
      await database.write(sql.ADD_INVITATION, values)
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

    async removeInvitation(companyId, id) {
      return (await database.write(sql.REMOVE_INVITATION, [companyId, id])).length > 0
    },
  }
}
