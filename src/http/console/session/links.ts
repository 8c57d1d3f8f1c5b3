/** Links of invitations and for signing in. The page shows the effect of a link before it is used. */
import type { Static } from 'typebox'
import { acceptInvitation, declineInvitation, readLink } from '../../../operate/invitations.ts'
import { noLink, signInByLink } from '../../../operate/sessions.ts'
import { isoTime } from '../../../operate/shapes.ts'
import type { SignInParts } from '../../../operate/sign-in.ts'
import { personName } from '../../../people/person.ts'
import { type Endpoint, endpoint } from '../../endpoint.ts'
import { LINK, LINK_CONTENT, LINK_USE, ME } from '../contract/session.ts'
import { DONE } from '../contract/shapes.ts'
import { meOf } from './session.ts'
import { originOf, signedIn, signedInHere } from './signing-in.ts'

export function linkEndpoints(parts: SignInParts): Endpoint[] {
  /** A POST, so that the token is in no address and in no log. */
  const read = endpoint({
    method: 'POST',
    url: '/console/api/session/link/read',
    operation: 'console_link_read',
    access: 'stranger',
    schema: {
      operationId: 'readLink',
      summary: 'Describe a link without using it',
      body: LINK,
      response: { 200: LINK_CONTENT },
    },
  })(async ({ body, request }, core) => {
    const content = await readLink(core.deps.store, body.token, parts.clock.now())
    const known = await signedInHere(core, parts, request)
    const signedInAs = known === null ? null : personName(known.person)
    if (content.kind === 'sign-in') {
      const isOwn = known?.person.id === content.person.id
      const name = personName(content.person)
      return { status: 200, body: { kind: 'sign-in', name, invitation: null, signedInAs, isOwn } }
    }
    const { companyId, address, role, inviterName, expiresAt } = content.invitation
    const company = core.deps.accounts.directory.companies().find(({ id }) => id === companyId)
    const invitation: Static<typeof LINK_CONTENT>['invitation'] = {
      company: company?.name ?? '',
      role,
      inviter: inviterName,
      expiresAt: isoTime(expiresAt),
    }
    const isOwn = known?.person.address === address
    return { status: 200, body: { kind: 'invitation', name: address, invitation, signedInAs, isOwn } }
  })

  const use = endpoint({
    method: 'POST',
    url: '/console/api/session/link',
    operation: 'console_sign_in',
    access: 'stranger',
    schema: {
      operationId: 'signInWithLink',
      summary: 'Sign in with a link, or accept an invitation; each link works once',
      body: LINK_USE,
      response: { 200: ME },
    },
  })(async ({ body, request }, core) => {
    const { store } = core.deps
    const from = { ...originOf(core, request), now: parts.clock.now() }
    const known = await signedInHere(core, parts, request)
    const of = { token: body.token, instead: body.instead ?? false, known }
    const accepted = await acceptInvitation(store, of, from)
    if (accepted !== null && 'person' in accepted) {
      return { status: 200, body: meOf(core, request.raw, { ...known!, person: accepted.person }) }
    }
    const begun = accepted?.begun ?? (await signInByLink(store, of, from))
    return await signedIn(core, parts, request, begun)
  })

  const decline = endpoint({
    method: 'POST',
    url: '/console/api/session/link/decline',
    operation: 'console_invitation_decline',
    access: 'stranger',
    schema: {
      operationId: 'declineInvitation',
      summary: 'Decline an invitation; its link stops working',
      body: LINK,
      response: { 200: DONE },
    },
  })(async ({ body }, core) => {
    if (await declineInvitation(core.deps.store, body.token, parts.clock.now()))
      return { status: 200, body: {} }
    throw noLink()
  })

  return [read, use, decline]
}
