/** The people of the whole installation, for its operators. */
import type { IncomingMessage } from 'node:http'
import type { Static } from 'typebox'
import { companyName } from '../../../operate/find.ts'
import {
  inviteOperator,
  listPeople,
  makeSignInLink,
  type PersonWithLink,
  removePerson,
  setOperator,
} from '../../../operate/people.ts'
import { isoTime } from '../../../operate/shapes/time.ts'
import type { Operation } from '../../../operate/verb.ts'
import { signInUrl } from '../../../people/link.ts'
import type { Person } from '../../../people/person.ts'
import type { HttpCore } from '../../core.ts'
import type { PEOPLE_ROUTES, PERSON, PERSON_LINK } from '../contract/team.ts'
import type { Handlers } from '../handlers.ts'

function personJson(op: Operation, person: Person): Static<typeof PERSON> {
  const { id, address, name, operator, createdAt, memberships } = person
  const companies = memberships.map(({ companyId, role }) => {
    return { id: companyId, name: companyName(op, companyId), role }
  })
  return { id, address, name, operator, createdAt: isoTime(createdAt), companies }
}

function linkJson(
  { publicUrl }: HttpCore,
  request: IncomingMessage,
  { person, token, expiresAt }: PersonWithLink,
): Static<typeof PERSON_LINK> {
  const { id, address } = person
  return { id, address, link: signInUrl(publicUrl.urlOf(request), token), expiresAt: isoTime(expiresAt) }
}

export const peopleHandlers: Handlers<typeof PEOPLE_ROUTES> = {
  'GET /installation/people': async ({ op }) => {
    const people = await listPeople(op, {})
    return { people: people.map((person) => personJson(op, person)) }
  },

  'POST /installation/people': async ({ op, body, request }, core) => {
    return linkJson(core, request.raw, await inviteOperator(op, body))
  },

  'PATCH /installation/people/:person': async ({ op, params, body }) => {
    const person = await setOperator(op, { person: params.person, operator: body.operator })
    return personJson(op, person)
  },

  'DELETE /installation/people/:person': async ({ op, params }) => {
    await removePerson(op, { person: params.person })
    return {}
  },

  'POST /installation/people/:person/link': async ({ op, params, request }, core) => {
    return linkJson(core, request.raw, await makeSignInLink(op, { person: params.person }))
  },
}
