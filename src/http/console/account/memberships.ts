/** The person's own memberships of companies: to confirm or to leave. */
import { confirmMembership, leaveCompany } from '../../../operate/own-memberships.ts'
import type { MEMBERSHIP_ROUTES } from '../contract/account.ts'
import type { Handlers } from '../handlers.ts'

export const membershipHandlers: Handlers<typeof MEMBERSHIP_ROUTES> = {
  'POST /account/memberships/:id': async (call, { signIn }) => {
    await confirmMembership(signIn, call, call.params.id)
    return {}
  },

  'DELETE /account/memberships/:id': async (call, { signIn }) => {
    await leaveCompany(signIn, call, call.params.id)
    return {}
  },
}
