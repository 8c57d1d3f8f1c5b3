/** The people of a company and of the installation. */
import { queryOptions } from '@tanstack/react-query'
import type { Role } from '../../../src/people/person.ts'
import { type Body, call, type JsonAnswer } from './client.ts'
import { invalidate } from './queries.ts'

export type Team = JsonAnswer<'GET /companies/:company/team'>
export type Member = Team['members'][number]
export type Invitation = Team['invitations'][number]
export type Person = JsonAnswer<'GET /installation/people'>['people'][number]
export type PersonLink = JsonAnswer<'POST /installation/people'>
export type { Role }

export const teamQuery = (company: string) =>
  queryOptions({
    queryKey: ['team', company],
    queryFn: ({ signal }) => call('GET /companies/:company/team', { company, signal }),
  })

export const peopleQuery = queryOptions({
  queryKey: ['people'],
  queryFn: ({ signal }) => call('GET /installation/people', { signal }),
})

/** Reloads the people that are shown, and the audit list, which has an entry of the change. */
export function teamChanged(): Promise<unknown> {
  return invalidate('team', 'people', 'audit', 'session')
}

export function invite(company: string, body: Body<'POST /companies/:company/team/invitations'>) {
  return call('POST /companies/:company/team/invitations', { company, body })
}

export function withdrawInvitation(company: string, invitation: string) {
  return call('DELETE /companies/:company/team/invitations/:invitation', { company, invitation })
}

export function setRole(company: string, person: string, role: Role) {
  return call('PATCH /companies/:company/team/:person', { company, person, body: { role } })
}

export function removeMember(company: string, person: string) {
  return call('DELETE /companies/:company/team/:person', { company, person })
}

export function inviteOperator(address: string) {
  return call('POST /installation/people', { body: { address } })
}

export function setOperator(person: string, operator: boolean) {
  return call('PATCH /installation/people/:person', { person, body: { operator } })
}

export function removePerson(person: string) {
  return call('DELETE /installation/people/:person', { person })
}

export function makeSignInLink(person: string) {
  return call('POST /installation/people/:person/link', { person })
}
