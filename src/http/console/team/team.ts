/** The people of a company, and its invitations. */
import type { Static } from 'typebox'
import { mailInvitation } from '../../../operate/invitation-mail.ts'
import { isoTime } from '../../../operate/shapes/time.ts'
import { invite, removeMember, setRole, showTeam, withdrawInvitation } from '../../../operate/team.ts'
import { signInUrl } from '../../../people/link.ts'
import type { Invitation } from '../../../people/person.ts'
import type { INVITATION, TEAM_ROUTES } from '../contract/team.ts'
import type { Handlers } from '../handlers.ts'
import { oneCompany } from '../one-company.ts'

function invitationJson(invitation: Invitation): Static<typeof INVITATION> {
  const { id, address, role, inviterName: inviter, createdAt, expiresAt } = invitation
  return { id, address, role, inviter, createdAt: isoTime(createdAt), expiresAt: isoTime(expiresAt) }
}

export const teamHandlers: Handlers<typeof TEAM_ROUTES> = {
  'GET /companies/:company/team': async ({ op, company }) => {
    const { members, invitations } = await showTeam(op, { company: oneCompany(company) })
    return { members, invitations: invitations.map(invitationJson) }
  },

  'POST /companies/:company/team/invitations': async ({ op, company, body, request }, core) => {
    const { invitation, token } = await invite(op, { ...body, company: oneCompany(company) })
    const base = core.publicUrl.urlOf(request.raw)
    const { mailed, nextMailAt } = await mailInvitation(op, core.deps, invitation, base)
    return {
      invitation: invitationJson(invitation),
      link: signInUrl(base, token),
      mailed,
      nextMailAt: isoTime(nextMailAt),
    }
  },

  'DELETE /companies/:company/team/invitations/:invitation': async ({ op, company, params }) => {
    await withdrawInvitation(op, { company: oneCompany(company), id: params.invitation })
    return {}
  },

  'PATCH /companies/:company/team/:person': async ({ op, company, params, body }) => {
    const { member } = await setRole(op, {
      company: oneCompany(company),
      person: params.person,
      role: body.role,
    })
    return member
  },

  'DELETE /companies/:company/team/:person': async ({ op, company, params }) => {
    await removeMember(op, { company: oneCompany(company), person: params.person })
    return {}
  },
}
