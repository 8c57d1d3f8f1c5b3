/** The people of a company, and its invitations. */
import type { Static } from 'typebox'
import { isoTime } from '../../../operate/shapes.ts'
import { invite, removeMember, setRole, showTeam, withdrawInvitation } from '../../../operate/team.ts'
import { signInUrl } from '../../../people/link.ts'
import type { Invitation } from '../../../people/person.ts'
import { type Endpoint, endpoint } from '../../endpoint.ts'
import { currentOperationOf } from '../../operation.ts'
import { COMPANY_PARAMS, DONE } from '../contract/shapes.ts'
import {
  type INVITATION,
  INVITATION_PARAMS,
  MADE_INVITATION,
  MEMBER,
  MEMBER_PARAMS,
  NEW_INVITATION,
  NEW_ROLE,
  TEAM,
} from '../contract/team.ts'
import { oneCompany } from '../one-company.ts'

const TEAM_URL = '/console/api/companies/:company/team'

function shownInvitation(invitation: Invitation): Static<typeof INVITATION> {
  const { id, address, role, inviterName: inviter, createdAt, expiresAt } = invitation
  return { id, address, role, inviter, createdAt: isoTime(createdAt), expiresAt: isoTime(expiresAt) }
}

const show = endpoint({
  method: 'GET',
  url: TEAM_URL,
  operation: 'console_team_read',
  access: 'company',
  schema: {
    operationId: 'showTeam',
    summary: 'List the members of the company and its invitations',
    params: COMPANY_PARAMS,
    response: { 200: TEAM },
  },
})(async ({ caller }, core) => {
  const op = await currentOperationOf(core, caller.caller)
  const { members, invitations } = await showTeam(op, { company: oneCompany(caller) })
  return { status: 200, body: { members, invitations: invitations.map(shownInvitation) } }
})

const inviteOne = endpoint({
  method: 'POST',
  url: `${TEAM_URL}/invitations`,
  operation: 'console_team_invite',
  access: 'company',
  schema: {
    operationId: 'invite',
    summary: 'Invite a person to the company; the link is shown only once',
    params: COMPANY_PARAMS,
    body: NEW_INVITATION,
    response: { 201: MADE_INVITATION },
  },
})(async ({ caller, body, request }, core) => {
  const company = oneCompany(caller)
  const op = await currentOperationOf(core, caller.caller)
  const { invitation, token } = await invite(op, { ...body, company })
  const link = signInUrl(core.publicUrl.of(request.raw), token)
  return { status: 201, body: { invitation: shownInvitation(invitation), link } }
})

const withdraw = endpoint({
  method: 'DELETE',
  url: `${TEAM_URL}/invitations/:invitation`,
  operation: 'console_team_withdraw',
  access: 'company',
  schema: {
    operationId: 'withdrawInvitation',
    summary: 'Withdraw an invitation',
    params: INVITATION_PARAMS,
    response: { 200: DONE },
  },
})(async ({ caller, params }, core) => {
  const op = await currentOperationOf(core, caller.caller)
  await withdrawInvitation(op, { company: oneCompany(caller), id: params.invitation })
  return { status: 200, body: {} }
})

const changeRole = endpoint({
  method: 'PATCH',
  url: `${TEAM_URL}/:person`,
  operation: 'console_team_change',
  access: 'company',
  schema: {
    operationId: 'setRole',
    summary: 'Change the role of a member',
    params: MEMBER_PARAMS,
    body: NEW_ROLE,
    response: { 200: MEMBER },
  },
})(async ({ caller, params, body }, core) => {
  const op = await currentOperationOf(core, caller.caller)
  const { member } = await setRole(op, {
    company: oneCompany(caller),
    person: params.person,
    role: body.role,
  })
  return { status: 200, body: member }
})

const removeOne = endpoint({
  method: 'DELETE',
  url: `${TEAM_URL}/:person`,
  operation: 'console_team_remove',
  access: 'company',
  schema: {
    operationId: 'removeMember',
    summary: 'Remove a member from the company',
    params: MEMBER_PARAMS,
    response: { 200: DONE },
  },
})(async ({ caller, params }, core) => {
  const op = await currentOperationOf(core, caller.caller)
  await removeMember(op, { company: oneCompany(caller), person: params.person })
  return { status: 200, body: {} }
})

export const teamEndpoints: readonly Endpoint[] = [show, inviteOne, withdraw, changeRole, removeOne]
