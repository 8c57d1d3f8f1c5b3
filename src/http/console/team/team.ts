/** The people of a company, and its invitations. */
import type { Static } from 'typebox'
import { shownName } from '../../../accounts/account.ts'
import { isoTime } from '../../../operate/shapes.ts'
import { invite, removeMember, setRole, showTeam, withdrawInvitation } from '../../../operate/team.ts'
import { signInUrl } from '../../../people/link.ts'
import type { Invitation } from '../../../people/person.ts'
import type { INVITATION, TEAM_ROUTES } from '../contract/team.ts'
import type { ConsoleCore } from '../core.ts'
import { oneCompany } from '../one-company.ts'
import type { Works } from '../work.ts'

function invitationJson(invitation: Invitation): Static<typeof INVITATION> {
  const { id, address, role, inviterName: inviter, createdAt, expiresAt } = invitation
  return { id, address, role, inviter, createdAt: isoTime(createdAt), expiresAt: isoTime(expiresAt) }
}

/** Returns whether the link was mailed: if not, the inviter can still share it. */
async function mailInvitation(
  { deps: { systemMail, log } }: ConsoleCore,
  {
    invitation: { id, address, inviterName, expiresAt },
    company,
    link,
  }: { invitation: Invitation; company: string; link: string },
): Promise<boolean> {
  if (systemMail === null) return false
  const inviter = inviterName === null ? 'You are invited' : `${inviterName} invites you`
  const text = [
    `${inviter} to ${company} on Postroad.`,
    '',
    `Accept the invitation: ${link}`,
    '',
    `The link works once, until ${isoTime(expiresAt)}.`,
    '',
  ].join('\n')
  try {
    const subject = `Invitation to ${company}`
    await systemMail.send({ to: address, subject, text, key: `invitation:${id}` })
    return true
  } catch (error) {
    log.warn({ err: error }, 'Could not mail an invitation')
    return false
  }
}

export const teamWorks: Works<typeof TEAM_ROUTES> = {
  'GET /companies/:company/team': async ({ op, company }) => {
    const { members, invitations } = await showTeam(op, { company: oneCompany(company) })
    return { members, invitations: invitations.map(invitationJson) }
  },

  'POST /companies/:company/team/invitations': async ({ op, company, body, request }, core) => {
    const { invitation, company: joined, token } = await invite(op, { ...body, company: oneCompany(company) })
    const link = signInUrl(core.publicUrl.urlOf(request.raw), token)
    const mailed = await mailInvitation(core, { invitation, company: shownName(joined), link })
    return { invitation: invitationJson(invitation), link, mailed }
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
