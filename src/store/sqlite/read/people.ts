import type { DatabaseSync } from 'node:sqlite'
import type { Invitation, Session } from '../../../people/person.ts'
import {
  type AuditRow,
  auditOf,
  type PersonRow,
  personOf,
  type SignedInRow,
  signedInOf,
} from '../../people-rows.ts'
import * as sql from '../../people-statements.ts'
import type { Direct } from '../protocol.ts'
import { all, numbered, one } from '../rows.ts'

type PeopleReads =
  | 'findPerson'
  | 'findPersonByIdentity'
  | 'people'
  | 'findSession'
  | 'sessions'
  | 'invitations'
  | 'findInvitation'
  | 'findLink'
  | 'audit'

export function people(db: DatabaseSync): Direct<PeopleReads> {
  const prepare = (text: string) => db.prepare(numbered(text))
  const byId = prepare(sql.PERSON_BY_ID)
  const byAddress = prepare(sql.PERSON_BY_ADDRESS)
  const byIdentity = prepare(sql.PERSON_BY_IDENTITY)
  const everyone = prepare(sql.PEOPLE)
  const ofCompany = prepare(sql.PEOPLE_OF_COMPANY)
  const signedIn = prepare(sql.SIGNED_IN)
  const sessions = prepare(sql.SESSIONS)
  const invitations = prepare(sql.ALL_INVITATIONS)
  const invitationsOfCompany = prepare(sql.INVITATIONS_OF_COMPANY)
  const findInvitation = prepare(sql.FIND_INVITATION)
  const findLink = prepare(sql.FIND_LINK)
  const personOrNull = (row: PersonRow | undefined) => (row === undefined ? null : personOf(row))
  return {
    findPerson: (by) =>
      personOrNull('id' in by ? one<PersonRow>(byId, by.id) : one<PersonRow>(byAddress, by.address)),

    findPersonByIdentity: (issuer, subject) => personOrNull(one<PersonRow>(byIdentity, issuer, subject)),

    people: (companyId) =>
      (companyId === null ? all<PersonRow>(everyone) : all<PersonRow>(ofCompany, companyId)).map(personOf),

    findSession(tokenHash, now) {
      const row = one<SignedInRow>(signedIn, tokenHash, now)
      return row === undefined ? null : signedInOf(row)
    },

    sessions: (personId, now) => all<Session>(sessions, personId, now),

    invitations: (companyId, now) =>
      companyId === null
        ? all<Invitation>(invitations, now)
        : all<Invitation>(invitationsOfCompany, now, companyId),

    findInvitation: (tokenHash, now) => one<Invitation>(findInvitation, now, tokenHash) ?? null,

    findLink: (tokenHash, now) => one<{ person: string }>(findLink, tokenHash, now)?.person ?? null,

    audit(filter) {
      const { text, values } = sql.auditPage(filter)
      return all<AuditRow>(prepare(text), ...values).map(auditOf)
    },
  }
}
