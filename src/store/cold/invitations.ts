/** Invitations to companies. */
import type { Invitation } from '../../people/person.ts'
import { StoreConflict } from '../store.ts'
import { COMPANY, companyNumber } from './companies.ts'
import { addMember, insertPerson, raiseVersion } from './people.ts'
import type { Operations, Port, ReadPort } from './port.ts'
import { statement } from './statement.ts'

const COLUMNS = `id, (SELECT c.id FROM companies c WHERE c.num = company) AS "companyId", address, role,
  inviter AS "inviterId", inviter_name AS "inviterName", created_at AS "createdAt", expires_at AS "expiresAt"`
const VALID = `SELECT ${COLUMNS} FROM invitations WHERE expires_at > $1`

const ADD = statement(`INSERT INTO invitations
    (id, token_hash, company, address, role, inviter, inviter_name, created_at, expires_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  ON CONFLICT (company, address) DO UPDATE SET id = excluded.id, token_hash = excluded.token_hash,
    role = excluded.role, inviter = excluded.inviter, inviter_name = excluded.inviter_name,
    created_at = excluded.created_at, expires_at = excluded.expires_at`)
const ALL = statement<Invitation>(`${VALID} ORDER BY created_at, id`)
const OF_COMPANY = statement<Invitation>(`${VALID} AND company = (SELECT num FROM companies WHERE id = $2)
  ORDER BY created_at, id`)
const FIND = statement<Invitation>(`${VALID} AND token_hash = $2`)
const TAKE = statement<Invitation>(
  `DELETE FROM invitations WHERE expires_at > $1 AND token_hash = $2 RETURNING ${COLUMNS}`,
)
const REMOVE = statement(
  'DELETE FROM invitations WHERE company = (SELECT num FROM companies WHERE id = $1) AND id = $2',
)

/**
 * Locks the inviter before the right is read: a transaction that takes the right away at this moment ends the
 * invitation, or is waited for.
 */
const LOCK_INVITER = statement('SELECT id FROM people WHERE id = $1 FOR SHARE')
/** Values: a person and a company. */
const MAY_INVITE = statement(`SELECT p.id FROM people p WHERE p.id = $1 AND (p.operator
  OR EXISTS (SELECT 1 FROM memberships m WHERE m.person = p.id AND m.company = $2 AND m.role = 'owner'))`)

/** The inviter has lost the right since the request was checked. */
const NO_INVITER = 'only an owner of the company or an operator can invite people to it'

export const invitationReads = {
  *invitations(port, companyId, after) {
    return companyId === null
      ? yield* port.read.all(ALL, after)
      : yield* port.read.all(OF_COMPANY, after, companyId)
  },

  *findInvitation(port, tokenHash, now) {
    return (yield* port.read.one(FIND, now, tokenHash)) ?? null
  },
} satisfies Operations<ReadPort>

export const invitationWrites = {
  *addInvitation(port, invitation, tokenHash) {
    const { id, companyId, address, role, inviterId, inviterName, createdAt, expiresAt } = invitation
    const company = yield* companyNumber(port, companyId)
    const values = [id, tokenHash, company, address, role, inviterId, inviterName, createdAt, expiresAt]
    yield* port.transaction(function* (db) {
      if (inviterId !== null) {
        yield* db.one(LOCK_INVITER, inviterId)
        if ((yield* db.one(MAY_INVITE, inviterId, company)) === undefined) throw new StoreConflict(NO_INVITER)
      }
      yield* db.run(ADD, ...values)
    })
  },

  *takeInvitation(port, tokenHash, now) {
    return (yield* port.write.one(TAKE, now, tokenHash)) ?? null
  },

  *acceptInvitation(port, tokenHash, now, accepter) {
    return yield* port.transaction(function* (db) {
      const taken = yield* db.one(TAKE, now, tokenHash)
      if (taken === undefined) return null
      if ('newPerson' in accepter) yield* insertPerson(db, accepter.newPerson)
      else yield* raiseVersion(db, accepter.personId)
      const id = 'newPerson' in accepter ? accepter.newPerson.id : accepter.personId
      const company = yield* db.one(COMPANY, taken.companyId)
      yield* addMember(db, id, company!.num, taken.role)
      return taken
    })
  },

  *removeInvitation(port, companyId, id) {
    return (yield* port.write.run(REMOVE, companyId, id)) > 0
  },
} satisfies Operations<Port>
