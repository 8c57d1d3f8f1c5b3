import type { DatabaseSync } from 'node:sqlite'
import type { Invitation } from '../../../people/person.ts'
import * as sql from '../../people-statements.ts'
import type { Direct } from '../protocol.ts'
import { numbered, one } from '../rows.ts'
import type { Parts } from './parts.ts'

type InvitationWrites = 'addInvitation' | 'takeInvitation' | 'removeInvitation'

/** Who is asked to belong to a company. */
export function invitations(db: DatabaseSync, { companies }: Parts): Direct<InvitationWrites> {
  const prepare = (text: string) => db.prepare(numbered(text))
  const add = prepare(sql.ADD_INVITATION)
  const take = prepare(sql.TAKE_INVITATION)
  const remove = prepare(sql.REMOVE_INVITATION)
  return {
    addInvitation({ id, companyId, address, role, createdAt, expiresAt }, tokenHash) {
      add.run(id, tokenHash, companies.number(companyId), address, role, createdAt, expiresAt)
    },

    takeInvitation: (tokenHash, now) => one<Invitation>(take, now, tokenHash) ?? null,

    removeInvitation: (companyId, id) => one(remove, companyId, id) !== undefined,
  }
}
