/** The people of a company and of the installation. */
import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type {
  INVITATION,
  MADE_INVITATION,
  MEMBER,
  PEOPLE,
  PERSON,
  PERSON_LINK,
  TEAM,
} from '../../../src/http/console/contract/team.ts'
import type { Role } from '../../../src/people/person.ts'
import { get, patch, pathOf, post, remove } from './client.ts'
import { invalidate } from './queries.ts'

export type Member = Static<typeof MEMBER>
export type Invitation = Static<typeof INVITATION>
export type Team = Static<typeof TEAM>
export type Person = Static<typeof PERSON>
export type { Role }

const teamPath = (company: string) => `/companies${pathOf(company)}/team`
const PEOPLE_PATH = '/installation/people'

export const teamQuery = (company: string) =>
  queryOptions({
    queryKey: ['team', company],
    queryFn: ({ signal }) => get<Team>(teamPath(company), {}, signal),
  })

export const peopleQuery = queryOptions({
  queryKey: ['people'],
  queryFn: ({ signal }) => get<Static<typeof PEOPLE>>(PEOPLE_PATH, {}, signal),
})

/** Reloads the people that are shown, and the audit list, which has an entry of the change. */
export function teamChanged(): Promise<unknown> {
  return invalidate('team', 'people', 'audit', 'session')
}

export function invite(company: string, asked: { address: string; role: Role }) {
  return post<Static<typeof MADE_INVITATION>>(`${teamPath(company)}/invitations`, asked)
}

export function withdrawInvitation(company: string, id: string): Promise<object> {
  return remove(`${teamPath(company)}/invitations${pathOf(id)}`)
}

export function setRole(company: string, person: string, role: Role): Promise<Member> {
  return patch(`${teamPath(company)}${pathOf(person)}`, { role })
}

export function removeMember(company: string, person: string): Promise<object> {
  return remove(`${teamPath(company)}${pathOf(person)}`)
}

export type PersonLink = Static<typeof PERSON_LINK>

export function inviteOperator(address: string): Promise<PersonLink> {
  return post(PEOPLE_PATH, { address })
}

export function setOperator(person: string, operator: boolean): Promise<Person> {
  return patch(`${PEOPLE_PATH}${pathOf(person)}`, { operator })
}

export function removePerson(person: string): Promise<object> {
  return remove(`${PEOPLE_PATH}${pathOf(person)}`)
}

export function makeSignInLink(person: string): Promise<PersonLink> {
  return post(`${PEOPLE_PATH}${pathOf(person)}/link`)
}
