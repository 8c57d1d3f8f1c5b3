import type { Session as PersonSession } from '../../people/person.ts'
import {
  changedColumns,
  LAST_OPERATOR,
  LAST_OWNER,
  noPerson,
  type PersonRow,
  personOf,
  refuseLast,
  type SignedInRow,
  sessionValues,
  signedInOf,
  takenAddress,
} from '../people-rows.ts'
import * as sql from '../people-statements.ts'
import type { PeopleStore } from '../people-store.ts'
import { attempts } from './attempts.ts'
import { audit, noting } from './audit.ts'
import { invitations } from './invitations.ts'
import type { Parts } from './parts.ts'
import { insertPerson, makeRoom, setIdentities } from './person-row.ts'
import { unlessDuplicate } from './unless-taken.ts'

/** Waits for a transaction that is just removing the person, and then finds the person gone. */
const STAYING = 'FOR KEY SHARE'
/** Waits for a transaction that is just removing an owner or operator, who then does not count any more. */
const GOING = 'FOR UPDATE'
const OWNERS = sql.owners(GOING)
const OPERATORS = sql.operators(GOING)
const FORGET = sql.forgetExpired('FOR UPDATE SKIP LOCKED')
/**
 * Runs with each request of the console: it must not wait behind long lists, and is prepared because it is frequent.
 */
const SIGNED_IN = { name: 'signed-in', text: sql.SIGNED_IN }

/** People of the console, and their ways to sign in. */
export function people(parts: Parts): PeopleStore {
  const { database, companies } = parts
  const person = async (text: string, values: string[]) => {
    const [row] = await database.read<PersonRow>(text, values)
    return row === undefined ? null : personOf(row)
  }
  return {
    ...audit(parts),
    ...invitations(parts),
    ...attempts(parts),

    async addPerson(added) {
      const numbers = await Promise.all(added.memberships.map(({ companyId }) => companies.number(companyId)))
      await database.transaction(async (session) => {
        await insertPerson(session, added)
        for (const [index, { role }] of added.memberships.entries()) {
          await session.run(sql.SET_MEMBERSHIP, [added.id, numbers[index]!, role])
        }
      })
    },

    findPerson: (by) =>
      'id' in by ? person(sql.PERSON_BY_ID, [by.id]) : person(sql.PERSON_BY_ADDRESS, [by.address]),

    findPersonByIdentity: (issuer, subject) => person(sql.PERSON_BY_IDENTITY, [issuer, subject]),

    async people(companyId) {
      const rows =
        companyId === null
          ? database.read<PersonRow>(sql.PEOPLE)
          : database.read<PersonRow>(sql.PEOPLE_OF_COMPANY, [companyId])
      return (await rows).map(personOf)
    },

    async updatePerson(id, version, change) {
      const columns = changedColumns(change)
      const set = columns.map(([column], index) => `, ${column} = $${index + 3}`).join('')
      const update = `UPDATE people SET version = version + 1${set} WHERE id = $1 AND version = $2 RETURNING 1`
      const values = [id, version, ...columns.map(([, value]) => value)]
      return await database.transaction(async (session) => {
        if (change.operator === false) refuseLast(await session.run(OPERATORS), id, LAST_OPERATOR)
        if (change.address !== undefined) await makeRoom(session, change.address, id)
        const changed = await unlessDuplicate(takenAddress(change.address), () => session.run(update, values))
        if (changed.length === 0) return false
        if (change.credentials !== undefined) await setIdentities(session, id, change.credentials)
        if (change.doubtMemberships === true) await session.run(sql.DOUBT_MEMBERSHIPS, [id])
        if (change.operator === false) await session.run(sql.END_INVITATIONS, [id])
        return true
      })
    },

    removePerson: (id) =>
      database.transaction(async (session) => {
        refuseLast(await session.run(OPERATORS), id, LAST_OPERATOR)
        return (await session.run(sql.REMOVE_PERSON, [id])).length > 0
      }),

    async setMembership(id, companyId, role, { keepOwner } = { keepOwner: false }) {
      const company = await companies.filter(companyId)
      if (typeof company !== 'number') return false
      return await database.transaction(async (session) => {
        if ((await session.run(sql.RAISE_VERSION, [id])).length === 0) return false
        if (keepOwner && role !== 'owner') refuseLast(await session.run(OWNERS, [company]), id, LAST_OWNER)
        if (role === null) await session.run(sql.END_MEMBERSHIP, [id, company])
        else await session.run(sql.SET_MEMBERSHIP, [id, company, role])
        if (role !== 'owner') await session.run(sql.END_INVITATIONS, [id])
        return true
      })
    },

    async confirmMembership(id, companyId) {
      const company = await companies.filter(companyId)
      if (typeof company !== 'number') return false
      return await database.transaction(async (session) => {
        if ((await session.run(sql.RAISE_VERSION, [id])).length === 0) return false
        return (await session.run(sql.CONFIRM_MEMBERSHIP, [id, company])).length > 0
      })
    },

    async addSession(begun, tokenHash, noted = []) {
      const add = `${sql.ADD_SESSION} ${STAYING} RETURNING 1`
      const note = await noting(parts, noted)
      await database.transaction(async (session) => {
        const added = await session.run(add, sessionValues(begun, tokenHash))
        if (added.length === 0) throw noPerson(begun.personId)
        await note(session)
      })
    },

    async findSession(tokenHash, now) {
      const [row] = await database.look<SignedInRow>(SIGNED_IN, [tokenHash, now])
      return row === undefined ? null : signedInOf(row)
    },

    async touchSession(id, seenAt, expiresAt) {
      await database.write(sql.TOUCH_SESSION, [id, seenAt, expiresAt])
    },

    sessions: (personId, now) => database.read<PersonSession>(sql.SESSIONS, [personId, now]),

    async endSessions(personId, which, noted = []) {
      const note = await noting(parts, noted)
      return await database.transaction(async (session) => {
        if ('except' in which) await session.run(sql.END_LINKS, [personId])
        const { length } =
          'id' in which
            ? await session.run(sql.END_SESSION, [personId, which.id])
            : await session.run(sql.END_OTHER_SESSIONS, [personId, which.except ?? ''])
        if (length > 0) await note(session)
        return length
      })
    },

    async addLink({ personId, createdAt, expiresAt }, tokenHash) {
      const add = `${sql.ADD_LINK} ${STAYING} RETURNING 1`
      const added = await database.write(add, [tokenHash, createdAt, expiresAt, personId])
      if (added.length === 0) throw noPerson(personId)
    },

    async findLink(tokenHash, now) {
      const [link] = await database.read<{ person: string }>(sql.FIND_LINK, [tokenHash, now])
      return link?.person ?? null
    },

    async takeLink(tokenHash, now) {
      const [link] = await database.write<{ person: string; expiresAt: number }>(sql.TAKE_LINK, [tokenHash])
      return link !== undefined && link.expiresAt > now ? link.person : null
    },

    async forgetExpired(now, limit) {
      let gone = 0
      for (const forget of FORGET) gone += (await database.write(forget, [Math.round(now), limit])).length
      return gone
    },
  }
}
