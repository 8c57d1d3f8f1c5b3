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
import { isoTime } from '../../../operate/shapes.ts'
import type { Operation } from '../../../operate/verb.ts'
import { signInUrl } from '../../../people/link.ts'
import type { Person } from '../../../people/person.ts'
import type { HttpCore } from '../../core.ts'
import { type Endpoint, endpoint } from '../../endpoint.ts'
import { currentOperationOf } from '../../operation.ts'
import { DONE } from '../contract/shapes.ts'
import {
  NEW_OPERATOR,
  OPERATOR_OR_NOT,
  PEOPLE,
  PERSON,
  PERSON_LINK,
  PERSON_PARAMS,
} from '../contract/team.ts'

const ALL = '/console/api/installation/people'
const ONE = `${ALL}/:person`

function shownPerson(op: Operation, person: Person): Static<typeof PERSON> {
  const { id, address, name, operator, createdAt, memberships } = person
  const companies = memberships.map(({ companyId, role }) => {
    return { id: companyId, name: companyName(op, companyId), role }
  })
  return { id, address, name, operator, createdAt: isoTime(createdAt), companies }
}

function shownLink(
  { publicUrl }: HttpCore,
  request: IncomingMessage,
  { person, token, expiresAt }: PersonWithLink,
): Static<typeof PERSON_LINK> {
  const { id, address } = person
  return { id, address, link: signInUrl(publicUrl.of(request), token), expiresAt: isoTime(expiresAt) }
}

const list = endpoint({
  method: 'GET',
  url: ALL,
  operation: 'console_people_list',
  access: 'operator',
  schema: {
    operationId: 'listPeople',
    summary: 'List all people',
    response: { 200: PEOPLE },
  },
})(async ({ caller }, core) => {
  const op = await currentOperationOf(core, caller.caller)
  const people = await listPeople(op, {})
  return { status: 200, body: { people: people.map((person) => shownPerson(op, person)) } }
})

const add = endpoint({
  method: 'POST',
  url: ALL,
  operation: 'console_people_invite',
  access: 'operator',
  schema: {
    operationId: 'inviteOperator',
    summary: 'Invite an operator; the link is shown only once',
    body: NEW_OPERATOR,
    response: { 201: PERSON_LINK },
  },
})(async ({ caller, body, request }, core) => {
  const op = await currentOperationOf(core, caller.caller)
  return { status: 201, body: shownLink(core, request.raw, await inviteOperator(op, body)) }
})

const change = endpoint({
  method: 'PATCH',
  url: ONE,
  operation: 'console_people_change',
  access: 'operator',
  schema: {
    operationId: 'setOperator',
    summary: 'Make a person an operator, or revoke it',
    params: PERSON_PARAMS,
    body: OPERATOR_OR_NOT,
    response: { 200: PERSON },
  },
})(async ({ caller, params, body }, core) => {
  const op = await currentOperationOf(core, caller.caller)
  const person = await setOperator(op, { person: params.person, operator: body.operator })
  return { status: 200, body: shownPerson(op, person) }
})

const removeOne = endpoint({
  method: 'DELETE',
  url: ONE,
  operation: 'console_people_remove',
  access: 'operator',
  schema: {
    operationId: 'removePerson',
    summary: 'Delete a person',
    params: PERSON_PARAMS,
    response: { 200: DONE },
  },
})(async ({ caller, params }, core) => {
  await removePerson(await currentOperationOf(core, caller.caller), { person: params.person })
  return { status: 200, body: {} }
})

const makeLink = endpoint({
  method: 'POST',
  url: `${ONE}/link`,
  operation: 'console_people_link',
  access: 'operator',
  schema: {
    operationId: 'makeSignInLink',
    summary: 'Create a sign-in link for a person; it works once and is shown only once',
    params: PERSON_PARAMS,
    response: { 201: PERSON_LINK },
  },
})(async ({ caller, params, request }, core) => {
  const op = await currentOperationOf(core, caller.caller)
  return {
    status: 201,
    body: shownLink(core, request.raw, await makeSignInLink(op, { person: params.person })),
  }
})

export const peopleEndpoints: readonly Endpoint[] = [list, add, change, removeOne, makeLink]
