/** The people of a company and of the installation. */
import type { Role } from '../../../src/people/person.ts'
import type { Body, JsonAnswer } from './client.ts'
import { change, read } from './queries.ts'

const TEAM = 'GET /companies/:company/team'
const PEOPLE = 'GET /installation/people'

export type Member = JsonAnswer<typeof TEAM>['members'][number]
export type OpenInvitation = JsonAnswer<typeof TEAM>['invitations'][number]
export type SentInvitation = JsonAnswer<'POST /companies/:company/team/invitations'>
export type Person = JsonAnswer<typeof PEOPLE>['people'][number]
export type PersonLink = JsonAnswer<'POST /installation/people'>
export type { Role }

export const teamQuery = (company: string) => read(TEAM, { company })

export const peopleQuery = read(PEOPLE)

/** The answers that a change of people affects, and the audit list, which has an entry for each change. */
const SHOWN = [TEAM, PEOPLE, 'GET /companies/:company/audit', 'GET /session'] as const

export const invite = (company: string, body: Body<'POST /companies/:company/team/invitations'>) =>
  change('POST /companies/:company/team/invitations', { company, body }, ...SHOWN)

/** The link of the new invitation replaces that of the old one. */
export const renewInvitation = (company: string, { address, role }: OpenInvitation) =>
  invite(company, { address, role })

export const withdrawInvitation = (company: string, invitation: string) =>
  change('DELETE /companies/:company/team/invitations/:invitation', { company, invitation }, ...SHOWN)

export const setRole = (company: string, person: string, role: Role) =>
  change('PATCH /companies/:company/team/:person', { company, person, body: { role } }, ...SHOWN)

export const removeMember = (company: string, person: string) =>
  change('DELETE /companies/:company/team/:person', { company, person }, ...SHOWN)

export const inviteOperator = (address: string) =>
  change('POST /installation/people', { body: { address } }, ...SHOWN)

export const setOperator = (person: string, operator: boolean) =>
  change('PATCH /installation/people/:person', { person, body: { operator } }, ...SHOWN)

export const removePerson = (person: string) =>
  change('DELETE /installation/people/:person', { person }, ...SHOWN)

export const makeSignInLink = (person: string) =>
  change('POST /installation/people/:person/link', { person }, ...SHOWN)
