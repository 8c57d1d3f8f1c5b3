/** Links of invitations and for signing in. The page shows the effect of a link before it is used. */
import type { Static } from 'typebox'
import { shownName } from '../../../accounts/account.ts'
import { acceptInvitation, declineInvitation, readLink } from '../../../operate/invitations.ts'
import { noLink, signInByLink } from '../../../operate/sessions.ts'
import { isoTime } from '../../../operate/shapes/time.ts'
import { personName } from '../../../people/person.ts'
import type { LINK_CONTENT, LINK_ROUTES } from '../contract/session.ts'
import type { Handlers } from '../handlers.ts'
import { meOf } from './session.ts'
import { originOf, sessionOfRequest, signedIn } from './signing-in.ts'

export const linkHandlers: Handlers<typeof LINK_ROUTES> = {
  // A POST, so that the token is in no address and in no log.
  'POST /session/link/read': async ({ body, request }, core) => {
    const content = await readLink(core.deps.store, body.token, core.signIn.clock.now())
    const known = await sessionOfRequest(core, request)
    const signedInAs = known === null ? null : personName(known.person)
    if (content.kind === 'sign-in') {
      const isOwn = known?.person.id === content.person.id
      const name = personName(content.person)
      return { kind: 'sign-in', name, invitation: null, signedInAs, isOwn }
    }
    const { companyId, address, role, inviterName, expiresAt } = content.invitation
    const company = core.deps.accounts.directory.companies().find(({ id }) => id === companyId)
    const invitation: Static<typeof LINK_CONTENT>['invitation'] = {
      company: company === undefined ? '' : shownName(company),
      role,
      inviter: inviterName,
      expiresAt: isoTime(expiresAt),
    }
    const isOwn = known?.person.address === address
    return { kind: 'invitation', name: address, invitation, signedInAs, isOwn }
  },

  'POST /session/link': async ({ body, request }, core) => {
    const { store } = core.deps
    const from = { ...originOf(core, request), now: core.signIn.clock.now() }
    const known = await sessionOfRequest(core, request)
    const of = { token: body.token, instead: body.instead ?? false, known }
    const accepted = await acceptInvitation(store, of, from)
    if (accepted !== null && 'person' in accepted) {
      return meOf(core, request.raw, { ...known!, person: accepted.person })
    }
    const newSession = accepted?.begun ?? (await signInByLink(store, of, from))
    return await signedIn(core, request, newSession)
  },

  'POST /session/link/decline': async ({ body }, core) => {
    const { deps, signIn } = core
    if (!(await declineInvitation(deps.store, body.token, signIn.clock.now()))) throw noLink()
    return {}
  },
}
