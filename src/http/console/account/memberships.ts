/** The person's own memberships of companies: to confirm or to leave. */
import { confirmMembership, leaveCompany } from '../../../operate/own-memberships.ts'
import type { SignInParts } from '../../../operate/sign-in.ts'
import { type Endpoint, endpoint } from '../../endpoint.ts'
import { MEMBERSHIP_PARAMS } from '../contract/account.ts'
import { DONE } from '../contract/shapes.ts'

export function membershipEndpoints(parts: SignInParts): Endpoint[] {
  const confirm = endpoint({
    method: 'POST',
    url: '/console/api/account/memberships/:id',
    operation: 'console_membership_confirm',
    access: 'person',
    schema: {
      operationId: 'confirmMembership',
      summary: 'Confirm your membership of a company; its owners can then see your sign-ins',
      params: MEMBERSHIP_PARAMS,
      response: { 200: DONE },
    },
  })(async ({ caller, params }) => {
    await confirmMembership(parts, caller, params.id)
    return { status: 200, body: {} }
  })

  const leave = endpoint({
    method: 'DELETE',
    url: '/console/api/account/memberships/:id',
    operation: 'console_membership_leave',
    access: 'person',
    schema: {
      operationId: 'leaveCompany',
      summary: 'Leave the company',
      params: MEMBERSHIP_PARAMS,
      response: { 200: DONE },
    },
  })(async ({ caller, params }) => {
    await leaveCompany(parts, caller, params.id)
    return { status: 200, body: {} }
  })

  return [confirm, leave]
}
